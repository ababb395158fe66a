"""Maintenance on each kind of database, by several callers at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from easy_data.pipeline.direct import write_records
from easy_data.pipeline.entity_write import entity_write
from easy_data.pipeline.maintenance.maintain import due, maintain
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.maintenance import Job
from easy_data.schemas.records import EventRecord, ProfileRecord
from easy_data.stores.database import Database
from easy_data.stores.migrate import ensure_schema
from easy_data.stores.repositories import memories, windows
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause
from tests.fixtures.memories import Build
from tests.fixtures.talk import SetClock

BEGIN = datetime(2028, 1, 1, 2, 0, tzinfo=UTC)
NOW = BEGIN + timedelta(days=100)
ENTITIES = ("ann", "bob", "cem")


@pytest.fixture
def runtime(build: Build, database_url: str) -> Iterator[Runtime]:
    """The parts over an empty database of each kind, with three entities that have something to keep."""
    database = Database(database_url)
    ensure_schema(database)
    made = replace(build(clock=SetClock(BEGIN)), database=database)
    for name in ENTITIES:
        done = EventRecord(entity_id=name, event_type="task_completed", summary="Finished the audit")
        remark = EventRecord(entity_id=name, event_type="remark", summary="Saw a kite", payload={"colour": "red"})
        hobbies = [
            ProfileRecord(entity_id=name, attr_name="hobby", attr_value=value)
            for value in ("play tennis", "playing tennis")
        ]
        write_records(made, [done, remark, *hobbies])
    yield made
    database.close()


def test_callers_at_once_share_the_work_and_do_none_of_it_twice(runtime: Runtime) -> None:
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: maintain(runtime, NOW), range(8)))
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.counts)
    assert counts == {name: len(ENTITIES) for name in ("rolled", "merged", "archived", "reviews")}
    assert sum(report.windows for report in reports) == len(ENTITIES) * (100 + 100 + 3)
    with runtime.database.read() as connection:
        for name in ENTITIES:
            scope = runtime.scope(name)
            starts = windows.starts(connection, scope, Job.ROLL)
            assert starts == [datetime(2028, 1, 1, tzinfo=UTC) + timedelta(days=n) for n in range(100)]
            assert len(windows.starts(connection, scope, Job.ARCHIVE)) == 3
            assert len(memories.profile(connection, scope, limit=10)) == 1


def test_what_is_due_is_nothing_after_a_run_and_the_next_day_again(runtime: Runtime) -> None:
    late = replace(runtime, clock=SetClock(NOW))
    assert [scope.entity_id for scope in due(late)] == list(ENTITIES)
    maintain(late, entity_id="bob")
    assert [scope.entity_id for scope in due(late)] == ["ann", "cem"]
    maintain(late)
    assert due(late) == []
    assert len(due(replace(runtime, clock=SetClock(NOW + timedelta(days=1))))) == len(ENTITIES)


def test_a_job_that_breaks_off_leaves_neither_effect_nor_ledger_row(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(windows, "record", fail)
        with pytest.raises(ZeroDivisionError):
            maintain(runtime, NOW)
    with runtime.database.read() as connection:
        assert windows.starts(connection, runtime.scope("ann"), Job.ROLL) == []
        assert len(memories.profile(connection, runtime.scope("ann"), limit=10)) == 2
    assert maintain(runtime, NOW).counts["merged"] == len(ENTITIES)


def test_what_is_written_and_deleted_while_a_run_waits_survives_it(runtime: Runtime) -> None:
    """The run waits for the entity's lock and then sees what is there, not what was."""
    scope, cause = runtime.scope("ann"), Cause("test", "test")
    with ThreadPoolExecutor(1) as pool:
        with entity_write(runtime, scope) as write:
            run = pool.submit(maintain, runtime, NOW, entity_id="ann")
            gone, kept = memories.profile(write.connection, scope, limit=10)
            write.remove(gone, cause)
            ground = Ground(quote="", said_at=write.now, extractor="test")
            write.create(gone.model_copy(update={"id": "", "attr_value": "chess"}), ground, cause)
        assert "merged" not in run.result(30).counts
    with runtime.database.read() as connection:
        left = {fact.attr_value for fact in memories.profile(connection, scope, limit=10)}
    assert left == {kept.attr_value, "chess"}
