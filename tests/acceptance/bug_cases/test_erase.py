"""Cases of forgetting: effective at once, complete, of one entity only, and not undone by work in flight."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from easy_data import EasyMemory
from easy_data.pipeline.indexing import drift
from easy_data.pipeline.recall.summary import build_summary
from easy_data.schemas.errors import InputError, NotFound
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.records import EventRecord
from easy_data.stores.columns import Instant, metadata
from tests.fixtures.meanings import Meanings, event, fact
from tests.fixtures.memories import Open
from tests.fixtures.modes import both_modes
from tests.fixtures.talk import facts, stored, tell, user


@both_modes
@pytest.mark.parametrize("what", ["conversation", "everything"])
@pytest.mark.parametrize("said", ["My sister is called Maribel.", "我妹妹叫林晓岚。"])
def test_what_is_forgotten_while_it_is_being_read_is_never_written(open_memory: Open, said: str, what: str) -> None:
    """O-08."""
    extractor = Meanings({said: [fact("family_member", said), event(said)]}, holds=True)
    memory = open_memory(extractor=extractor)
    receipt = memory.end_conversation("ann", [user(said)], conversation_id="c1")
    assert extractor.arrived.wait(10)
    if what == "conversation":
        memory.forget("ann", conversation_id="c1")
    else:
        memory.forget("ann", everything=True)
    extractor.held.set()
    assert memory.flush(30)
    assert stored(memory) == []
    assert memory.pending_review("ann") == []
    assert memory._runtime.index.versions(memory._runtime.settings.tenant_id, "ann") == {}
    if what == "conversation":
        assert receipt.outcome is Outcome.CANCELLED
    else:
        assert set(memory.verify_erasure("ann").values()) == {0}
        with pytest.raises(NotFound):
            receipt.status()


@both_modes
def test_a_summary_does_not_outlive_its_user(memory: EasyMemory) -> None:
    """O-07."""
    tell(memory, "I live in Oslo. I have two cats.")
    runtime = memory._runtime
    build_summary(runtime, runtime.scope("ann"))
    assert "Oslo" in memory.summary("ann")
    assert "Oslo" in memory.recall("ann", "where do I live?").text
    memory.forget("ann", everything=True)
    for _ in range(2):
        assert memory.summary("ann") == ""
        assert memory.recall("ann", "where do I live?").text == ""
        assert memory.flush(30)
    assert runtime.summaries.get(runtime.settings.tenant_id, "ann") is None


@both_modes
def test_one_forgotten_fact_is_gone_from_the_summary_at_once(memory: EasyMemory) -> None:
    """O-07."""
    tell(memory, "I live in Oslo. I have two cats.")
    assert "Oslo" in memory.summary("ann")
    (home,) = memory.profile("ann", attr_names=["location"])
    memory.forget("ann", memory_id=home.id)
    assert "Oslo" not in memory.summary("ann")
    assert "Oslo" not in memory.recall("ann", "where do I live?").text


@both_modes
def test_erasing_goes_on_to_the_end_and_says_how_much_there_was(memory: EasyMemory) -> None:
    """O-10."""
    memory.write_events(
        EventRecord(entity_id="ann", event_type="conversation_turn", summary=f"note number {number}", turn=number)
        for number in range(250)
    )
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Oslo")
    for number in range(12):
        memory.write_profile(entity_id="ann", attr_name="location", attr_value=f"town {number}")
    assert len(memory.pending_review("ann")) == 12
    assert memory.flush(30)
    counts = memory.forget("ann", everything=True).counts
    assert (counts["events"], counts["profile_facts"], counts["review_items"], counts["points"]) == (250, 1, 12, 251)
    assert set(memory.verify_erasure("ann").values()) == {0}
    assert (stored(memory), memory.pending_review("ann")) == ([], [])


def test_erasing_one_user_leaves_the_others_and_the_collection_alone(memory: EasyMemory, tmp_path: Path) -> None:
    """O-11."""
    for entity in ("ann", "bob"):
        for value in ("tea", "cocoa", "绿茶"):
            memory.write_profile(entity_id=entity, attr_name="beverage_preference", attr_value=value)
    (collection,) = (tmp_path / "memory.db.index").iterdir()
    made = collection.stat().st_ino
    memory.forget("ann", everything=True)
    assert len(memory.recall("bob", "what do they drink?", top_k=10).memories) == 3
    assert collection.stat().st_ino == made
    assert drift(memory._runtime) == 0


def filled(table: sa.Table, values: dict[str, Any]) -> dict[str, Any]:
    """A row for any table: the columns in ``values``, and something of the right type in every other one."""
    row = {}
    for number, column in enumerate(table.columns):
        kind = column.type.python_type
        made: Any = f"{number}"
        if issubclass(kind, bool):
            made = True
        elif issubclass(kind, int):
            made = number
        elif issubclass(kind, float):
            made = 0.5
        elif isinstance(column.type, Instant):
            made = datetime(2026, 1, 1, tzinfo=UTC)
        elif issubclass(kind, dict):
            made = {}
        row[column.name] = values.get(column.name, made)
    return row


@both_modes
def test_every_table_that_names_an_entity_is_erased(memory: EasyMemory) -> None:
    """O-12: driven by the database itself, so a table that is added later is covered or fails here."""
    runtime = memory._runtime
    tell(memory, "I live in Oslo.")
    row_id = memory.end_conversation("ann", [user("hi")], conversation_id="parent").wait(30).receipt_id
    with runtime.database.read() as connection:
        inspected = sa.inspect(connection)
        columns = {name: {c["name"] for c in inspected.get_columns(name)} for name in inspected.get_table_names()}
    owned = {name for name, names in columns.items() if "entity_id" in names}
    assert owned == {table.name for table in metadata.tables.values() if "entity_id" in table.c}
    assert owned | {"alembic_version"} == set(columns)
    whose = {"tenant_id": runtime.settings.tenant_id, "entity_id": "ann", "conversation_row_id": row_id}
    with runtime.database.write() as connection:
        for name in owned - {"entities", "conversations"}:
            table = metadata.tables[name]
            connection.execute(table.insert().values(filled(table, whose)))
    counts = memory.forget("ann", everything=True).counts
    assert all(counts[name] for name in owned - {"entities"})
    with runtime.database.read() as connection:
        mine = {name: sa.select(metadata.tables[name]).filter_by(entity_id="ann") for name in owned}
        left = {name for name, statement in mine.items() if connection.execute(statement).all()}
    assert left == {"entities"}
    assert set(memory.verify_erasure("ann").values()) == {0}


@both_modes
def test_a_memory_lives_while_one_conversation_stands_behind_it(open_memory: Open) -> None:
    """O-13."""
    breeds, won = "I breed canaries.", "My canaries won a prize; I also fence."
    memory = open_memory(
        extractor=Meanings({breeds: fact("pet", "canaries"), won: [fact("pet", "canaries"), fact("sport", "fencing")]})
    )
    tell(memory, breeds, conversation_id="s1")
    tell(memory, won, conversation_id="s2")
    memory.forget("ann", conversation_id="s1")
    (canaries,) = memory.profile("ann", attr_names=["pet"])
    assert [e.conversation_id for e in memory.explain("ann", canaries.id).evidence] == ["s2"]
    counts = memory.forget("ann", conversation_id="s2").counts
    assert (counts["conversations"], counts["profile"]) == (1, 2)
    assert stored(memory) == []
    # Reading what was forgotten again brings nothing back: its text is gone.
    assert memory.flush(30)
    assert facts(memory) == {}
    assert memory._runtime.index.versions(memory._runtime.settings.tenant_id, "ann") == {}


@both_modes
def test_a_forgotten_conversation_takes_its_questions_along(memory: EasyMemory) -> None:
    """O-08, O-13."""
    tell(memory, "I live in Oslo.", conversation_id="c1")
    tell(memory, "I live in Rome now.", conversation_id="c2")
    assert len(memory.pending_review("ann")) == 1
    memory.forget("ann", conversation_id="c2")
    assert memory.pending_review("ann") == []
    assert facts(memory) == {"location": {"Oslo"}}


def test_forgetting_says_what_it_was_not_told_and_what_is_not_there(memory: EasyMemory) -> None:
    """O-50: an id is an id, never a pattern."""
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="Oslo")
    for wrong in ("%", "_", "*", "", "1 OR 1=1"):
        with pytest.raises(NotFound):
            memory.forget("ann", memory_id=wrong)
        with pytest.raises(NotFound):
            memory.forget("ann", conversation_id=wrong)
    with pytest.raises(InputError):
        memory.forget("ann")
    with pytest.raises(InputError):
        memory.forget("", everything=True)
    assert facts(memory) == {"location": {"Oslo"}}
