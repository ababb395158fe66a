from __future__ import annotations

from string import Formatter

import pytest
from pydantic import ValidationError

from easy_data.cli.story import LANGUAGES, QUESTION, Story, load_story
from easy_data.schemas.candidates import Fate, ReviewReason
from easy_data.schemas.records import Bucket, Language


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_names_every_bucket_every_fate_and_every_reason_to_ask(language: Language) -> None:
    story = load_story(language)
    assert story.language == language
    assert set(story.buckets) == set(Bucket)
    assert set(story.fates) == set(Fate)
    assert {ReviewReason.UNCERTAIN, ReviewReason.OVERWRITE, ReviewReason.INSTRUCTION} <= set(story.reasons)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_goes_forward_in_time_and_asks_what_recall_offered(language: Language) -> None:
    story = load_story(language)
    moments = [scene.at for scene in story.scenes]
    assert moments == sorted(moments)
    assert any(QUESTION in turn.assistant for scene in story.scenes for turn in scene.turns)


def test_the_stories_check_the_same_things_in_both_languages() -> None:
    zh, en = ([[check.holds for check in scene.checks] for scene in load_story(name).scenes] for name in LANGUAGES)
    assert zh == en


def test_the_captions_of_both_stories_take_the_same_fields() -> None:
    zh, en = (
        {
            name: [field for _, field, _, _ in Formatter().parse(text) if field]
            for name, text in load_story(n).words.items()
        }
        for n in LANGUAGES
    )
    assert zh == en


def test_an_unknown_key_of_a_story_is_refused() -> None:
    with pytest.raises(ValidationError, match="heading"):
        Story.model_validate(load_story("en").model_dump(by_alias=True) | {"heading": "x"})
