"""Requests to a Qdrant server, as the engine in process understands them; what it does not know is refused."""

from __future__ import annotations

import uuid
from typing import Any

import qdrant_edge as edge
from qdrant_client import models


class Refused(Exception):
    """A request the server answers with an error."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def edge_config(config: models.CreateCollection) -> edge.EdgeConfig:
    """Return the engine's form of what a collection is made with."""
    if not isinstance(config.vectors, dict):
        raise Refused(501, "this server wants named vectors")
    return edge.EdgeConfig(
        vectors={name: _edge_vector(params) for name, params in config.vectors.items()},
        sparse_vectors={
            name: edge.EdgeSparseVectorParams(
                modifier=edge.Modifier.Idf if params.modifier == models.Modifier.IDF else None
            )
            for name, params in (config.sparse_vectors or {}).items()
        },
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=0),
        max_search_threads=1,
    )


def _edge_vector(params: models.VectorParams) -> edge.EdgeVectorParams:
    if params.distance != models.Distance.COSINE or params.datatype != models.Datatype.TURBO8:
        raise Refused(501, "this server keeps cosine vectors in 8 bits")
    bits = edge.TurboQuantQuantizationConfig(bits=edge.TurboQuantBitSize.Bits2, memory=edge.Memory.Cached)
    return edge.EdgeVectorParams(
        size=params.size,
        distance=edge.Distance.Cosine,
        datatype=edge.VectorStorageDatatype.Turbo8,
        quantization_config=bits if params.quantization_config else None,
    )


def engine_id(point_id: models.ExtendedPointId) -> uuid.UUID:
    """Return a point's id; refuse one that is no UUID."""
    try:
        return uuid.UUID(str(point_id))
    except ValueError:
        raise Refused(400, f"value {point_id} is not a valid point ID") from None


def engine_vector(vector: object) -> Any:
    """Return a dense or sparse vector."""
    if isinstance(vector, models.SparseVector):
        return edge.SparseVector(vector.indices, vector.values)
    return vector


def nearest(request: models.QueryRequest | models.Prefetch) -> edge.Query:
    """Return what to look for, and in which of the named vectors."""
    query = request.query.nearest if isinstance(request.query, models.NearestQuery) else request.query
    return edge.Query.Nearest(engine_vector(query), using=request.using)


def engine_params(params: models.SearchParams | None) -> edge.SearchParams:
    """Return how to search."""
    params = params or models.SearchParams()
    quantization = params.quantization
    return edge.SearchParams(
        quantization=edge.QuantizationSearchParams(rescore=quantization.rescore, oversampling=quantization.oversampling)
        if quantization
        else None,
        idf=edge.IdfParams(corpus=engine_filter(params.idf.corpus))
        if isinstance(params.idf, models.IdfCorpusParams)
        else None,
    )


def engine_filter(wanted: models.Filter) -> edge.Filter:
    """Return a filter; refuse conditions that are not served."""
    if wanted.must_not or wanted.min_should:
        raise Refused(501, "this server knows must and should")
    return edge.Filter(
        must=_engine_conditions(wanted.must) or None,
        should=_engine_conditions(wanted.should) or None,
    )


def _engine_conditions(wanted: object) -> list[Any]:
    listed = wanted if isinstance(wanted, list) else [wanted] if wanted else []
    return [_engine_condition(each) for each in listed]


def _engine_condition(condition: object) -> Any:
    if isinstance(condition, models.Filter):
        return engine_filter(condition)
    if isinstance(condition, models.HasIdCondition):
        return edge.HasIdCondition({engine_id(each) for each in condition.has_id})
    if isinstance(condition, models.FieldCondition):
        match condition.match:
            case models.MatchValue(value=value):
                return edge.FieldCondition(condition.key, match=edge.MatchValue(value))
            case models.MatchAny(any=values):
                wanted: Any = list(values)
                return edge.FieldCondition(condition.key, match=edge.MatchAny(wanted))
        if isinstance(condition.range, models.Range):
            span = condition.range
            bounds = edge.RangeFloat(gte=span.gte, gt=span.gt, lt=span.lt, lte=span.lte)
            return edge.FieldCondition(condition.key, range=bounds)
    raise Refused(501, f"this server does not know the condition {type(condition).__name__}")
