"""Short dialogues for tests: strings become turns, "A: ..." is the assistant's."""

from __future__ import annotations

from datetime import UTC, datetime

from easy_data.schemas.conversation import Conversation, Message


def dialogue(*turns: str) -> Conversation:
    """Return a finished conversation of ``turns``."""
    messages = tuple(
        Message(role="assistant", content=turn.removeprefix("A: "))
        if turn.startswith("A: ")
        else Message(role="user", content=turn)
        for turn in turns
    )
    return Conversation(
        tenant_id="default",
        entity_id="user-1",
        source="test",
        conversation_id="c-1",
        messages=messages,
        ended_at=datetime(2026, 3, 2, 12, 0, tzinfo=UTC),
        time_zone="Asia/Shanghai",
        language="zh",
    )
