"""What passes between the steps of the write path: candidates, decisions, plans and fates."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from easy_data.schemas.records import Bucket, Polarity


class Certainty(StrEnum):
    """How the user said it; each has its starting confidence (see ``pipeline.policy``)."""

    STATED = "stated"
    HEDGED = "hedged"
    INFERRED = "inferred"
    CONFIRMED = "confirmed"
    WEAK = "weak"


class Change(StrEnum):
    """What the wording says about an earlier value."""

    NONE = "none"
    CHANGED = "changed"
    ENDED = "ended"
    PAST = "past"


class Candidate(BaseModel):
    """One thing extraction proposes to remember.

    ``quote`` must occur in the message at ``turn`` (0-based index into the normalised messages). For ``profile``,
    ``attr_name``, ``value`` and ``polarity`` are set; for ``event``, ``event_type``, ``summary`` and ``happened_at``
    (aware; None: when it was said); for ``workspace``, ``task_id`` (a short stable name of the task), ``summary`` and
    ``state`` (``steps``, ``done``, ``next``) and ``closed``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bucket: Bucket
    quote: str
    turn: int = Field(ge=0)
    certainty: Certainty = Certainty.STATED
    extractor: str = "patterns"
    # profile
    attr_name: str = ""
    value: str = ""
    polarity: Polarity = Polarity.POSITIVE
    change: Change = Change.NONE
    replaces: str = ""
    # event
    event_type: str = ""
    summary: str = ""
    happened_at: datetime | None = None
    happened_until: datetime | None = None
    time_phrase: str = ""
    payload: dict[str, Any] = Field(default_factory=dict)
    # workspace
    task_id: str = ""
    state: dict[str, Any] = Field(default_factory=dict)
    closed: bool = False
    # an answer of the user to a question that was waiting: the review item, and if the answer was no
    answers_review: str = ""
    denied: bool = False
    # signals of the guards: reasons to hold this back ("instruction", "link", "payee", "access", "quoted", ...);
    # "disputed" alone: two readers understood the same words differently
    flags: tuple[str, ...] = ()
    # two readers, independent of each other, found the same
    agreed: bool = False
    # set by a model: ids of memories it says this concerns; checked against what was offered
    target_ids: tuple[str, ...] = ()
    confidence: float | None = Field(default=None, ge=0, le=1)


class Fate(StrEnum):
    """How a candidate ended."""

    WRITTEN = "written"
    MERGED = "merged"
    QUEUED = "queued"
    EVENT_ONLY = "event_only"
    HISTORY = "history"
    REJECTED = "rejected"


class RejectReason(StrEnum):
    """Why a candidate was rejected."""

    NOISE = "noise"
    BELOW_THRESHOLD = "below_threshold"
    NOT_IN_REGISTRY = "not_in_registry"
    NO_EVIDENCE = "no_evidence"
    NOT_USER = "not_user"
    SECRET = "secret"  # noqa: S105 - the name of a reason, not a credential
    RECALLED_TEXT = "recalled_text"
    TOMBSTONE = "tombstone"
    TOO_LONG = "too_long"
    SENSITIVE = "sensitive"
    NOT_ASSERTED = "not_asserted"


class ReviewReason(StrEnum):
    """Why a change waits for a person."""

    UNCERTAIN = "uncertain"
    OVERWRITE = "overwrite"
    CONFLICT = "conflict"
    INSTRUCTION = "instruction"
    TIE = "tie"
    DISPUTED = "disputed"
    UNKNOWN_TARGET = "unknown_target"
    LINK = "link"
    PAYMENT = "payment"
    ACCESS = "access"
    FLOOD = "flood"


# Reasons for which the user is not asked: what poisons a memory may have come from the very same conversation.
FOR_REVIEWERS: tuple[ReviewReason, ...] = (
    ReviewReason.INSTRUCTION,
    ReviewReason.LINK,
    ReviewReason.PAYMENT,
    ReviewReason.ACCESS,
    ReviewReason.FLOOD,
)


Verdict = Literal["accept", "review", "event_only", "reject"]


class Classified(BaseModel):
    """A candidate with the verdict of policy, before anything stored was looked at."""

    model_config = ConfigDict(frozen=True)

    candidate: Candidate
    verdict: Verdict
    confidence: float
    reason: str = ""


class Relation(StrEnum):
    """What dedupe may say of a candidate and a stored memory. Deletion is not among them."""

    NEW = "new"
    SAME = "same"
    REFINES = "refines"
    CONTRADICTS = "contradicts"


class Plan(BaseModel):
    """What dedupe found for one candidate: memories it may repeat or contradict, at one entity version."""

    model_config = ConfigDict(frozen=True)

    nominees: tuple[str, ...] = ()
    entity_version: int = 0


class CandidateFate(BaseModel):
    """The end of one candidate, as a receipt and ``explain`` show it."""

    model_config = ConfigDict(frozen=True)

    candidate_id: str
    bucket: Bucket
    what: str
    quote: str
    turn: int
    fate: Fate
    reason: str = ""
    confidence: float = 0.0
    memory_id: str | None = None
    review_id: str | None = None
