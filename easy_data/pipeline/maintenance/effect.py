"""What one job did in one window, and what a person has taken back from it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from easy_data.pipeline.entity_write import EntityWrite
from easy_data.pipeline.maintenance.windows import Window
from easy_data.schemas.maintenance import Job
from easy_data.stores.repositories import history
from easy_data.stores.repositories.history import Cause

ACTOR = "maintenance"


@dataclass(slots=True)
class Effect:
    """Counts by what was done, and the memories it was done to."""

    counts: dict[str, int] = field(default_factory=dict)
    memory_ids: list[str] = field(default_factory=list)

    def add(self, what: str, *memory_ids: str, number: int | None = None) -> None:
        """Note that something was done to memories; ``number`` when it counts other than by them."""
        self.counts[what] = self.counts.get(what, 0) + (len(memory_ids) if number is None else number)
        self.memory_ids += [memory_id for memory_id in memory_ids if memory_id not in self.memory_ids]


def cause_of(job: Job, window: Window, **ids: str) -> Cause:
    """Return the cause that a job's revisions carry."""
    return Cause(job.value, ACTOR, {"window": window.name, **ids})


def taken_back(write: EntityWrite, memory_ids: Collection[str]) -> set[str]:
    """Return those memories whose last change is an undo: what a person has put back, no job changes again."""
    found = history.of_memories(write.connection, write.scope, memory_ids)
    return {memory_id for memory_id, revisions in found.items() if revisions[-1].action == "undo"}
