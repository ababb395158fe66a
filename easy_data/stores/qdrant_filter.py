"""Conditions of a query as the filter of a Qdrant server."""

from __future__ import annotations

from collections.abc import Iterable

from qdrant_client import models

from easy_data.stores.index_points import Condition, Matches


def qdrant_filter(conditions: Iterable[Condition]) -> models.Filter:
    """Return the filter for the points that meet all conditions."""
    return models.Filter(must=[_rendered(condition) for condition in conditions])


def not_newer(versions: dict[str, int]) -> models.Filter:
    """Return the filter for the points, of those with these ids, whose stored version is not above the one given."""
    by_version: dict[int, list[models.ExtendedPointId]] = {}
    for point_id, version in versions.items():
        by_version.setdefault(version, []).append(point_id)
    if len(by_version) == 1:
        return models.Filter(must=[_at_most(*by_version)])
    return models.Filter(
        should=[
            models.Filter(must=[_at_most(version), models.HasIdCondition(has_id=ids)])
            for version, ids in by_version.items()
        ]
    )


def _at_most(version: int) -> models.FieldCondition:
    return models.FieldCondition(key="version", range=models.Range(lte=version))


def _rendered(condition: Condition) -> models.FieldCondition:
    if isinstance(condition, Matches):
        values = condition.values
        match: models.Match = (
            models.MatchValue(value=values[0]) if len(values) == 1 else models.MatchAny(any=list(values))
        )
        return models.FieldCondition(key=condition.field, match=match)
    return models.FieldCondition(key=condition.field, range=models.Range(gte=condition.since, lt=condition.until))
