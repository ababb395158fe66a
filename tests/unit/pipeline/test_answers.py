"""Which words of the user answer a question that waits, and which questions of the assistant ask it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.pipeline.answers import read_answers
from easy_data.pipeline.asking import asks_for
from easy_data.schemas.candidates import ReviewReason
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry
from easy_data.schemas.review import ReviewItem, ReviewStatus

REGISTRY = Registry()
NOW = datetime(2026, 5, 1, tzinfo=UTC)
QUESTION = 'You told me earlier that your location is "Oslo"; later you mentioned "Berlin". Is it "Berlin" now?'


def waiting(new: str = "Berlin", old: str = "Oslo", question: str = QUESTION) -> ReviewItem:
    return ReviewItem(
        id="1",
        entity_id="ann",
        bucket=Bucket.PROFILE,
        reason=ReviewReason.OVERWRITE,
        status=ReviewStatus.OPEN,
        attr_name="location",
        proposed={"attr_value": new},
        current={"attr_value": old},
        question=question,
        created_at=NOW,
    )


def answer(reply: str) -> str:
    messages = (Message(role="assistant", content=QUESTION), Message(role="user", content=reply))
    talk = Conversation(
        tenant_id="t",
        entity_id="ann",
        source="s",
        conversation_id="c",
        messages=messages,
        ended_at=NOW,
        time_zone="UTC",
        language="en",
    )
    found = read_answers(talk, [waiting()], [], REGISTRY)
    return "open" if not found else "no" if found[0].denied else "yes"


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        "Do you live in Berlin now?",
        "Is it Berlin now?",
        "Have you moved to Berlin?",
        "So you moved from Oslo to Berlin?",
    ],
)
def test_a_question_about_the_user_and_the_value_asks_for_it(text: str) -> None:
    assert asks_for(text, waiting(), REGISTRY)


@pytest.mark.parametrize("text", ["您现在住在柏林吗？", "你搬到柏林了吗？", "现在是柏林吗？"])
def test_the_same_in_chinese(text: str) -> None:
    assert asks_for(text, waiting("柏林", "奥斯陆", "?"), REGISTRY)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Want me to book a hotel in Berlin?", "Berlin"),
        ("Is Berlin nice in May?", "Berlin"),
        ("You live in Berlin.", "Berlin"),
        ("需要我帮你订柏林的酒店吗？", "柏林"),
        ("柏林好玩吗？", "柏林"),
    ],
)
def test_a_question_that_only_names_the_value_does_not_ask_for_it(text: str, value: str) -> None:
    assert not asks_for(text, waiting(value), REGISTRY)


@pytest.mark.parametrize("reply", ["Yes", "Yes please", "Yep, Berlin", "是的", "对，没错", "No doubt about it, Berlin"])
def test_a_plain_yes_settles_it(reply: str) -> None:
    assert answer(reply) == "yes"


@pytest.mark.parametrize("reply", ["No", "no, still Oslo", "不是", "不是，还在奥斯陆"])
def test_a_plain_no_settles_it_too(reply: str) -> None:
    assert answer(reply) == "no"


@pytest.mark.parametrize(
    "reply",
    [
        "Right?? No, never",
        "Sure, if you say so, but I am not",
        "yes, and no",
        "Right, let's talk about something else",
        "Yes I used to be",
        "Okay, whatever.",
        "好吧，随便",
        "是，但那是以前",
    ],
)
def test_a_yes_that_is_taken_back_leaves_the_question_open(reply: str) -> None:
    assert answer(reply) == "open"
