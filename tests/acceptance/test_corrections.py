"""What people set right by hand is checked like everything else, and never leaves two truths behind."""

from __future__ import annotations

from datetime import datetime

import pytest

from easy_data import EasyMemory
from easy_data.schemas.errors import EasyDataError, InputError, StaleReview
from easy_data.schemas.records import Status
from tests.fixtures.meanings import Meanings, fact
from tests.fixtures.memories import Open
from tests.fixtures.talk import facts, tell

SAID = {
    "I live in Paris.": fact("location", "Paris", confidence=0.65),
    "I moved to Berlin.": fact("location", "Berlin", change="changed"),
    "I live in Rome.": fact("location", "Rome", confidence=0.7),
    "I live in Oslo.": fact("location", "Oslo", confidence=0.7),
}


@pytest.fixture
def memory(open_memory: Open) -> EasyMemory:
    return open_memory(extractor=Meanings(SAID))


def homes(memory: EasyMemory) -> list[tuple[str, Status]]:
    return [(f.attr_value, f.status) for f in memory.profile("ann", attr_names=["location"])]


def test_undoing_a_change_of_a_single_valued_attribute_leaves_one_value(memory: EasyMemory) -> None:
    tell(memory, "I live in Paris.", ended_at="2026-01-01T00:00Z")
    (paris,) = memory.profile("ann")
    tell(memory, "I moved to Berlin.", ended_at="2026-02-01T00:00Z")
    assert homes(memory) == [("Berlin", Status.ACTIVE)]
    memory.undo("ann", memory.history("ann", paris.id)[-1].id)
    assert homes(memory) == [("Paris", Status.ACTIVE)]


def test_undoing_refuses_to_keep_the_same_value_twice(memory: EasyMemory) -> None:
    first = memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="chess").memory_id
    assert first
    memory.correct("ann", first, attr_value="go")
    memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="chess")
    with pytest.raises(InputError, match="kept already"):
        memory.undo("ann", memory.history("ann", first)[-1].id)
    assert facts(memory)["hobby"] == {"go", "chess"}


@pytest.mark.parametrize("value", ["", "  ", "x" * 300_000, None, 5])
def test_a_correction_is_refused_where_a_write_would_be(memory: EasyMemory, value: object) -> None:
    home = memory.write_profile(entity_id="ann", attr_name="location", attr_value="Paris").memory_id
    with pytest.raises(InputError):
        memory.correct("ann", str(home), attr_value=value)
    assert homes(memory) == [("Paris", Status.ACTIVE)]


def test_a_secret_in_a_correction_or_an_edit_is_masked(memory: EasyMemory) -> None:
    tell(memory, "I live in Paris.")
    (home,) = memory.profile("ann")
    changed = memory.correct("ann", home.id, attr_value="my password is hunter2secret")
    assert "hunter2secret" not in changed.model_dump_json()
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Rome")
    (item,) = memory.pending_review("ann")
    memory.review(item.id, "edit", value="Rome, my password is hunter2secret")
    assert "hunter2secret" not in str(facts(memory))


def test_times_of_a_correction_are_read_like_those_of_a_write(memory: EasyMemory) -> None:
    event = str(memory.write_event(entity_id="ann", event_type="milestone", summary="moved").memory_id)
    changed = memory.correct("ann", event, happened_at="2026-05-05T10:00")
    assert isinstance(changed.happened_at, datetime)  # type: ignore[union-attr]
    assert changed.happened_at.tzinfo is not None  # type: ignore[union-attr]
    with pytest.raises(EasyDataError, match="happened_at"):
        memory.correct("ann", changed.id, happened_at=datetime.min)  # noqa: DTZ901 - that it has no zone is the point


@pytest.mark.parametrize("value", ["", "x" * 300_000, 5])
def test_an_edit_in_review_is_refused_where_a_write_would_be(memory: EasyMemory, value: object) -> None:
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Paris")
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Rome")
    (item,) = memory.pending_review("ann")
    with pytest.raises(InputError):
        memory.review(item.id, "edit", value=value)  # type: ignore[arg-type]
    assert memory.pending_review("ann") == [item]


def test_a_reviewer_looks_again_when_the_memory_has_gained_evidence(memory: EasyMemory) -> None:
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Paris")
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Rome")
    (item,) = memory.pending_review("ann")
    tell(memory, "I live in Paris.")
    with pytest.raises(StaleReview, match="changed after"):
        memory.review(item.id, "approve")
    memory.review(item.id, "approve")
    assert homes(memory) == [("Rome", Status.ACTIVE)]


def test_what_only_conflicted_with_something_forgotten_stands_alone(memory: EasyMemory) -> None:
    tell(memory, "I live in Paris.", ended_at="2026-01-01T00:00Z")
    tell(memory, "I live in Rome.", ended_at="2026-02-01T00:00Z")
    assert {status for _, status in homes(memory)} == {Status.CONFLICT}
    rome = next(f for f in memory.profile("ann") if f.attr_value == "Rome")
    memory.forget("ann", memory_id=rome.id)
    assert homes(memory) == [("Paris", Status.ACTIVE)]
    assert memory.profile("ann")[0].conflict_with is None


def test_correcting_one_side_of_a_conflict_ends_both(memory: EasyMemory) -> None:
    tell(memory, "I live in Paris.", ended_at="2026-01-01T00:00Z")
    tell(memory, "I live in Rome.", ended_at="2026-02-01T00:00Z")
    memory.correct("ann", memory.profile("ann")[0].id, attr_value="Oslo")
    assert homes(memory) == [("Oslo", Status.ACTIVE)]


def test_three_values_in_conflict_are_settled_one_by_one(memory: EasyMemory) -> None:
    for day, words in enumerate(("I live in Paris.", "I live in Rome.", "I live in Oslo."), 1):
        tell(memory, words, ended_at=f"2026-01-0{day}T00:00Z")
    while items := memory.pending_review("ann"):
        memory.review(items[0].id, "reject")
    assert [status for _, status in homes(memory)] == [Status.ACTIVE]
