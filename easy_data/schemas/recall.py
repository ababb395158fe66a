"""What recall is asked and what it returns."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from easy_data.schemas.records import Bucket, Language, MemoryRecord, Polarity, Status
from easy_data.schemas.review import ReviewItem

RouteName = Literal["profile", "events", "workspace", "turns"]
ServedFrom = Literal["hot", "full", "sql", "empty"]

MAX_TOP_K = 100


class RecallRequest(BaseModel):
    """One recall. ``top_k`` is clamped to 0..100. ``since`` and ``until`` are aware and half-open."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity_id: str
    query: str = ""
    top_k: int = 5
    buckets: tuple[Bucket, ...] = ()
    event_types: tuple[str, ...] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class Intent(BaseModel):
    """What rules read out of a query: attributes and buckets it asks for, a time range, and the words that say so."""

    model_config = ConfigDict(frozen=True)

    language: Language = "en"
    attributes: tuple[str, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    asks_task: bool = False
    asks_past: bool = False
    asks_recent: bool = False


class Share(BaseModel):
    """How much one feature added to a hit's score."""

    model_config = ConfigDict(frozen=True)

    feature: str
    value: float
    points: float


class MemoryHit(BaseModel):
    """One recalled memory with its score, where it came from and, for ``--explain``, each feature's share."""

    model_config = ConfigDict(frozen=True)

    id: str
    bucket: Bucket
    text: str
    record: MemoryRecord
    score: float
    route: RouteName
    shares: tuple[Share, ...] = ()
    conflict_with: str | None = None
    status: Status = Status.ACTIVE
    polarity: Polarity = Polarity.POSITIVE


class Context(BaseModel):
    """What recall returns for the prompt. ``text`` is the labelled block; empty when there is nothing to say.

    ``degraded`` names what was not available ("index", "embedding"); empty in a healthy call. ``served_from`` tells
    the path taken; ``took_ms`` is wall time.
    """

    model_config = ConfigDict(frozen=True)

    entity_id: str
    language: Language
    text: str = ""
    summary: str = ""
    memories: tuple[MemoryHit, ...] = ()
    open_tasks: tuple[MemoryHit, ...] = ()
    questions: tuple[ReviewItem, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    intent: Intent = Field(default_factory=Intent)
    served_from: ServedFrom = "empty"
    degraded: tuple[str, ...] = ()
    took_ms: float = 0.0
    recall_id: str = ""

    def __str__(self) -> str:
        return self.text
