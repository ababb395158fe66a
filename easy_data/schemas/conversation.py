"""What an agent hands over when a dialogue ends, after intake made it uniform."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from easy_data.schemas.records import Language

# What stands for a part that is no text: "[image]".
_MARK = re.compile(r"\[[a-z_]+\]")

Role = Literal["user", "assistant", "system", "developer", "tool", "other"]


class Message(BaseModel):
    """One turn. ``content`` is plain text: parts are joined, other parts are typed placeholders such as ``[image]``.

    ``said_at`` is aware UTC or None (then the conversation's end stands in).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Role
    content: str
    name: str = ""
    said_at: AwareDatetime | None = None


class Conversation(BaseModel):
    """A finished dialogue, normalised. ``notes`` counts what normalising changed (``nul_dropped``: 1, ...)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant_id: str
    entity_id: str
    source: str
    conversation_id: str
    revision: int = 1
    messages: tuple[Message, ...]
    ended_at: AwareDatetime
    time_zone: str
    language: Language
    notes: dict[str, int] = Field(default_factory=dict)

    def has_user_text(self) -> bool:
        """Tell if a user said anything with a letter, a digit or an ideograph in it."""
        said = (_MARK.sub("", m.content) for m in self.messages if m.role == "user")
        return any(any(c.isalnum() for c in text) for text in said)


class ConversationInput(BaseModel):
    """What ``end_conversation`` and ``ingest`` accept, before normalising."""

    model_config = ConfigDict(extra="forbid")

    entity_id: str
    messages: list[Any]
    conversation_id: str | None = None
    source: str = "default"
    ended_at: datetime | str | float | None = None
    time_zone: str | None = None
    language: Language | None = None
    revise: bool = False
