from __future__ import annotations

import io
import json
from typing import Any

import pytest

from easy_data.cli.conversation_file import Entry, read_conversations

MESSAGES = [{"role": "user", "content": "我住在杭州"}]


def read(text: str | bytes, *, entity: str | None = None) -> list[Entry]:
    raw = text.encode() if isinstance(text, str) else text
    return list(read_conversations(io.BytesIO(raw), entity=entity, passed=lambda _: None))


def line(**fields: Any) -> str:
    return json.dumps({"entity_id": "u", "messages": MESSAGES} | fields, ensure_ascii=False) + "\n"


def test_each_line_is_a_conversation_and_blank_lines_are_none() -> None:
    entries = read(line(conversation_id="a") + "\n  \n" + line(conversation_id="b"))
    assert [(e.number, e.fields["conversation_id"], e.problem) for e in entries] == [(1, "a", ""), (4, "b", "")]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_is_read_item_by_item(indent: int | None) -> None:
    items = [{"entity_id": "u", "messages": MESSAGES, "conversation_id": name} for name in "ab"]
    entries = read(json.dumps(items, indent=indent))
    assert [e.fields["conversation_id"] for e in entries] == ["a", "b"]


def test_one_object_over_several_lines_is_one_conversation() -> None:
    (entry,) = read(json.dumps({"entity_id": "u", "messages": MESSAGES}, indent=2))
    assert entry.fields["messages"] == MESSAGES


def test_a_byte_order_mark_and_windows_line_ends_are_no_problem() -> None:
    entries = read(b"\xef\xbb\xbf" + line().encode().replace(b"\n", b"\r\n") * 2)
    assert [e.problem for e in entries] == ["", ""]


def test_other_names_of_the_fields_are_understood() -> None:
    (entry,) = read(json.dumps({"user_id": "u", "messages": MESSAGES, "timezone": "Asia/Shanghai"}))
    assert (entry.fields["entity_id"], entry.fields["time_zone"]) == ("u", "Asia/Shanghai")


def test_chat_lines_without_a_user_belong_to_the_given_entity() -> None:
    (entry,) = read(json.dumps({"messages": MESSAGES}), entity="me")
    assert entry.fields["entity_id"] == "me"


def test_a_conversation_without_id_gets_the_same_one_wherever_it_stands() -> None:
    first, second = read(line()), read(line(conversation_id="x") + line())
    assert first[0].fields["conversation_id"] == second[1].fields["conversation_id"]


def test_another_body_or_entity_gets_another_id() -> None:
    entries = read(line() + line(entity_id="v") + line(messages=[{"role": "user", "content": "?"}]))
    assert len({e.fields["conversation_id"] for e in entries}) == 3


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "JSON"),
        ("{\n", "JSON"),
        ("[1, 2", "JSON"),
        ("nonsense\n", "JSON"),
        (b"\xff\xfe\n", "JSON"),
        ("[" * 100_000 + "\n", "JSON"),
        ("3\n", "object"),
        (line(messages=None), "messages"),
        (line(messages="hi"), "messages"),
        (line(entity_id=None), "entity_id"),
        (line(entity_id=7), "entity_id"),
        (line(conversation_id=["c"]), "conversation_id"),
        (line(timezone=8), "timezone"),
        (line(language="fr"), "language"),
        (line(ended_at={}), "ended_at"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_reason(bad: str | bytes, reason: str) -> None:
    (entry,) = read(bad)
    assert entry.number == 1
    assert reason in entry.problem


def test_a_bad_line_does_not_hide_the_next_and_its_text_is_not_quoted() -> None:
    bad, good = read('{"secret words": \n' + line())
    assert "secret" not in bad.problem
    assert good.problem == ""
