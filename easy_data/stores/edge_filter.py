"""Conditions of a query as the filter of the engine in process."""

from __future__ import annotations

from collections.abc import Iterable

from qdrant_edge import FieldCondition, Filter, MatchAny, MatchValue, RangeFloat

from easy_data.stores.index_points import Condition, Matches


def edge_filter(conditions: Iterable[Condition]) -> Filter:
    """Return the filter for the points that meet all conditions."""
    return Filter(must=[_rendered(condition) for condition in conditions])


def _rendered(condition: Condition) -> FieldCondition:
    if isinstance(condition, Matches):
        values = condition.values
        match = MatchValue(values[0]) if len(values) == 1 else MatchAny(list(values))
        return FieldCondition(condition.field, match=match)
    return FieldCondition(condition.field, range=RangeFloat(gte=condition.since, lt=condition.until))
