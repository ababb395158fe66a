"""The three buckets as callers see them, and the history and evidence behind each memory."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Language = Literal["zh", "en"]


class Bucket(StrEnum):
    """Where a memory lives."""

    PROFILE = "profile"
    EVENT = "event"
    WORKSPACE = "workspace"


class Polarity(IntEnum):
    """If the user is for or against the value: "I can't stand coriander" is negative."""

    POSITIVE = 1
    NEGATIVE = -1


class Status(StrEnum):
    """The life of a memory row. ``active`` and ``conflict`` are recalled; the others are history."""

    ACTIVE = "active"
    CONFLICT = "conflict"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    RETIRED = "retired"


LIVE_STATUSES: tuple[Status, ...] = (Status.ACTIVE, Status.CONFLICT)


class Entity(BaseModel):
    """Whom memories are about. ``version`` grows by one with every change of the entity's memory."""

    model_config = ConfigDict(frozen=True)

    tenant_id: str
    entity_id: str
    kind: Literal["person", "group"] = "person"
    time_zone: str = "UTC"
    language: Language = "en"
    version: int = 0
    erased_epoch: int = 0


class ProfileRecord(BaseModel):
    """An attribute of the entity: ``attr_name`` = ``attr_value``, with a confidence from 0 to 1.

    ``attr_type`` (preference, skill, background, contact, or an application's own) is filled from the registry.
    """

    model_config = ConfigDict(extra="forbid")

    entity_id: str
    attr_name: str
    attr_value: str
    attr_type: str = ""
    polarity: Polarity = Polarity.POSITIVE
    source: str = "direct"
    confidence: float = Field(default=0.9, ge=0, le=1, allow_inf_nan=False)
    updated_at: AwareDatetime | None = None
    id: str = ""
    status: Status = Status.ACTIVE
    conflict_with: str | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    conversation_id: str | None = None
    version: int = 0


class EventRecord(BaseModel):
    """Something that happened: a type, one sentence, a payload, and the instant it happened at (aware)."""

    model_config = ConfigDict(extra="forbid")

    entity_id: str
    event_type: str
    summary: str
    payload: dict[str, Any] = Field(default_factory=dict)
    happened_at: datetime | None = None
    happened_until: datetime | None = None
    time_phrase: str = ""
    conversation_id: str | None = None
    turn: int | None = None
    source: str = "direct"
    confidence: float = Field(default=0.9, ge=0, le=1, allow_inf_nan=False)
    updated_at: AwareDatetime | None = None
    id: str = ""
    status: Status = Status.ACTIVE
    version: int = 0


class WorkspaceRecord(BaseModel):
    """A suspended task: ``task_id`` names it within the entity, ``state`` is what is needed to resume it."""

    model_config = ConfigDict(extra="forbid")

    entity_id: str
    task_id: str
    state: dict[str, Any] = Field(default_factory=dict)
    summary: str = ""
    closed: bool = False
    conversation_id: str | None = None
    source: str = "direct"
    confidence: float = Field(default=0.9, ge=0, le=1, allow_inf_nan=False)
    updated_at: AwareDatetime | None = None
    id: str = ""
    status: Status = Status.ACTIVE
    version: int = 0


MemoryRecord = ProfileRecord | EventRecord | WorkspaceRecord


class Evidence(BaseModel):
    """The words a memory rests on. A memory lives while it has live evidence."""

    model_config = ConfigDict(frozen=True)

    id: str
    memory_id: str
    bucket: Bucket
    conversation_id: str | None
    turn: int | None
    quote: str
    said_at: datetime
    extractor: str
    live: bool = True


class Revision(BaseModel):
    """One row of the append-only history: before, after, cause, actor."""

    model_config = ConfigDict(frozen=True)

    id: str
    memory_id: str
    bucket: Bucket
    entity_version: int
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    cause: dict[str, Any]
    actor: str
    at: datetime
