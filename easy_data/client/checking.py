"""Checks what callers hand over: pydantic's findings become one ``InputError``."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from easy_data.schemas.errors import InputError

Record = TypeVar("Record", bound=BaseModel)


def checked_model(kind: type[Record], fields: dict[str, Any]) -> Record:
    """Return a ``kind`` made from ``fields``; raise ``InputError`` naming each wrong one. Values are not repeated."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)
        raise InputError("; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)) from None
