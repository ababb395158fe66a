"""Messages from anywhere made uniform."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from easy_data.pipeline.normalise import clean_text, normalise, read_instant
from easy_data.schemas.conversation import Message

BERLIN = ZoneInfo("Europe/Berlin")


def one(raw: object) -> tuple[Message, dict[str, int]]:
    (message,), notes = normalise([raw], BERLIN)
    return message, notes


@pytest.mark.parametrize(
    ("role", "expected"),
    [("user", "user"), ("User ", "user"), ("human", "user"), ("AI", "assistant"), ("function", "tool"), ("x", "other")],
)
def test_roles_are_known_by_their_usual_names(role: str, expected: str) -> None:
    assert one({"role": role, "content": "hi"})[0].role == expected


def test_a_role_nobody_knows_is_never_a_user() -> None:
    for role in (None, "", 7, ["user"], "users"):
        message, notes = one({"role": role, "content": "I live in Oslo."})
        assert (message.role, notes) == ("other", {"unknown_role": 1})


def test_objects_with_attributes_are_messages_too() -> None:
    message, notes = one(SimpleNamespace(role="user", content="hi", name="ann"))
    assert (message.role, message.content, message.name, notes) == ("user", "hi", "ann", {})


def test_text_stays_in_one_piece_and_marks_stand_behind_it() -> None:
    parts: list[Any] = [{"type": "image_url"}, {"type": "text", "text": "a"}, {"type": "input_audio"}, "b"]
    message, notes = one({"role": "user", "content": parts})
    assert (message.content, notes) == ("a b [image] [audio]", {"part_replaced": 2})


def test_a_turn_that_only_calls_tools_says_so() -> None:
    assert one({"role": "assistant", "tool_calls": [{}]})[0].content == "[tool_calls]"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\x00b\x07", "ab"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("\u202eabc\u202c", "abc"),
        ("\ud83d\ude00", "😀"),
        ("\ud83d!", "\ufffd!"),
        ("cafe\u0301", "café"),
        ("אני\u200f", "אני"),
    ],
)
def test_text_is_cleaned(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-07-01T10:00:00", "2026-07-01T08:00:00+00:00"),
        ("2026-07-01T10:00:00Z", "2026-07-01T10:00:00+00:00"),
        (datetime(2026, 1, 1, 1, 0), "2026-01-01T00:00:00+00:00"),  # noqa: DTZ001 - naive on purpose
        (datetime(2026, 1, 1, 1, 0, tzinfo=UTC), "2026-01-01T01:00:00+00:00"),
        (1782892800, "2026-07-01T08:00:00+00:00"),
        (1782892800000, "2026-07-01T08:00:00+00:00"),
        ("1782892800", "2026-07-01T08:00:00+00:00"),
        # skipped by the change to summer time: read with the offset before it; twice in autumn: the first of the two
        ("2026-03-29T02:30:00", "2026-03-29T01:30:00+00:00"),
        ("2026-10-25T02:30:00", "2026-10-25T00:30:00+00:00"),
    ],
)
def test_instants_are_read_in_every_form(value: object, expected: str) -> None:
    found = read_instant(value, BERLIN)
    assert found is not None
    assert found.isoformat() == expected


@pytest.mark.parametrize("value", [None, True, "", "soon", float("nan"), float("inf"), 1e300, "2026-02-30", [], {}])
def test_what_is_no_instant_is_none(value: object) -> None:
    assert read_instant(value, BERLIN) is None
