"""What the caller gets back: accepted, and later the fate of every candidate."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from easy_data.schemas.candidates import CandidateFate


class State(StrEnum):
    """Where a conversation stands on the write path."""

    RECEIVED = "received"
    EXTRACTED = "extracted"
    CLASSIFIED = "classified"
    PLANNED = "planned"
    SETTLED = "settled"


class Outcome(StrEnum):
    """How a settled conversation ended."""

    WRITTEN = "written"
    REVIEW = "review"
    EMPTY = "empty"
    DUPLICATE = "duplicate"
    DEAD_LETTER = "dead_letter"
    CANCELLED = "cancelled"


class ReceiptStatus(BaseModel):
    """What SQL says of one accepted conversation now."""

    model_config = ConfigDict(frozen=True)

    receipt_id: str
    tenant_id: str
    entity_id: str
    conversation_id: str
    revision: int
    entity_seq: int
    received_at: datetime
    state: State
    outcome: Outcome | None = None
    reason: str = ""
    attempts: int = 0
    duplicate: bool = False
    notes: dict[str, int] = {}
    unread: tuple[tuple[int, int, str], ...] = ()
    fates: tuple[CandidateFate, ...] = ()

    @property
    def settled(self) -> bool:
        """Tell if nothing more will happen to this conversation."""
        return self.state is State.SETTLED


class ErasureReceipt(BaseModel):
    """What was erased, counted by kind."""

    model_config = ConfigDict(frozen=True)

    entity_id: str
    erased_at: datetime
    counts: dict[str, int]
