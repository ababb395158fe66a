"""The schedules: each job exactly once for each local day or month of an entity."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from easy_data import EasyMemory
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.errors import InputError, ModelRefused
from easy_data.schemas.maintenance import Job, MaintenanceReport
from easy_data.schemas.ports import Extraction
from easy_data.schemas.receipts import Outcome
from easy_data.stores.repositories import conversations
from tests.fixtures.command_line import CommandLine
from tests.fixtures.meanings import Meanings
from tests.fixtures.memories import Open
from tests.fixtures.modes import both_modes
from tests.fixtures.talk import SetClock, facts, tell
from tests.fixtures.upkeep import DAY, full, ledger, opened_at, reviews, shanghai
from tests.fixtures.waiting import wait_until


@both_modes
def test_a_dry_run_reports_the_same_and_changes_nothing(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    full(memory)
    before = list(memory.export("ann"))
    now = shanghai(2028, 4, 5, 9)
    rehearsed = memory.maintain(now=now, dry_run=True)
    assert list(memory.export("ann")) == before
    assert ledger(memory, Job.ROLL) == []
    done = memory.maintain(now=now)

    def shape(report: MaintenanceReport) -> list[Any]:
        return [(r.entity_id, r.job, r.window, r.counts) for r in report.runs]

    assert shape(rehearsed) == shape(done)
    assert [r.window for r in done.runs] == ["2028-03-31", "2028-01-01", "2028-01"]
    assert (rehearsed.windows, rehearsed.dry_run) == (done.windows, True)
    assert list(memory.export("ann")) != before


@both_modes
def test_what_a_person_undoes_no_job_does_again(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    full(memory)
    memory.maintain(now=shanghai(2028, 4, 5))
    (remark,) = [e for e in memory.events("ann") if e.event_type == "remark"]
    memory.undo("ann", memory.history("ann", remark.id)[-1].id)
    (review,) = reviews(memory).values()
    memory.undo("ann", memory.history("ann", review.id)[-1].id)
    (kept,) = memory.profile("ann")
    merged = memory.history("ann", kept.id)[-1]
    assert (merged.action, merged.actor) == ("merge", "maintenance")
    other = merged.cause["merged"]
    memory.undo("ann", memory.history("ann", other)[-1].id)
    assert facts(memory) == {"hobby": {"play tennis", "playing tennis"}}
    memory.maintain(now=shanghai(2028, 6, 5))
    assert facts(memory) == {"hobby": {"play tennis", "playing tennis"}}
    assert next(e for e in memory.events("ann") if e.event_type == "remark").payload == {"mood": "good"}
    assert reviews(memory) == {}


@both_modes
def test_a_stopped_schedule_catches_up_each_day_and_month_once(open_memory: Open) -> None:
    begin = shanghai(2028, 1, 1, 12)
    memory = opened_at(open_memory, begin, extractor=Meanings({}))
    full(memory)
    for days in (1, 2, 2, 5, 6, 6, 130, 131, 130):
        memory.maintain(now=begin + days * DAY)
    starts = ledger(memory, Job.ROLL)
    assert starts == [shanghai(2028, 1, 1) + days * DAY for days in range(131)]
    assert ledger(memory, Job.ARCHIVE) == [shanghai(2028, month, 1) for month in (1, 2, 3, 4)]


@both_modes
def test_an_erased_entity_leaves_no_ledger_and_gets_none(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    full(memory)
    memory.maintain(now=shanghai(2028, 1, 5))
    memory.forget("ann", everything=True)
    assert memory.maintain(now=shanghai(2028, 3, 5)).windows == 0
    assert set(memory.verify_erasure("ann").values()) == {0}


@both_modes
def test_one_entity_can_be_kept_alone_and_an_unknown_one_is_not_made(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    for entity in ("ann", "bob"):
        memory.write_profile(entity_id=entity, attr_name="hobby", attr_value="chess")
    assert memory.maintain(now=shanghai(2028, 1, 4), entity_id="bob").windows == 4
    assert memory.maintain(now=shanghai(2028, 1, 4), entity_id="eve").windows == 0
    assert memory.verify_erasure("eve")["windows"] == 0
    assert (len(ledger(memory, Job.ROLL, "ann")), len(ledger(memory, Job.ROLL, "bob"))) == (0, 2)


def test_a_naive_present_is_refused(memory: EasyMemory) -> None:
    with pytest.raises(InputError, match="now: must carry a time zone"):
        memory.maintain(now=datetime(2028, 1, 1))  # noqa: DTZ001 - naive on purpose


class Refusing(Meanings):
    """Finds nothing, and cannot read conversations that speak of herons."""

    def extract(self, conversation: Conversation) -> Extraction:
        if "heron" in conversation.messages[0].content:
            raise ModelRefused
        return super().extract(conversation)


def test_texts_past_their_time_go_and_dead_letters_keep_theirs(open_memory: Open) -> None:
    clock = SetClock()
    memory = open_memory(
        clock=clock, extractor=Refusing({}), transcript_days=30, recall_log_days=10, ledger_days=20, max_attempts=1
    )
    tell(memory, "I like kites", conversation_id="read")
    assert tell(memory, "I like herons", conversation_id="dead").outcome is Outcome.DEAD_LETTER
    memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="kites")
    memory.recall("ann", "kites?")
    memory._runtime.recalls.flush()
    now = clock.now() + 40 * DAY
    # The daily windows that began more than 20 days ago; the only monthly one is the last of its job.
    assert memory.maintain(now=now).purged == {"transcripts": 1, "recalls": 1, "windows": 2 * 21}
    runtime = memory._runtime
    with runtime.database.read() as connection:
        texts = {row.conversation_id: row.payload for row in conversations.of_entity(connection, runtime.scope("ann"))}
    assert texts["read"] is None
    assert texts["dead"] is not None
    again = memory.maintain(now=now)
    assert (again.windows, again.purged) == (0, {"transcripts": 0, "recalls": 0, "windows": 0})


def test_the_thread_of_embedded_mode_keeps_memory_by_itself(open_memory: Open) -> None:
    clock = SetClock(shanghai(2028, 1, 1, 12).astimezone(UTC))
    memory = open_memory(clock=clock, extractor=Meanings({}))
    full(memory)
    clock.move(timedelta(days=3))
    memory._background.wake()
    wait_until(lambda: len(ledger(memory, Job.ROLL)) == 3, what="three days are recorded")


def test_the_command_line_rehearses_and_runs(open_memory: Open, command_line: CommandLine) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    full(memory)
    memory.close()
    arguments = ("maintain", "--now", "2028-04-05T00:00+08:00")
    rehearsed = command_line.run(*arguments, "--dry-run").stdout
    assert "2028-03-31" in rehearsed
    assert "would be run: 1 rolled, 1 merged, 1 reviews, 1 archived" in rehearsed
    done = command_line.json(*arguments)
    assert [run["counts"] for run in done["runs"]] == [{"rolled": 1}, {"merged": 1}, {"reviews": 1, "archived": 1}]
    assert "0 windows run: (nothing)" in command_line.run(*arguments).stdout
    assert command_line.run("maintain", "--now", "yesterday").exit_code == 2
    assert command_line.run("maintain", "--now", "2028-04-05").exit_code == 2
