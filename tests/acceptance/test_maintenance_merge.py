"""The merge: facts of one slot that say the same become one."""

from __future__ import annotations

import pytest

from easy_data.schemas.records import Status
from easy_data.stores.repositories import memories
from tests.fixtures.meanings import Meanings, fact
from tests.fixtures.memories import Open
from tests.fixtures.talk import quotes, stored, tell
from tests.fixtures.upkeep import opened_at, shanghai


def test_facts_of_one_slot_become_one_and_opposites_and_conflicts_stay(open_memory: Open) -> None:
    said = {
        "I play tennis": fact("hobby", "play tennis"),
        "I love playing tennis": fact("hobby", "playing tennis"),
        "我喜欢打篮球": fact("sport", "打篮球"),
        "我平时打篮球的": fact("sport", "打篮球的"),
        "I hate play the tennis": fact("hobby", "play the tennis", polarity=-1),
    }
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings(said))
    for number, sentence in enumerate(said):
        tell(memory, sentence, conversation_id=f"c{number}")
    before = {f.attr_value: f for f in memory.profile("ann")}
    assert len(before) == 5
    report = memory.maintain(now=shanghai(2028, 1, 3))
    assert report.counts["merged"] == 2
    after = memory.profile("ann")
    assert len(after) == 3
    (positive,) = [f for f in after if f.attr_name == "hobby" and f.polarity > 0]
    assert set(quotes(memory, positive)) == {"I play tennis", "I love playing tennis"}
    assert positive.confidence == pytest.approx(0.99)
    assert positive.updated_at == max(before[v].updated_at for v in ("play tennis", "playing tennis"))  # type: ignore[type-var]
    (basketball,) = [f for f in after if f.attr_name == "sport"]
    assert len(quotes(memory, basketball)) == 2
    assert [f.attr_value for f in after if f.polarity < 0] == ["play the tennis"]


def test_the_surest_wording_stays_and_one_conversation_counts_once(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    for value, confidence in (("play tennis", 0.6), ("playing tennis", 0.8)):
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value=value, confidence=confidence)
    memory.maintain(now=shanghai(2028, 1, 3))
    (kept,) = memory.profile("ann")
    # Both came from the application, which is one source.
    assert (kept.attr_value, kept.confidence) == ("playing tennis", 0.8)


def test_flagged_facts_and_facts_asked_about_are_not_merged(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    runtime = memory._runtime
    made = [
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value=value).memory_id
        for value in ("play tennis", "playing tennis")
    ]
    with runtime.database.write() as connection:
        for one, other in (made, made[::-1]):
            record = memories.find(connection, runtime.scope("ann"), str(one))
            flagged = record.model_copy(update={"status": Status.CONFLICT, "conflict_with": other})  # type: ignore[union-attr]
            memories.replace(connection, runtime.scope("ann"), flagged, now=runtime.clock.now())
    before = memory.profile("ann")
    assert memory.maintain(now=shanghai(2028, 1, 3)).counts == {}
    assert memory.profile("ann") == before


def test_a_merged_fact_lives_as_long_as_one_conversation_stands_behind_it(open_memory: Open) -> None:
    """O-13."""
    said = {
        "I breed canaries.": fact("hobby", "breed canaries"),
        "Breeding canaries won me a prize": fact("hobby", "breeding canaries"),
        "I also fence": fact("hobby", "fencing"),
    }
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings(said))
    first, second, third = said
    tell(memory, first, conversation_id="s1")
    tell(memory, second, third, conversation_id="s2")
    memory.maintain(now=shanghai(2028, 1, 3))
    assert len(memory.profile("ann")) == 2
    memory.forget("ann", conversation_id="s1")
    memory.maintain(now=shanghai(2028, 1, 4))
    assert len(memory.profile("ann")) == 2
    assert {q for f in memory.profile("ann") for q in quotes(memory, f)} == {second, third}
    memory.forget("ann", conversation_id="s2")
    memory.maintain(now=shanghai(2028, 1, 5))
    assert stored(memory) == []
    assert "canar" not in str(list(memory.export("ann")))


def test_forgetting_a_merged_fact_erases_what_went_into_it(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    for value in ("breed canaries", "breeding canaries", "breeding the canaries"):
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value=value)
    memory.maintain(now=shanghai(2028, 1, 3))
    (kept,) = memory.profile("ann")
    memory.forget("ann", memory_id=kept.id)
    assert "canar" not in str(list(memory.export("ann")))
