"""Reading takes as much more work as there is more to read, counted in calls: the machine's speed does not matter."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.registry import Registry

SAID = (
    "I live in Oslo and I work as a nurse.",
    "Yesterday I finished the report, number {}.",
    "我不吃香菜，平时用 Python 写代码，第{}次说了。",
    "ok thanks, that is all for number {} today",
)
ANSWER = "Noted. Where do you work?"
EXTRACTOR = PatternExtractor(Registry())


def work(*messages: Message) -> int:
    """Return how many calls, of Python and of C, reading the conversation takes."""
    conversation = Conversation(
        tenant_id="t",
        entity_id="e",
        source="s",
        conversation_id="c",
        messages=messages,
        ended_at=datetime(2026, 4, 14, tzinfo=UTC),
        time_zone="UTC",
        language="en",
    )
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        EXTRACTOR.extract(conversation)
    finally:
        sys.setprofile(None)
    return calls


def dialogue(turns: int) -> tuple[Message, ...]:
    return tuple(
        message
        for i in range(turns)
        for message in (
            Message(role="user", content=SAID[i % len(SAID)].format(i)),
            Message(role="assistant", content=ANSWER),
        )
    )


def test_four_times_as_many_messages_are_about_four_times_the_work() -> None:
    work(*dialogue(8))  # what is compiled once
    assert work(*dialogue(400)) < 5 * work(*dialogue(100))


@pytest.mark.parametrize(
    ("sentence", "size"),
    [
        ("I live in Oslo and my cat is called Miso. ", 20_000),
        ("我住在杭州，养了一只猫。", 20_000),
        ("啊", 250_000),
        ("a", 250_000),
    ],
)
def test_a_message_four_times_as_long_is_about_four_times_the_work(sentence: str, size: int) -> None:
    def said(length: int) -> Message:
        return Message(role="user", content=(sentence * (length // len(sentence) + 1))[:length])

    work(said(1_000))
    assert work(said(4 * size)) < 5 * work(said(size))
