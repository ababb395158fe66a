"""What a publisher and a worker tell each other of one published conversation."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from easy_data.schemas.errors import ConversationTooLarge, InputError

# What surrounds the text of a conversation: names, times and ids of messages.
_AROUND = 4


class PublishState(StrEnum):
    """Where a published conversation is, as far as its publisher knows."""

    KEPT = "kept"
    SENT = "sent"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class Publication(BaseModel):
    """One published conversation. ``kept``: in the journal alone; ``sent``: at the broker, without a receipt yet.

    ``accepted``: in SQL, under ``receipt_id``; ``refused``: intake cannot use it, for ``reason``.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    entity_id: str
    conversation_id: str
    state: PublishState
    published_at: AwareDatetime
    attempts: int = 0
    receipt_id: str | None = None
    duplicate: bool = False
    reason: str = ""


class SubmissionReceipt(BaseModel):
    """What a worker says of a submission: accepted under ``receipt_id``, or refused for ``reason``. No text."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    receipt_id: str | None = None
    duplicate: bool = False
    reason: str = ""


def packed(fields: dict[str, Any], *, limit: int) -> str:
    """Return the fields of a conversation as one ASCII word, so that no log or monitor shows what was said.

    Raises ``ConversationTooLarge`` for more than ``limit`` characters of JSON, and ``TypeError`` or ``ValueError`` for
    what JSON cannot carry.
    """
    text = json.dumps(fields)
    if len(text) > limit:
        raise ConversationTooLarge(
            f"{len(text):,} characters of JSON, a message carries {limit:,}; send it in parts or raise max_bytes",
            field="messages",
        )
    return base64.b64encode(zlib.compress(text.encode("ascii"))).decode("ascii")


def unpacked(body: str, *, limit: int) -> dict[str, Any]:
    """Return the fields again. ``limit`` is the most text intake accepts, in bytes; nothing is unpacked far beyond it.

    Raises ``InputError`` for what ``packed`` did not make, and ``ConversationTooLarge``.
    """
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(base64.b64decode(body, validate=True), _AROUND * limit)
        if reader.unconsumed_tail:
            raise ConversationTooLarge("it is far larger than intake accepts; send it in parts", field="messages")
        fields = json.loads(text) if reader.eof and not reader.unused_data else None
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("it is no packed conversation", field="body") from None
    if not isinstance(fields, dict):
        raise InputError("it is no packed conversation", field="body")
    return fields
