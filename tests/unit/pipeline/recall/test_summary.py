from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.pipeline.recall.intents import read_query
from easy_data.pipeline.recall.summary import HotSummary
from easy_data.schemas.records import Entity, ProfileRecord
from easy_data.schemas.registry import Registry

NOW = datetime(2026, 5, 11, 2, tzinfo=UTC)
ENTITY = Entity(tenant_id="t", entity_id="e")
REGISTRY = Registry()


def summary(*facts: tuple[str, str], partial: tuple[str, ...] = (), only_facts: bool = False) -> HotSummary:
    held: dict[str, list[dict[str, object]]] = {}
    for name, value in facts:
        record = ProfileRecord(entity_id="e", attr_name=name, attr_value=value)
        held.setdefault(name, []).append(record.model_dump(mode="json"))
    return HotSummary(1, "", held, frozenset(partial), only_facts)


def answers(found: HotSummary, query: str, top_k: int = 5) -> bool:
    return found.answers(read_query(query, ENTITY, REGISTRY, NOW), REGISTRY, top_k)


@pytest.mark.parametrize("query", ["where do I live?", "我住在哪"])
def test_one_value_that_is_all_there_is_answers_alone(query: str) -> None:
    assert answers(summary(("location", "Oslo")), query)


def test_facts_that_fill_what_was_asked_for_answer_alone() -> None:
    liked = summary(*(("hobby", f"hobby {n}") for n in range(5)))
    assert answers(liked, "what are my hobbies?")
    assert not answers(liked, "what are my hobbies?", top_k=6)


def test_facts_answer_alone_when_there_is_nothing_else() -> None:
    assert answers(summary(("hobby", "chess"), only_facts=True), "what are my hobbies?")


@pytest.mark.parametrize(
    "query",
    [
        "where did I live before?",
        "where did I live in May 2024?",
        "where do I live and what did the doctor say about my knee?",
        "where do I live, where the harbour festival concert stage stands?",
        "where were we with moving, where do I live?",
        "我上次说我住在哪",
        "我以前住在哪",
        "kayak",
    ],
)
def test_a_query_for_more_than_attributes_is_not_answered_by_the_summary(query: str) -> None:
    assert not answers(summary(("location", "Oslo"), only_facts=True), query)


def test_an_attribute_of_which_a_part_is_held_is_not_answered() -> None:
    assert not answers(summary(("hobby", "chess"), partial=("hobby",), only_facts=True), "what are my hobbies?")


def test_an_attribute_without_facts_is_not_answered() -> None:
    assert not answers(summary(("hobby", "chess"), only_facts=True), "where do I live?")
