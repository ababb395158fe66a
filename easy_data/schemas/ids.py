"""Identifiers: how a new one is made and which ones from outside are accepted."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from uuid_utils import uuid7

from easy_data.schemas.errors import InputError, NotFound

MAX_ID_CHARS = 200
DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose data: every read and write of the stores names one. Values are checked where they enter."""

    tenant_id: str
    entity_id: str


def new_id() -> str:
    """Return a new UUIDv7 as text: sortable by the time it was made."""
    return str(uuid7())


def checked_name(value: object, *, field: str) -> str:
    """Return ``value`` if it can be an entity, tenant, source, conversation or task id; else raise ``InputError``.

    Any printable text of 1 to 200 characters is accepted and kept as it is, in every store.
    """
    if not isinstance(value, str) or not value.strip():
        raise InputError("must be a non-empty string", field=field)
    if len(value) > MAX_ID_CHARS:
        raise InputError(f"must have at most {MAX_ID_CHARS} characters, this one has {len(value)}", field=field)
    if not value.isprintable() or any("\ud800" <= char <= "\udfff" for char in value):
        raise InputError("must not hold control characters or broken surrogates", field=field)
    return value


def checked_record_id(value: object) -> str:
    """Return ``value`` as canonical UUID text, or raise ``NotFound``: no record has another kind of id."""
    try:
        return str(uuid.UUID(str(value)))
    except ValueError:
        raise NotFound("no record has this id: record ids are UUIDs") from None
