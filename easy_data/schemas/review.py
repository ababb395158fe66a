"""Changes that wait for a person, and the answer."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from easy_data.schemas.candidates import ReviewReason
from easy_data.schemas.records import Bucket


class ReviewStatus(StrEnum):
    """The life of a review item. A decision is never undone by processing something again."""

    OPEN = "open"
    NEEDS_DECISION = "needs_decision"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


PENDING: tuple[ReviewStatus, ...] = (ReviewStatus.OPEN, ReviewStatus.NEEDS_DECISION)
Decision = Literal["approve", "edit", "reject"]


class ReviewItem(BaseModel):
    """One waiting change: what is proposed, what it would replace, and the question an agent can ask the user."""

    model_config = ConfigDict(frozen=True)

    id: str
    entity_id: str
    bucket: Bucket
    reason: ReviewReason
    status: ReviewStatus
    attr_name: str = ""
    proposed: dict[str, Any]
    current: dict[str, Any] | None = None
    target_memory_id: str | None = None
    target_version: int | None = None
    question: str = ""
    quote: str = ""
    conversation_id: str | None = None
    created_at: datetime
    decided_at: datetime | None = None
    decided_by: str = ""
    note: str = ""
