"""What explaining and diagnosing return."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from easy_data.schemas.candidates import CandidateFate
from easy_data.schemas.records import Evidence, MemoryRecord, Revision


class Use(BaseModel):
    """One recall that returned a memory."""

    model_config = ConfigDict(frozen=True)

    recall_id: str
    at: datetime


class Explanation(BaseModel):
    """Why a memory is there and what became of it."""

    model_config = ConfigDict(frozen=True)

    record: MemoryRecord
    evidence: tuple[Evidence, ...]
    revisions: tuple[Revision, ...]
    fates: tuple[CandidateFate, ...]
    uses: tuple[Use, ...]


class Check(BaseModel):
    """One thing the doctor looked at: ``ok``, ``warning`` or ``error``, what was found, and the remedy."""

    model_config = ConfigDict(frozen=True)

    name: str
    state: Literal["ok", "warning", "error"]
    found: str
    remedy: str = ""
