"""Attributes of an application are read by the patterns it gives them, behind the same guards as the built-in ones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.schemas.candidates import Certainty
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.errors import SettingsError
from easy_data.schemas.registry import Attribute, Registry

SEAT = Attribute(
    name="seat",
    type="travel",
    cardinality="one",
    patterns={
        "en": (r"\bi (?:like|prefer|want) (?:an?|the) (?P<value>aisle|window)(?: seat)?\b",),
        "zh": (r"坐(?P<value>靠窗|靠过道)", r"从(?P<value>{city})飞"),
    },
)


def found(*said: str, attribute: Attribute = SEAT) -> list[tuple[str, Certainty]]:
    conversation = Conversation(
        tenant_id="t",
        entity_id="ann",
        source="chat",
        conversation_id="c",
        messages=tuple(Message(role="user", content=text) for text in said),
        ended_at=datetime(2026, 3, 1, tzinfo=UTC),
        time_zone="UTC",
        language="en",
    )
    candidates = PatternExtractor(Registry([attribute])).extract(conversation).candidates
    return [(c.value, c.certainty) for c in candidates if c.attr_name == attribute.name]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("I prefer the window seat.", "window"),
        ("By the way, I like an aisle seat", "aisle"),
        ("我坐飞机都坐靠窗的位置", "靠窗"),
        ("我一般从上海飞", "上海"),
    ],
)
def test_a_pattern_of_the_application_finds_its_value(said: str, value: str) -> None:
    assert found(said) == [(value, Certainty.STATED)]


@pytest.mark.parametrize(
    "said",
    [
        "Do I want the window seat?",
        "If it were free I want the aisle",
        "I want the window seat, just kidding",
        'My boss wrote: "I prefer the window seat."',
        "如果晕机我就坐靠过道",
        "要不要坐靠窗？",
        "我同事坐靠窗",
    ],
)
def test_the_guards_hold_for_it(said: str) -> None:
    assert not found(said)


def test_the_built_in_patterns_read_on() -> None:
    attribute = Attribute(name="seat", type="travel", patterns={"en": (r"\bseat (?P<value>\d+[a-f])\b",)})
    conversation = ("I live in Oslo, and mine is seat 12a.",)
    assert [value for value, _ in found(*conversation, attribute=attribute)] == ["12a"]
    location = attribute.model_copy(update={"name": "location", "patterns": {}})
    assert [value for value, _ in found(*conversation, attribute=location)] == ["Oslo"]


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        (r"seat (?P<value>", "is no regular expression"),
        (r"seat (\d+)", r"\(\?P<value>...\)"),
        (r"from (?P<value>{planet})", "names a word list that does not exist"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_when_the_reader_is_made(expression: str, told: str) -> None:
    attribute = Attribute(name="seat", type="travel", patterns={"en": (expression,)})
    with pytest.raises(SettingsError, match=told):
        PatternExtractor(Registry([attribute]))
