"""Every pattern proves itself on its own examples and counter-examples."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from easy_data.pipeline.extraction.clauses import fold
from easy_data.pipeline.extraction.judging import judge_dialogue
from easy_data.pipeline.extraction.matching import (
    MAX_CHARS,
    Pattern,
    PatternSpec,
    alternation,
    expand,
    load_patterns,
    worth_trying,
)
from easy_data.pipeline.extraction.profiles import find_profile
from easy_data.schemas.candidates import Candidate, Change
from easy_data.schemas.records import Language
from easy_data.schemas.registry import Registry
from tests.unit.pipeline.extraction.saying import dialogue

REGISTRY = Registry()
PATTERNS = [*load_patterns("zh"), *load_patterns("en")]


def _examples() -> Iterator[object]:
    for pattern in PATTERNS:
        for number, example in enumerate(pattern.spec.examples):
            yield pytest.param(pattern, example, id=f"{pattern.origin}-{number}")


def _counters() -> Iterator[object]:
    for pattern in PATTERNS:
        for number, counter in enumerate(pattern.spec.counter):
            turns = (counter,) if isinstance(counter, str) else counter
            yield pytest.param(pattern, turns, id=f"{pattern.origin}-{number}")


def _found(*turns: str) -> list[Candidate]:
    asked = [f"A: {turn}" for turn in turns[:-1]]
    conversation = dialogue(*asked, turns[-1])
    return find_profile(conversation, judge_dialogue(conversation), REGISTRY)


@pytest.mark.parametrize(("pattern", "example"), list(_examples()))
def test_a_pattern_finds_its_examples(pattern: Pattern, example: tuple[str, ...]) -> None:
    *turns, value = example
    found = [(c.attr_name, c.value, c.polarity) for c in _found(*turns)]
    assert (pattern.spec.attr, value, pattern.spec.polarity) in found


@pytest.mark.parametrize(("pattern", "turns"), list(_counters()))
def test_a_pattern_leaves_its_counter_examples(pattern: Pattern, turns: tuple[str, ...]) -> None:
    spec = pattern.spec
    current = [c for c in _found(*turns) if c.change not in (Change.PAST, Change.ENDED)]
    same = [c for c in current if (c.attr_name, c.polarity, c.certainty) == (spec.attr, spec.polarity, spec.certainty)]
    assert not same


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_attribute_of_the_registry_has_a_pattern(language: str) -> None:
    covered = {p.spec.attr for p in PATTERNS if p.language == language}
    assert {a.name for a in REGISTRY} == covered


def test_every_pattern_names_an_attribute_of_the_registry() -> None:
    assert [p.origin for p in PATTERNS if p.spec.attr not in REGISTRY] == []


def test_no_pattern_repeats_a_group_without_bound() -> None:
    """A group repeated without bound over words that overlap takes exponential time to fail."""
    unbounded = re.compile(r"(?<!\\)\)[*+](?!\+)")
    assert [p.origin for p in PATTERNS if unbounded.search(p.spec.match)] == []


def test_a_word_list_prefers_the_longest_and_whole_latin_words() -> None:
    expression = re.compile(alternation(["R", "Rust", "咖啡", "冰咖啡"]), re.IGNORECASE)
    assert expression.findall("Rust R Rx 冰咖啡 咖啡") == ["Rust", "R", "冰咖啡", "咖啡"]


def test_a_list_that_does_not_exist_is_refused() -> None:
    assert expand("在{city}", {"city": "(?:杭州)"}) == "在(?:杭州)"
    with pytest.raises(KeyError):
        expand("{no_such_list}", {})


def test_a_pattern_without_examples_or_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError):
        PatternSpec(attr="location", match="x", examples=())
    with pytest.raises(ValidationError):
        PatternSpec.model_validate({"attr": "location", "match": "x", "examples": [["x", "x"]], "exmples": []})


def test_a_text_too_long_to_have_been_said_is_not_tried() -> None:
    assert worth_trying("zh", "我住在杭州")
    assert not worth_trying("zh", "我住在杭州" + "啊" * MAX_CHARS)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_pattern_is_skipped_on_a_text_that_it_matches(language: Language) -> None:
    texts = [fold(example[-2]) for p in PATTERNS for example in p.spec.examples]
    patterns = load_patterns(language)
    for text in texts:
        tried = {p.origin for p in worth_trying(language, text)}
        assert {p.origin for p in patterns if p.match.search(text)} <= tried
