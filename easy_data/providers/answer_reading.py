"""Reads what a chat model wrote: strictly first, tolerantly second, validated always."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic

import json_repair
from pydantic import ValidationError

from easy_data.schemas.errors import ModelAnswerUnreadable
from easy_data.schemas.ports import Answer

_MOST_REPAIRED_CHARS = 200_000  # repairing is slow; nothing we ask for is as long
_MOST_COMPLAINTS = 8
_THINKING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THINKING_ENDS = re.compile(r"\A(?:(?!<think)[^{])*?</think(?:ing)?>", re.IGNORECASE)  # the template ate the beginning
_FENCED = re.compile(r"```[ \t]*\w*[ \t]*\r?\n(.*?)```", re.DOTALL)
# Lone surrogates cannot be encoded; C0 controls other than tab and line ends are refused by databases.
_UNSTORABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class Reading(Generic[Answer]):
    """An answer that was read. ``repaired``: its JSON was broken; ``replaced``: characters that became U+FFFD."""

    value: Answer
    repaired: bool
    replaced: int


def read_answer(text: str, answer: type[Answer]) -> Reading[Answer]:
    """Return the ``answer`` that ``text`` holds, with or without thoughts, fences and prose around it.

    Raises ``ModelAnswerUnreadable``: its message says what is wrong in words that may be shown to the model and hold
    nothing of the answer; its ``answer`` is the text.
    """
    document, repaired = _document(text)
    if document is None:
        raise ModelAnswerUnreadable("The answer holds no complete JSON object.", answer=text)
    try:
        storable, replaced = _storable(document)
        value = answer.model_validate(storable)
    except ValidationError as error:
        complaint = _complaint(error)
    except RecursionError:
        complaint = "The answer is nested too deeply."
    else:
        return Reading(value=value, repaired=repaired, replaced=replaced)
    raise ModelAnswerUnreadable(complaint, answer=text)


def encodable(text: str) -> str:
    """Return ``text`` with lone surrogates and control characters replaced by U+FFFD, fit to be sent and stored."""
    return _UNSTORABLE.sub("\ufffd", text)


def _document(text: str) -> tuple[dict[str, Any] | None, bool]:
    """Return the first JSON object of ``text`` and if it had to be repaired."""
    for candidate in _candidates(text):
        document = _parsed(candidate)
        if document is not None:
            return document, False
    for candidate in _candidates(text):
        # More opened than closed: the answer was cut, and closing it would silently lose the rest.
        if len(candidate) > _MOST_REPAIRED_CHARS or candidate.count("{") > candidate.count("}"):
            continue
        document = _repaired(candidate)
        if document:
            return document, True
    return None, False


def _candidates(text: str) -> Iterator[str]:
    """Yield the stretches of ``text`` that may be the JSON, the most faithful first."""
    whole = text.strip().strip("\ufeff").strip()
    yield whole
    said = _THINKING.sub("", whole)
    said = _THINKING_ENDS.sub("", said) if said == whole else said
    for fenced in _FENCED.finditer(said):
        yield fenced.group(1).strip()
    begin, end = said.find("{"), said.rfind("}")
    if begin >= 0:
        # What follows the last brace stays when it is no prose, so that a cut answer is seen to be cut.
        yield said[begin : end + 1] if said.count("{") <= said.count("}") else said[begin:]


def _parsed(candidate: str) -> dict[str, Any] | None:
    try:
        document = json.loads(candidate)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _repaired(candidate: str) -> dict[str, Any] | None:
    if not candidate.startswith("{"):
        return None
    try:
        document = json_repair.loads(candidate, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _storable(node: object) -> tuple[object, int]:
    """Return ``node`` with every unstorable character replaced, and how many there were."""
    if isinstance(node, str):
        return _UNSTORABLE.subn("\ufffd", node)
    if isinstance(node, list):
        items = [_storable(item) for item in node]
        return [item for item, _ in items], sum(count for _, count in items)
    if isinstance(node, dict):
        fields = {_UNSTORABLE.sub("\ufffd", key): _storable(value) for key, value in node.items()}
        return {key: value for key, (value, _) in fields.items()}, sum(count for _, count in fields.values())
    return node, 0


def _complaint(error: ValidationError) -> str:
    """Say where and what is wrong without the values, which are conversation text."""
    places = [
        f"{'.'.join(str(part) for part in detail['loc'])}: {detail['msg']}"
        for detail in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    more = f"; and {len(places) - _MOST_COMPLAINTS} more" if len(places) > _MOST_COMPLAINTS else ""
    return "The answer does not match the schema: " + "; ".join(places[:_MOST_COMPLAINTS]) + more
