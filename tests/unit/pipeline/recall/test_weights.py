from __future__ import annotations

import re

from easy_data.pipeline.recall.weights import WEIGHTS, read_rules
from easy_data.schemas.registry import Registry


def test_every_topic_belongs_to_a_registered_attribute_and_every_attribute_has_topics_in_both_languages() -> None:
    topics = read_rules("topics.toml")
    assert set(topics) == {attribute.name for attribute in Registry()}
    assert all(rules["zh"] and rules["en"] for rules in topics.values())


def test_every_cue_has_its_chinese_twin() -> None:
    for name, rules in read_rules("cues.toml").items():
        assert rules["zh"], name
        assert rules.get("en") or rules.get("words"), name


def test_every_pattern_compiles() -> None:
    for file in ("topics.toml", "cues.toml"):
        for rules in read_rules(file).values():
            for patterns in rules.values():
                for pattern in patterns:
                    re.compile(pattern)


def test_a_named_fact_outweighs_everything_a_turn_can_gain() -> None:
    points = WEIGHTS.points
    most = points.smoothed_keyword + points.keyword + points.conversation
    assert points.named > most * WEIGHTS.scale.keyword + points.speaker + points.number + points.first_person
