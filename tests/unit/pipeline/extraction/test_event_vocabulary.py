"""Every example and counter-example in the event files."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from easy_data.pipeline.extraction.event_vocabulary import load_vocabulary
from easy_data.pipeline.extraction.events import find_events
from easy_data.pipeline.extraction.judging import judge_dialogue
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.records import Language


def types_in(text: str, language: Language) -> set[str]:
    """Return the types of the events in one message said on 14 April 2026."""
    conversation = Conversation(
        tenant_id="t",
        entity_id="e",
        source="s",
        conversation_id="c",
        messages=(Message(role="user", content=text),),
        ended_at=datetime(2026, 4, 14, 21, 2, tzinfo=ZoneInfo("Asia/Shanghai")),
        time_zone="Asia/Shanghai",
        language=language,
    )
    return {event.event_type for event in find_events(conversation, judge_dialogue(conversation))}


def cases(kind: str) -> list[tuple[Language, str, str]]:
    """Return (language, type, text) of every example or counter-example."""
    languages: tuple[Language, ...] = ("zh", "en")
    return [
        (language, trigger.spec.type, text)
        for language in languages
        for trigger in load_vocabulary(language).triggers
        for text in getattr(trigger.spec, kind)
    ]


@pytest.mark.parametrize(("language", "event_type", "text"), cases("examples"))
def test_an_example_gives_an_event_of_its_type(language: Language, event_type: str, text: str) -> None:
    assert event_type in types_in(text, language)


@pytest.mark.parametrize(("language", "event_type", "text"), cases("counter"))
def test_a_counter_example_gives_none_of_that_type(language: Language, event_type: str, text: str) -> None:
    assert event_type not in types_in(text, language)
