"""Reads conversations from JSON lines or a JSON array. What is wrong with one never hides the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO

from easy_data.schemas.errors import InputError

_LANGUAGES = ("zh", "en")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the file, or one item of its array: a conversation's fields, or what is wrong with it."""

    number: int
    fields: dict[str, Any]
    problem: str = ""


def read_conversations(file: BinaryIO, *, entity: str | None, passed: Callable[[int], None]) -> Iterator[Entry]:
    """Yield the conversations in order, numbered from 1 by line or item.

    ``entity`` stands in where a conversation names none. ``passed`` is told the bytes of each part that was read.
    """
    opening = b""
    for number, raw in enumerate(file, start=1):
        line = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
        if line.strip() and not opening:
            opening = line.strip()
            # Only a whole document begins with a bracket or ends its first line after the brace.
            if opening == b"{" or opening.startswith(b"["):
                rest = file.read()
                passed(len(raw) + len(rest))
                yield from _of_document(line + rest, entity)
                return
        passed(len(raw))
        if line.strip():
            yield _entry(number, line, entity)


def _of_document(text: bytes, entity: str | None) -> Iterator[Entry]:
    try:
        document = _parsed(text)
    except InputError as error:
        yield Entry(1, {}, f"the file is {error}")
        return
    for number, item in enumerate(document if isinstance(document, list) else [document], start=1):
        yield _checked(number, item, entity)


def _entry(number: int, line: bytes, entity: str | None) -> Entry:
    try:
        document = _parsed(line)
    except InputError as error:
        return Entry(number, {}, str(error))
    return _checked(number, document, entity)


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        # The message of a decoding error quotes the bytes it could not read.
        why = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise InputError(f"not valid JSON: {why}") from None


def _checked(number: int, document: Any, entity: str | None) -> Entry:
    try:
        return Entry(number, _fields(document, entity))
    except InputError as error:
        return Entry(number, {}, str(error))


def _fields(document: Any, entity: str | None) -> dict[str, Any]:
    """Return the arguments of ``end_conversation``; other keys of the document are left alone."""
    if not isinstance(document, dict):
        raise InputError("must be an object with messages")
    messages = document.get("messages")
    if not isinstance(messages, list):
        raise InputError("must be a list", field="messages")
    whom = document.get("entity_id") or document.get("user_id") or entity
    if not whom:
        raise InputError("is missing; name it in the file or with --entity", field="entity_id")
    for field in ("entity_id", "user_id", "conversation_id", "time_zone", "timezone"):
        if not isinstance(document.get(field), str | None):
            raise InputError("must be text", field=field)
    language = document.get("language")
    if language not in (None, *_LANGUAGES):
        raise InputError(f"must be {' or '.join(_LANGUAGES)}", field="language")
    ended_at = document.get("ended_at")
    if not isinstance(ended_at, str | int | float | datetime | None):
        raise InputError("must be ISO 8601 text or epoch seconds", field="ended_at")
    return {
        "entity_id": whom,
        "messages": messages,
        "conversation_id": document.get("conversation_id") or _stable_id(whom, messages, ended_at),
        "ended_at": ended_at,
        "time_zone": document.get("time_zone") or document.get("timezone"),
        "language": language,
    }


def _stable_id(*content: object) -> str:
    """Return an id that the same conversation gets every time the file is read."""
    text = json.dumps(content, ensure_ascii=True, sort_keys=True)
    return f"content-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
