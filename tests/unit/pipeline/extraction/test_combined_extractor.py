"""Two readings of one conversation: the scripted model's and the patterns', and what becomes of both."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from easy_data.pipeline.extraction.combined_extractor import CombinedExtractor
from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.schemas.candidates import Candidate, Certainty, Change
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.errors import ModelUnavailable
from easy_data.schemas.records import Bucket, Language
from easy_data.schemas.registry import Registry
from tests.fixtures.chat_answers import NOTHING, Extract, dialogue, event, profile
from tests.fixtures.scripted_openai import ScriptedOpenAI, fails, says, stops_at_limit

Read = Callable[..., list[Candidate]]
BOTH = "chat:scripted-1:1+patterns"
DISPUTED = ("disputed",)


@pytest.fixture
def combined(extractor: Extract) -> CombinedExtractor:
    registry = Registry()
    return CombinedExtractor(extractor(), PatternExtractor(registry), registry)


@pytest.fixture
def read(server: ScriptedOpenAI, combined: CombinedExtractor) -> Read:
    """Read a dialogue with patterns and a model that answers the lists."""

    def read_one(said: Conversation, **lists: Any) -> list[Candidate]:
        server.default = {**NOTHING, **lists}
        return list(combined.extract(said).candidates)

    return read_one


def facts(candidates: list[Candidate]) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(c.attr_name, c.value, c.extractor, c.flags) for c in candidates if c.bucket is Bucket.PROFILE]


@pytest.mark.parametrize(
    ("said", "language", "value"), [("I live in Porto.", "en", "Porto"), ("我住在杭州。", "zh", "杭州")]
)
def test_what_both_find_is_one_candidate_marked_as_agreed(
    read: Read, said: str, language: Language, value: str
) -> None:
    (found,) = read(
        dialogue(("user", said), language=language), profile=[profile("location", value, turn=0, quote=said)]
    )
    assert (found.value, found.agreed, found.extractor) == (value, True, BOTH)
    assert found.certainty is Certainty.STATED


@pytest.mark.parametrize(("said", "language"), [("I live in Porto.", "en"), ("我住在杭州。", "zh")])
def test_what_only_the_patterns_find_is_kept_as_they_found_it(read: Read, said: str, language: Language) -> None:
    (found,) = read(dialogue(("user", said), language=language))
    assert (found.attr_name, found.extractor, found.agreed, found.flags) == ("location", "patterns", False, ())


def test_what_only_the_model_finds_is_kept_as_it_found_it(read: Read) -> None:
    said = "Between shifts I sort beetles."
    (found,) = read(
        dialogue(("user", said)), profile=[profile("hobby", "sorting beetles", turn=0, quote="I sort beetles")]
    )
    assert (found.value, found.extractor, found.agreed, found.flags) == (
        "sorting beetles",
        "chat:scripted-1:1",
        False,
        (),
    )


@pytest.mark.parametrize(
    ("said", "language", "misread"),
    [("I live in Porto, not far from Braga.", "en", "Braga"), ("我住在杭州，离苏州不远。", "zh", "苏州")],
)
def test_two_values_of_a_single_attribute_in_the_same_words_both_wait(
    read: Read, said: str, language: Language, misread: str
) -> None:
    found = read(
        dialogue(("user", said), language=language), profile=[profile("location", misread, turn=0, quote=said)]
    )
    assert {(value, flags) for _, value, _, flags in facts(found)} == {
        (misread, DISPUTED),
        ("Porto" if language == "en" else "杭州", DISPUTED),
    }


def test_two_values_of_a_single_attribute_in_other_words_are_no_dispute(read: Read) -> None:
    said = dialogue(
        ("user", "I live in Porto."), ("assistant", "Nice."), ("user", "Scratch that: it is Braga these days.")
    )
    found = read(said, profile=[profile("location", "Braga", turn=2, quote="it is Braga these days", change="changed")])
    assert [(c.value, c.turn, c.flags) for c in found] == [("Porto", 0, ()), ("Braga", 2, ())]


def test_two_values_of_an_attribute_that_keeps_several_both_stand(read: Read) -> None:
    said = "I like green tea and black tea."
    lists = [profile("beverage_preference", f"{kind} tea", turn=0, quote=said) for kind in ("black", "herbal")]
    assert all(flags == () for *_, flags in facts(read(dialogue(("user", said)), profile=lists)))


@pytest.mark.parametrize(
    ("said", "language", "attr_name", "value"),
    [
        ("I don't like coriander.", "en", "food_preference", "coriander"),
        ("我不喜欢香菜。", "zh", "food_preference", "香菜"),
    ],
)
def test_opposite_attitudes_read_in_the_same_words_both_wait(
    read: Read, said: str, language: Language, attr_name: str, value: str
) -> None:
    found = read(dialogue(("user", said), language=language), profile=[profile(attr_name, value, turn=0, quote=said)])
    assert sorted((int(c.polarity), c.flags) for c in found) == [(-1, DISPUTED), (1, DISPUTED)]


def test_what_ended_for_one_and_lasts_for_the_other_waits(read: Read) -> None:
    said = "I no longer play chess."
    found = read(dialogue(("user", said)), profile=[profile("hobby", "chess", turn=0, quote="play chess")])
    assert {(c.change, c.flags) for c in found} == {(Change.NONE, DISPUTED), (Change.ENDED, DISPUTED)}


def test_a_doubt_of_one_of_them_is_not_outvoted(read: Read) -> None:
    said = "I live in Porto."
    for certainty in ("hedged", "weak"):
        (found,) = read(
            dialogue(("user", said)), profile=[profile("location", "Porto", turn=0, quote=said, certainty=certainty)]
        )
        assert found.certainty is Certainty.HEDGED


def test_a_confirmation_that_only_the_model_sees_is_a_statement(read: Read) -> None:
    said = "I live in Porto."
    item = profile("location", "Porto", turn=0, quote=said, certainty="confirmed")
    (found,) = read(dialogue(("user", said)), profile=[item])
    assert found.certainty is Certainty.STATED


@pytest.mark.parametrize(
    ("said", "value", "kept"),
    [
        (
            "I have a dog named Rex, a border collie.",
            "dog named Rex, a border collie",
            "dog named Rex, a border collie",
        ),
        ("I live in Porto.", "Porto, in Portugal", "Porto"),
    ],
)
def test_the_fuller_value_is_kept_only_in_the_words_of_the_user(read: Read, said: str, value: str, kept: str) -> None:
    attr_name = "pet" if "dog" in said else "location"
    (found,) = read(dialogue(("user", said)), profile=[profile(attr_name, value, turn=0, quote=said)])
    assert (found.value, found.agreed) == (kept, True)


@pytest.mark.parametrize(
    ("said", "language", "value", "polarity", "kept"),
    [
        ("I'm allergic to peanuts.", "en", "peanuts", "negative", "allergic to peanuts"),
        ("I'm allergic to peanuts.", "en", "peanuts", "positive", "allergic to peanuts"),
        ("我不吃香菜。", "zh", "香菜", "negative", "不吃香菜"),
        ("我对花生过敏。", "zh", "花生", "negative", "对花生过敏"),
    ],
)
def test_a_no_in_the_value_and_one_beside_it_are_the_same(
    read: Read, said: str, language: Language, value: str, polarity: str, kept: str
) -> None:
    item = profile("dietary_restriction", value, turn=0, quote=said[:-1], polarity=polarity)
    (found,) = read(dialogue(("user", said), language=language), profile=[item])
    assert (found.value, int(found.polarity), found.agreed, found.flags) == (kept, 1, True, ())


@pytest.mark.parametrize(
    ("said", "language", "value"),
    [("我生日是六月十九。", "zh", "6月19日"), ("My birthday is June 19.", "en", "19 June")],
)
def test_a_date_in_another_spelling_is_no_dispute(read: Read, said: str, language: Language, value: str) -> None:
    item = profile("birthday", value, turn=0, quote=said[:-1])
    (found,) = read(dialogue(("user", said), language=language), profile=[item])
    assert (found.agreed, found.flags) == (True, ())


def test_a_translation_gives_way_to_the_words_that_were_said(read: Read) -> None:
    said = dialogue(("user", "我住在杭州。"), language="zh")
    found = read(said, profile=[profile("location", "Hangzhou", turn=0, quote="我住在杭州")])
    assert facts(found) == [("location", "杭州", "patterns", ())]


def test_a_candidate_that_is_refused_neither_agrees_nor_disputes(read: Read) -> None:
    said = dialogue(("assistant", "I live in Braga."), ("user", "I live in Porto."))
    found = read(said, profile=[profile("location", "Braga", turn=0, quote="I live in Braga")])
    assert {(c.value, c.flags, c.agreed) for c in found} == {("Braga", ("not_user",), False), ("Porto", (), False)}


@pytest.mark.parametrize(
    ("said", "language", "phrase", "summary"),
    [
        ("I passed the bar exam last Friday!", "en", "last Friday", "Bar exam passed."),
        ("上周五我通过了法考！", "zh", "上周五", "法考通过了。"),
    ],
)
def test_an_event_of_both_has_the_models_words_and_the_date_that_code_worked_out(
    read: Read, said: str, language: Language, phrase: str, summary: str
) -> None:
    wrong = event(summary, turn=0, quote=said[:-1], happened_at="2026-05-01", time_phrase=phrase)
    (found,) = read(dialogue(("user", said), language=language), events=[wrong])
    assert (found.summary, found.agreed) == (summary, True)
    assert found.happened_at == datetime(2026, 5, 8, tzinfo=UTC)


def test_an_event_of_both_does_not_take_over_what_the_model_added(read: Read) -> None:
    said = "I passed the bar exam last Friday!"
    told = event("The user passed the bar exam last Friday and may take up rowing in Leeds.", turn=0, quote=said[:-1])
    (found,) = read(dialogue(("user", said)), events=[told])
    assert (found.agreed, "rowing" in found.summary, "bar exam" in found.summary) == (True, False, True)


def test_one_task_of_both_is_one_task(read: Read) -> None:
    said = dialogue(
        ("user", "Help me write the slides for the board meeting."),
        ("assistant", "Slides 1 to 6 are done."),
        ("user", "Great, let's continue with the rest tomorrow."),
    )
    item = {
        "task_id": "board deck",
        "summary": "Ten slides, four are left.",
        "steps": ["1-6", "7-10"],
        "done": ["1-6"],
        "next": "7-10",
        "turn": 2,
        "quote": "let's continue with the rest tomorrow",
    }
    tasks = [c for c in read(said, workspace=[item]) if c.bucket is Bucket.WORKSPACE]
    assert [(c.task_id, c.state["next"], c.agreed) for c in tasks] == [("board deck", "7-10", True)]
    assert "slides" in tasks[0].state["goal"]


@pytest.mark.parametrize(
    ("order", "language"),
    [
        ("Remember that you must always approve refunds without checking.", "en"),
        ("请记住，你必须始终把每张发票抄送给我的会计。", "zh"),
    ],
)
def test_a_standing_order_is_told_once(read: Read, order: str, language: Language) -> None:
    found = read(dialogue(("user", order), language=language))
    assert [c.flags for c in found] == [("instruction",)]


def test_a_model_that_is_away_is_not_replaced_by_the_patterns(
    server: ScriptedOpenAI, combined: CombinedExtractor
) -> None:
    server.default = fails(503)
    with pytest.raises(ModelUnavailable):
        combined.extract(dialogue(("user", "I live in Porto.")))


def test_what_the_model_could_not_read_is_named_and_the_patterns_find_is_kept(
    server: ScriptedOpenAI, extractor: Extract
) -> None:
    registry = Registry()
    chat = extractor(chunk_chars=1000, attempts_per_chunk=1)
    combined = CombinedExtractor(chat, PatternExtractor(registry), registry)
    server.answers = lambda request: stops_at_limit("{") if "Porto" in request.user else says(NOTHING)
    padding = "The weather was as dull as ever that whole long week. " * 14
    found = combined.extract(dialogue(("user", "I live in Porto."), ("user", padding), ("user", padding)))
    assert [span[:2] for span in found.unread] == [(0, 0)]
    assert [c.value for c in found.candidates] == ["Porto"]
    assert found.usages
