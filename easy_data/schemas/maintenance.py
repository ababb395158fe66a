"""What maintenance did, or on a dry run would do."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Job(StrEnum):
    """The jobs that run once for each local day (roll, merge) or local month (archive) of an entity."""

    ROLL = "roll"
    MERGE = "merge"
    ARCHIVE = "archive"


class WindowRun(BaseModel):
    """One job over one local day or month of one entity.

    ``window`` is the day (2026-05-01) or month (2026-05) in the entity's zone, ``window_start`` its first instant and
    ``window_end`` the first instant after it. ``counts`` says what changed, ``memory_ids`` which memories.
    """

    model_config = ConfigDict(frozen=True)

    entity_id: str
    job: Job
    window: str
    window_start: AwareDatetime
    window_end: AwareDatetime
    counts: dict[str, int] = Field(default_factory=dict)
    memory_ids: list[str] = Field(default_factory=list)


class MaintenanceReport(BaseModel):
    """One call of maintenance: the windows in which anything changed, how many were run, and what was purged."""

    model_config = ConfigDict(frozen=True)

    at: AwareDatetime
    dry_run: bool = False
    windows: int = 0
    runs: list[WindowRun] = Field(default_factory=list)
    purged: dict[str, int] = Field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """What changed, over all windows."""
        total: Counter[str] = Counter()
        for run in self.runs:
            total.update(run.counts)
        return dict(total)
