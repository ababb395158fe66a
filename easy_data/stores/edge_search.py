"""One search of the index in process: the nearest and the best by keywords, and the cosine of each."""

from __future__ import annotations

from qdrant_edge import (
    EdgeShard,
    Filter,
    HasIdCondition,
    IdfParams,
    QuantizationSearchParams,
    Query,
    QueryRequest,
    SearchParams,
    SparseVector,
)

from easy_data.schemas.ports import IndexHit, IndexQuery
from easy_data.stores.edge_filter import edge_filter
from easy_data.stores.edge_outsiders import Outsiders
from easy_data.stores.index_points import (
    Condition,
    Matches,
    checked_vector,
    clear_of_ties,
    entity_conditions,
    query_conditions,
)
from easy_data.stores.keywords import sparse_query

_OVERSAMPLING = 3.0
_RESCORED = SearchParams(quantization=QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING))


class EdgeSearch:
    """A query as the engine is asked it. Raises ``InputError`` for a vector of another size."""

    def __init__(self, query: IndexQuery, size: int) -> None:
        self._limit = query.limit
        self._vector = None if query.vector is None else checked_vector(query.vector, size)
        self._terms = sparse_query(query.text)
        self._conditions = query_conditions(query)
        self._corpus = entity_conditions(query.tenant_id, query.entity_id)

    def hits(self, shard: EdgeShard, outsiders: Outsiders | None) -> list[IndexHit]:
        """Return the best of each side; ``outsiders``, where given, may spare checking conditions point by point."""
        wanted: Filter | None = None
        dropped = _outside(shard, outsiders, self._conditions)
        if dropped is None:
            wanted, dropped = edge_filter(self._conditions), set()
        dense: dict[str, float] = {}
        keyword: dict[str, float] = {}
        if self._vector is not None:
            dense = self._best(shard, Query.Nearest(self._vector, using="dense"), wanted, dropped, _RESCORED)
        indices, weights = self._terms
        if indices:
            params = None
            if _outside(shard, outsiders, self._corpus) is None:
                params = SearchParams(idf=IdfParams(corpus=edge_filter(self._corpus)))
            by_words = Query.Nearest(SparseVector(indices, weights), using="keyword")
            keyword = clear_of_ties(self._best(shard, by_words, wanted, dropped, params), self._limit)
        if self._vector is not None and (missing := keyword.keys() - dense.keys()):
            # Dots of a few points: no condition is left to check, and none to drop.
            only_these = Filter(must=[HasIdCondition(set(missing))])
            asked = Query.Nearest(self._vector, using="dense")
            request = QueryRequest(limit=len(missing), query=asked, filter=only_these, params=_RESCORED)
            dense |= {str(hit.id): hit.score for hit in shard.query(request)}
        return [IndexHit(point_id, dense.get(point_id), keyword.get(point_id)) for point_id in dense | keyword]

    def _best(
        self,
        shard: EdgeShard,
        asked: Query,
        wanted: Filter | None,
        dropped: set[str],
        params: SearchParams | None,
    ) -> dict[str, float]:
        request = QueryRequest(limit=self._limit + len(dropped), query=asked, filter=wanted, params=params)
        found = ((str(hit.id), hit.score) for hit in shard.query(request))
        kept = [(point_id, score) for point_id, score in found if point_id not in dropped]
        return dict(kept[: self._limit])


def _outside(shard: EdgeShard, outsiders: Outsiders | None, conditions: list[Condition]) -> set[str] | None:
    """Return the few points that do not meet the conditions; None where it is not known or they are not few."""
    match conditions:
        case [Matches(values=(scope,))] if outsiders is not None:
            return outsiders.of(shard, scope)
        case _:
            return None
