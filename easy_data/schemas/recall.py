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
    """One recall. ``top_k`` is clamped to 0..100. ``since`` and ``until`` are aware and half-open.

    ``routes`` and ``buckets`` narrow what is answered with; ``as_of`` (aware) asks for how things stood then;
    ``budget`` is the most tokens, by estimate, that the block may take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity_id: str
    query: str = ""
    top_k: int = 5
    buckets: tuple[Bucket, ...] = ()
    event_types: tuple[str, ...] = ()
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    routes: tuple[RouteName, ...] = ()
    as_of: AwareDatetime | None = None
    budget: int | None = None


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
    """One recalled memory with its score, where it came from and, for ``--explain``, each feature's share.

    ``newer`` is the id of a memory of the same answer that says the same thing at a later time, perhaps otherwise.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    bucket: Bucket
    text: str
    record: MemoryRecord
    score: float
    route: RouteName
    shares: tuple[Share, ...] = ()
    conflict_with: str | None = None
    newer: str | None = None
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
