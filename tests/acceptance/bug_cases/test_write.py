"""Cases of writing: nothing is lost, cut or refused for good."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from easy_data import EasyMemory
from easy_data.pipeline.indexing import drift
from easy_data.schemas.candidates import Fate, RejectReason
from easy_data.schemas.errors import InputError
from easy_data.schemas.keys import fact_key
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.records import EventRecord
from easy_data.stores.repositories import history
from tests.fixtures.meanings import Meanings, event, fact
from tests.fixtures.memories import Build, Open
from tests.fixtures.modes import Over, both_modes
from tests.fixtures.outages import BreakableEmbedder, BreakableIndex
from tests.fixtures.talk import SetClock, facts, stored, tell

pytestmark = both_modes


@pytest.mark.parametrize(
    ("first", "again", "value"),
    [
        ("I play the oboe", "I've taken the oboe up again", "oboe"),
        ("我会吹双簧管", "我又开始吹双簧管了", "双簧管"),
    ],
)
def test_what_was_forgotten_can_be_learned_anew_from_a_new_conversation(
    open_memory: Open, first: str, again: str, value: str
) -> None:
    """O-14."""
    clock = SetClock()
    memory = open_memory(clock=clock, extractor=Meanings({first: fact("hobby", value), again: fact("hobby", value)}))
    tell(memory, first, conversation_id="c1")
    (old,) = memory.profile("ann")
    memory.forget("ann", memory_id=old.id)
    assert stored(memory) == []
    clock.move(timedelta(days=2))
    assert tell(memory, again, conversation_id="c2").outcome is Outcome.WRITTEN
    (new,) = memory.profile("ann")
    assert new.id != old.id
    runtime = memory._runtime
    with runtime.database.read() as connection:
        assert history.buried_at(
            connection, runtime.scope("ann"), fact_key("hobby", value, 1)
        ) == clock.now() - timedelta(days=2)


def test_a_change_shows_the_old_or_the_new_text_at_every_moment_of_an_outage(build: Build, over: Over) -> None:
    """O-15."""
    runtime = build()
    embedder, index = BreakableEmbedder(runtime.embedder), BreakableIndex(runtime.index)
    with over(replace(runtime, embedder=embedder, index=index)) as memory:
        written = memory.write_profile(entity_id="ann", attr_name="beverage_preference", attr_value="tea")

        def recalled() -> list[str]:
            return [hit.record.attr_value for hit in memory.recall("ann", "what does she like to drink?").memories]  # type: ignore[union-attr]

        assert recalled() == ["tea"]
        embedder.down = True
        memory.correct("ann", str(written.memory_id), attr_value="green tea")
        assert recalled() == ["green tea"]
        embedder.down, index.down = False, True
        assert recalled() == ["green tea"]
        assert facts(memory) == {"beverage_preference": {"green tea"}}
        index.down = False
        assert memory.flush(30)
        assert recalled() == ["green tea"]
        assert drift(runtime) == 0


def test_a_nul_byte_harms_neither_its_own_sentence_nor_its_neighbours(open_memory: Open) -> None:
    """O-42."""
    memory = open_memory(
        extractor=Meanings(
            {
                "My locker word is blueheron.": event("The locker word is blueheron."),
                "I live in Oslo.": fact("location", "Oslo"),
                "我的柜子密语是蓝鹭。": event("柜子密语是蓝鹭。"),
            }
        )
    )
    status = tell(memory, "My locker word is blue\u0000heron.", "I live in Oslo.", "我的柜子密语\u0000是蓝\u0000鹭。")
    assert status.notes == {"control_dropped": 3}
    assert {e.summary for e in memory.events("ann")} == {"The locker word is blueheron.", "柜子密语是蓝鹭。"}
    assert facts(memory) == {"location": {"Oslo"}}


NOTE = ("All of this belongs to one note about the allotment. " * 41)[:2060] + " And the gate code changed in May."


def test_a_long_note_is_kept_whole(open_memory: Open) -> None:
    """O-46."""
    memory = open_memory(extractor=Meanings({NOTE: event(NOTE)}))
    memory.write_event(entity_id="bob", event_type="info_learned", summary=NOTE)
    tell(memory, NOTE)
    for entity in ("ann", "bob"):
        (kept,) = memory.events(entity)
        assert kept.summary == NOTE
    assert len(NOTE) > 2000


def test_a_note_beyond_the_limit_is_refused_with_the_limit_and_its_neighbours_are_kept(open_memory: Open) -> None:
    """O-46."""
    endless = "长" * 100_000
    memory = open_memory(extractor=Meanings({"short": event("A short note."), "长长": event(endless)}))
    with pytest.raises(InputError, match=r"summary: 100,000 characters, at most 4,000 are kept; .*max_value_chars"):
        memory.write_event(entity_id="ann", event_type="info_learned", summary=endless)
    status = tell(memory, f"short {endless}")
    assert [(f.fate, f.reason) for f in status.fates] == [
        (Fate.WRITTEN, ""),
        (Fate.REJECTED, RejectReason.TOO_LONG),
    ]
    with pytest.raises(InputError, match="attr_value"):
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="x" * 100_000)
    assert [e.summary for e in memory.events("ann")] == ["A short note."]


def test_records_of_one_call_that_say_the_same_become_one(memory: EasyMemory) -> None:
    """O-57, O-18: many records at once take the same way as one."""
    said = ["The backup runs at 02:00.", "The backup is running at 2:00.", "Backups run at 02:00."]
    written = memory.write_events(
        EventRecord(entity_id="ann", event_type="info_learned", summary=text) for text in said
    )
    assert [w.fate for w in written] == [Fate.WRITTEN, Fate.MERGED, Fate.MERGED]
    assert len(memory.events("ann")) == 1
