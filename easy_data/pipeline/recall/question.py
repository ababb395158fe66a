"""A question as the read path passes it on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from easy_data.pipeline.recall.intents import Reading
from easy_data.schemas.ids import Scope
from easy_data.schemas.recall import RouteName
from easy_data.schemas.records import LIVE_STATUSES, Bucket, Entity, MemoryRecord, ProfileRecord, Status
from easy_data.stores.repositories.sketches import Sketch

TURN = "conversation_turn"
_BUCKET_OF: dict[RouteName, Bucket] = {
    "profile": Bucket.PROFILE,
    "events": Bucket.EVENT,
    "turns": Bucket.EVENT,
    "workspace": Bucket.WORKSPACE,
}
# What was so once: facts in these states may have held at an earlier instant.
ONCE = (*LIVE_STATUSES, Status.SUPERSEDED, Status.EXPIRED)


def route_of(bucket: Bucket, kind: str) -> RouteName:
    """Return the route of a memory by its bucket, and by the type of an event."""
    if bucket is Bucket.EVENT:
        return "turns" if kind == TURN else "events"
    return "profile" if bucket is Bucket.PROFILE else "workspace"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What narrows a search before anything is ranked; empty fields narrow nothing.

    ``as_of`` asks for how things stood at that instant: facts that held then, and what had happened by then.
    """

    buckets: tuple[Bucket, ...] = ()
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    routes: tuple[RouteName, ...] = ()
    as_of: datetime | None = None

    def allow(self, sketch: Sketch) -> bool:
        """Tell if a memory meets the conditions."""
        return (
            (not self.buckets or sketch.bucket in self.buckets)
            and (not self.kinds or sketch.kind in self.kinds)
            and (not self.routes or route_of(sketch.bucket, sketch.kind) in self.routes)
            and (self.since is None or sketch.at >= self.since)
            and (self.until is None or sketch.at < self.until)
            and (self.as_of is None or sketch.at <= self.as_of)
        )

    def held(self, record: MemoryRecord) -> bool:
        """Tell if a fact held at ``as_of``; what is no fact always did."""
        if self.as_of is None or not isinstance(record, ProfileRecord):
            return True
        return record.valid_to is None or record.valid_to > self.as_of

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The states of memories that may answer."""
        return LIVE_STATUSES if self.as_of is None else ONCE

    @property
    def wanted_buckets(self) -> tuple[Bucket, ...]:
        """The buckets that ``buckets`` and ``routes`` both let in, all of them when neither narrows."""
        return tuple(bucket for bucket in Bucket if self.wants(bucket)) if self.buckets or self.routes else ()

    def wants(self, bucket: Bucket) -> bool:
        """Tell if memories of a bucket can meet the conditions."""
        routed = not self.routes or any(_BUCKET_OF[route] is bucket for route in self.routes)
        return routed and (not self.buckets or bucket in self.buckets)


@dataclass(frozen=True, slots=True)
class Question:
    """Who is asked about, in which words and when, what the rules read out of them, and what narrows the answer."""

    entity: Entity
    query: str
    reading: Reading
    now: datetime
    conditions: Conditions = Conditions()

    @property
    def scope(self) -> Scope:
        """Whose memories may be read."""
        return Scope(self.entity.tenant_id, self.entity.entity_id)
