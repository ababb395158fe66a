"""A question as the read path passes it on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from easy_data.pipeline.recall.intents import Reading
from easy_data.schemas.ids import Scope
from easy_data.schemas.records import Bucket, Entity
from easy_data.stores.repositories.sketches import Sketch


@dataclass(frozen=True, slots=True)
class Conditions:
    """What narrows a search before anything is ranked; empty fields narrow nothing."""

    buckets: tuple[Bucket, ...] = ()
    kinds: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def allow(self, sketch: Sketch) -> bool:
        """Tell if a memory meets the conditions."""
        return (
            (not self.buckets or sketch.bucket in self.buckets)
            and (not self.kinds or sketch.kind in self.kinds)
            and (self.since is None or sketch.at >= self.since)
            and (self.until is None or sketch.at < self.until)
        )

    def wants(self, bucket: Bucket) -> bool:
        """Tell if memories of a bucket can meet the conditions."""
        return not self.buckets or bucket in self.buckets


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
