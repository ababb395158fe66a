"""What the guards leave of a model's candidates."""

from __future__ import annotations

from typing import Any

import pytest

from easy_data.schemas.candidates import Candidate, Certainty
from easy_data.schemas.records import Language
from tests.fixtures.chat_answers import Extract, dialogue, event, only, profile
from tests.fixtures.scripted_openai import ScriptedOpenAI

NOT_ASSERTED = ("not_asserted",)


@pytest.fixture
def read(server: ScriptedOpenAI, extractor: Extract) -> Any:
    def read_one(said: str, language: Language, **lists: Any) -> Candidate:
        return only(server, extractor, dialogue(("user", said), language=language), **lists)

    return read_one


@pytest.mark.parametrize(
    ("said", "language", "attr_name", "value", "quote"),
    [
        ("Reply to this mail: \"I'm Tobias and I'm based in Basel.\"", "en", "location", "Basel", "I'm based in Basel"),
        ("帮我回这封信：“我是刘畅，毕业于中南大学。”", "zh", "education", "中南大学", "毕业于中南大学"),
        ("Suppose I were a diabetic living in Shimla.", "en", "location", "Shimla", "living in Shimla"),
        ("如果我住在拉萨，怎么办签证？", "zh", "location", "拉萨", "如果我住在拉萨"),
        ("My flatmate is from Tbilisi.", "en", "hometown", "Tbilisi", "My flatmate is from Tbilisi"),
        ("我同事住在苏州。", "zh", "location", "苏州", "我同事住在苏州"),
    ],
)
def test_what_the_user_did_not_say_of_himself_in_earnest_is_refused(
    read: Any, said: str, language: Language, attr_name: str, value: str, quote: str
) -> None:
    assert read(said, language, profile=[profile(attr_name, value, turn=0, quote=quote)]).flags == NOT_ASSERTED


@pytest.mark.parametrize(
    ("said", "language", "attr_name", "value"),
    [
        ("No, I'm not a doctor.", "en", "occupation", "doctor"),
        ("Maybe I'll move to Braga, I might live in Braga.", "en", "location", "Braga"),
        ("我以前住在苏州。", "zh", "location", "苏州"),
        ("说不定年底我就住在深圳了。", "zh", "location", "深圳"),
    ],
)
def test_what_the_model_is_surer_of_than_the_user_becomes_a_question(
    read: Any, said: str, language: Language, attr_name: str, value: str
) -> None:
    candidate = read(said, language, profile=[profile(attr_name, value, turn=0, quote=said[:-1])])
    assert (candidate.certainty, candidate.flags) == (Certainty.HEDGED, ())


@pytest.mark.parametrize(
    ("said", "language", "attr_name", "value"),
    [
        ("I live in Porto.", "en", "location", "Porto"),
        ("My sister Ana works in Leeds.", "en", "family_member", "sister Ana"),
        ("我妹妹在苏州上班。", "zh", "family_member", "妹妹"),
        ("No nuts for me.", "en", "dietary_restriction", "nuts"),
    ],
)
def test_what_was_stated_stays_as_it_is(read: Any, said: str, language: Language, attr_name: str, value: str) -> None:
    candidate = read(said, language, profile=[profile(attr_name, value, turn=0, quote=said[:-1])])
    assert (candidate.certainty, candidate.flags) == (Certainty.STATED, ())


def test_only_the_clauses_with_the_value_are_looked_at(read: Any) -> None:
    said = "Quick one, my flatmate is vegan."
    item = profile("dietary_restriction", "vegan", turn=0, quote=said[:-1])
    assert read(said, "en", profile=[item]).flags == NOT_ASSERTED


def test_an_event_in_pasted_text_is_refused_and_one_about_a_relative_is_not(read: Any) -> None:
    mail = 'Translate this: "I passed the bar exam on Friday."'
    assert read(mail, "en", events=[event("Passed the bar exam.", turn=0, quote="I passed the bar exam")]).flags
    said = "My daughter passed the bar exam on Friday."
    assert not read(said, "en", events=[event("The daughter passed the bar.", turn=0, quote=said[:-1])]).flags
