"""Cases of what is current when conversations come in late."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.schemas.candidates import Fate
from easy_data.schemas.records import Status
from easy_data.schemas.registry import Attribute
from tests.fixtures.meanings import Meanings, event, fact
from tests.fixtures.memories import Open
from tests.fixtures.modes import both_modes
from tests.fixtures.talk import facts, tell

pytestmark = both_modes

NOVEMBER, MARCH = datetime(2025, 11, 2, 9, 0, tzinfo=UTC), datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
EDITOR = Attribute(name="editor", type="preference", cardinality="one", labels={"zh": "编辑器", "en": "editor"})


@pytest.mark.parametrize(
    ("newer", "older"),
    [("I use Vim these days.", "Emacs is my editor."), ("我现在用Vim。", "我的编辑器是Emacs。")],
)
def test_an_older_conversation_that_comes_in_later_is_history(open_memory: Open, newer: str, older: str) -> None:
    """O-31."""
    meanings = {newer: fact("editor", "Vim", change="changed"), older: fact("editor", "Emacs")}
    memory = open_memory(attributes=[EDITOR], extractor=Meanings(meanings))
    tell(memory, newer, ended_at=MARCH)
    status = tell(memory, older, ended_at=NOVEMBER)
    assert status.fates[0].fate is Fate.HISTORY
    assert facts(memory) == {"editor": {"Vim"}}
    past = memory.explain("ann", str(status.fates[0].memory_id)).record
    assert (past.status, past.valid_from, past.valid_to) == (Status.SUPERSEDED, NOVEMBER, MARCH)  # type: ignore[union-attr]
    assert [hit.record.attr_value for hit in memory.recall("ann", "which editor?").memories] == ["Vim"]  # type: ignore[union-attr]


def test_an_older_statement_of_a_plan_never_takes_the_place_of_a_newer_one(open_memory: Open) -> None:
    """O-31, O-29."""
    new, old = "The project review is on 16 October.", "The project review is on 15 October."
    memory = open_memory(extractor=Meanings({new: event(new, "plan"), old: event(old, "plan")}))
    tell(memory, new, ended_at=MARCH)
    assert tell(memory, old, ended_at=NOVEMBER).fates[0].fate is Fate.HISTORY
    assert [e.summary for e in memory.events("ann")] == [new]


def test_two_values_said_at_the_same_instant_are_a_question(open_memory: Open) -> None:
    """O-31: ties go to review."""
    said = {"Vim!": fact("editor", "Vim"), "Emacs!": fact("editor", "Emacs")}
    memory = open_memory(attributes=[EDITOR], extractor=Meanings(said))
    tell(memory, "Vim!", ended_at=MARCH)
    status = tell(memory, "Emacs!", ended_at=MARCH)
    assert (status.fates[0].fate, status.fates[0].reason) == (Fate.QUEUED, "tie")
    assert facts(memory) == {"editor": {"Vim"}}
