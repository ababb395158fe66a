"""The few points that a condition leaves out, where it lets nearly all others in.

Checking a condition costs about as much as scoring the point. Where one entity has nearly the whole collection, as the
one user of an agent has, it is cheaper to ask for a few more points and to drop the known outsiders from the answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from qdrant_edge import CountRequest, EdgeShard, Filter, ScrollRequest

from easy_data.schemas.ports import Point
from easy_data.stores.edge_filter import edge_filter
from easy_data.stores.index_points import SCOPE, Matches, scopes_of

# Below this nothing is gained. The share bounds how far the idf of the whole collection is from the entity's: by .01.
_FROM_POINTS = 5_000
_MOST = 100
_MOST_SHARE = 0.01


class Outsiders:
    """Knows the outsiders of the scopes that were asked for, if they are few. Told of every write, it is never stale.

    Not safe for threads: the index calls it, and the engine with its answer, under its lock.
    """

    def __init__(self) -> None:
        self._known: dict[str, set[str] | None] = {}

    def of(self, shard: EdgeShard, scope: str) -> set[str] | None:
        """Return the ids of the points that are not of ``scope``; None where they are too many to be worth it."""
        total = shard.info().points_count
        most = min(_MOST, int(total * _MOST_SHARE))
        if total < _FROM_POINTS:
            return None
        inside = edge_filter([Matches(SCOPE, (scope,))])
        # The count of one exact match is read off its index.
        if total - shard.count(CountRequest(exact=False, filter=inside)) > most:
            self._known.pop(scope, None)
            return None
        if scope not in self._known:
            page, _ = shard.scroll(ScrollRequest(limit=most + 1, filter=Filter(must_not=inside.must)))
            self._known[scope] = {str(record.id) for record in page} if len(page) <= most else None
        return self._known[scope]

    def put(self, points: Sequence[Point]) -> None:
        """Take note of points that are written."""
        few = {scope: ids for scope, ids in self._known.items() if ids is not None and len(ids) <= _MOST}
        for scope, ids in few.items():
            outside = {point.id for point in points if scope not in scopes_of(point)}
            ids.difference_update(point.id for point in points)
            ids.update(outside)
        self._known = {**few}

    def remove(self, ids: Sequence[str]) -> None:
        """Take note of points that are deleted."""
        for known in self._known.values():
            if known is not None:
                known.difference_update(ids)

    def forget(self) -> None:
        """Know nothing, as after the collection was emptied."""
        self._known.clear()
