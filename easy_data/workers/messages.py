"""What a message may hold: ids, each checked, and nothing else. A message starts work, it never describes it.

One is an exception: a published conversation travels whole, packed, because its sender has no other way in.
"""

from __future__ import annotations

from typing import TypeVar

from celery.exceptions import Reject
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from easy_data.schemas.ids import MAX_ID_CHARS
from easy_data.schemas.log import get_logger
from easy_data.workers.process import PROCESS

log = get_logger(__name__)


class Message(BaseModel):
    """Whose work it is."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    tenant_id: str = Field(min_length=1, max_length=MAX_ID_CHARS)


class StageMessage(Message):
    """A step of one conversation."""

    row_id: str = Field(min_length=1, max_length=36)


class SubmitMessage(Message):
    """A published conversation; ``body`` is what ``schemas.publishing.packed`` made of it."""

    submission_id: str = Field(min_length=1, max_length=36)
    body: str = Field(repr=False)


class EntityMessage(Message):
    """Something to do for one entity."""

    entity_id: str = Field(min_length=1, max_length=MAX_ID_CHARS)


Kind = TypeVar("Kind", bound=Message)


def checked(kind: type[Kind], arguments: tuple[object, ...], fields: dict[str, object]) -> Kind:
    """Return the message, or reject one that is not ours: unknown fields, wrong types, another tenant."""
    try:
        message = kind.model_validate(fields)
    except ValidationError:
        raise rejected("its fields are not those of this task") from None
    if arguments:
        raise rejected("it has positional arguments")
    if message.tenant_id != PROCESS.runtime().settings.tenant_id:
        raise rejected("it is another tenant's")
    return message


def rejected(reason: str) -> Reject:
    """Count a message that is not ours and return what drops it."""
    PROCESS.count("rejected")
    log.warning("message.rejected", reason=reason, rejected=PROCESS.counts["rejected"])
    return Reject(reason, requeue=False)
