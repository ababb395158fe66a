"""Checks what callers hand over, once, at the door: every finding becomes an ``InputError`` that names the field."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from easy_data.schemas.errors import InputError

Record = TypeVar("Record", bound=BaseModel)

# What every store can hold, in every zone: a day less than the calendar at both of its ends.
EARLIEST, LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
MAX_INTEGER = 2**63 - 1


def checked_model(kind: type[Record], fields: dict[str, Any]) -> Record:
    """Return a ``kind`` made from ``fields``; raise ``InputError`` naming each wrong one. Values are not repeated."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)
        raise InputError("; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)) from None


def checked_limit(value: object, *, field: str = "limit") -> int:
    """Return how many records are wanted at most, a whole number of 0 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError("must be a whole number of 0 or more", field=field)
    return min(value, MAX_INTEGER)


def checked_query(value: object) -> str:
    """Return the text of a search."""
    if not isinstance(value, str):
        raise InputError("must be text", field="query")
    return value


def checked_instant(value: object, *, field: str) -> datetime | None:
    """Return an instant that carries its zone and lies within what every store can hold, or None for None."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InputError("must be a datetime", field=field)
    if value.tzinfo is None:
        raise InputError("must carry a time zone", field=field)
    # Compared before it is converted: at both ends of the calendar a conversion would overflow.
    if not EARLIEST <= value < LATEST:
        raise InputError("must lie between 2 January of the year 1 and 29 December 9999", field=field)
    return value
