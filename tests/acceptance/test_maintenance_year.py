"""A year of schedules in six zones, with a ticker that is late, stops for days and comes twice at once."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from easy_data import EasyMemory
from easy_data.pipeline import inbox, intake
from easy_data.pipeline.direct import write_records
from easy_data.pipeline.maintenance.maintain import maintain
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.conversation import ConversationInput
from easy_data.schemas.maintenance import Job, MaintenanceReport
from easy_data.schemas.records import EventRecord
from easy_data.stores.database import Database
from tests.fixtures.meanings import Meanings
from tests.fixtures.memories import Build
from tests.fixtures.talk import SetClock
from tests.fixtures.upkeep import DAY, ledger, reviews

# No change of the clock; at two in the morning, north and south; by half an hour; and at midnight, which is skipped.
ZONES = (
    "Asia/Shanghai",
    "America/Los_Angeles",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Santiago",
)
BEGIN = datetime(2027, 1, 15, 3, 7, tzinfo=UTC)
END = BEGIN + 366 * DAY
# Every clock change of these zones falls on it.
GRID = timedelta(minutes=15)
RETENTION = 90
TURNS = 45
JOBS = (Job.ROLL, Job.MERGE, Job.ARCHIVE)


def first_instants(zone: str) -> dict[date, datetime]:
    """The first instant of every local day from BEGIN's to END's, found by walking through the year."""
    found: dict[date, datetime] = {}
    moment = (BEGIN - 2 * DAY).replace(minute=0)
    while moment < END:
        found.setdefault(moment.astimezone(ZoneInfo(zone)).date(), moment)
        moment += GRID
    return {day: start for day, start in found.items() if day >= BEGIN.astimezone(ZoneInfo(zone)).date()}


def expected(zone: str) -> dict[Job, list[datetime]]:
    """The windows that must be recorded: those with a later first instant, for a window has ended when one follows."""
    days = first_instants(zone)
    ended = [start for start, _ in pairwise(days.values())]
    month_of_begin = BEGIN.astimezone(ZoneInfo(zone)).replace(day=1, hour=0, minute=0)
    months = [month_of_begin.astimezone(UTC), *(start for day, start in days.items() if day.day == 1)]
    return {Job.ROLL: ended, Job.MERGE: ended, Job.ARCHIVE: months[:-1]}


def ticks() -> Iterator[tuple[datetime, int]]:
    """When the ticker comes and how many of it: every eight to sixty hours, and now and then not for three days."""
    chance = random.Random(20270115)
    moment = BEGIN
    number = 0
    while moment < END:
        yield moment, 2 if number % 5 == 0 else 1
        number += 1
        moment += 3 * DAY if number % 20 == 0 else timedelta(hours=chance.uniform(8, 60))
    yield END, 2


def evenings(zone: str) -> list[EventRecord]:
    """Something said at 22:30 on every sixth evening, and jobs finished at both edges of months."""
    local = ZoneInfo(zone)
    first = BEGIN.astimezone(local).replace(hour=22, minute=30, second=0)
    turns = [
        EventRecord(
            entity_id=zone,
            event_type="conversation_turn",
            summary=f"evening {number}",
            payload={"a": 1},
            happened_at=first + number * 6 * DAY,
        )
        for number in range(TURNS)
    ]
    edges = [
        EventRecord(entity_id=zone, event_type="task_completed", summary=f"job {month} {word}", happened_at=moment)
        for month, day, word in [(2, 28, "kite"), (4, 30, "roof"), (6, 30, "boat"), (9, 30, "fence"), (11, 30, "tulip")]
        for moment in (datetime(2027, month, day, 23, 30, tzinfo=local),)
    ]
    starts = [
        EventRecord(entity_id=zone, event_type="task_completed", summary=f"task {month} {word}", happened_at=moment)
        for month, word in [(3, "oboe"), (5, "canoe"), (7, "tent"), (10, "lamp"), (12, "stove")]
        for moment in (datetime(2027, month, 1, 1, 15, tzinfo=local),)
    ]
    return [*turns, *edges, *starts]


def lived(runtime: Runtime, clock: SetClock) -> list[MaintenanceReport]:
    """Let the year pass."""
    reports: list[MaintenanceReport] = []
    with ThreadPoolExecutor(2) as pool:
        for moment, times in ticks():
            clock.move(moment - clock.now())
            reports += pool.map(lambda _: maintain(runtime), range(times))
    return reports


def unforced(database: Database) -> None:
    """Let commits not wait for the disk: this store need not outlive the machine."""

    @sa.event.listens_for(database.engine, "connect")
    def _relax(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    database.engine.dispose()


def begun(runtime: Runtime, zone: str) -> dict[str, EventRecord]:
    """Make an entity that lives in the zone, with its evenings; return them by id."""
    hello = {"role": "user", "content": "hello"}
    intake.accept(ConversationInput(entity_id=zone, messages=[hello], time_zone=zone), runtime)
    inbox.drain(runtime)
    records = evenings(zone)
    written = write_records(runtime, records)
    return {str(each.memory_id): record for each, record in zip(written, records, strict=True)}


def local_day_of(event: EventRecord) -> date:
    assert event.happened_at is not None
    return event.happened_at.astimezone(ZoneInfo(event.entity_id)).date()


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_has_each_local_day_and_month_exactly_once(build: Build, zone: str) -> None:
    clock = SetClock(BEGIN)
    settings = {"event_retention_days": RETENTION, "ledger_days": 1000}
    runtime = build(clock=clock, extractor=Meanings({}), settings=settings)
    unforced(runtime.database)
    events = begun(runtime, zone)
    reports = lived(runtime, clock)

    windows = expected(zone)
    with EasyMemory.over(runtime) as memory:
        assert {job: ledger(memory, job, zone) for job in JOBS} == windows
        listed = {month: set(review.payload["sources"]) for month, review in reviews(memory, zone).items()}
    assert sum(report.windows for report in reports) == sum(len(starts) for starts in windows.values())

    rolled: Counter[str] = Counter()
    for report in reports:
        for run in report.runs:
            assert run.window_end <= report.at
            if run.job is Job.ROLL:
                # The ninetieth local day after its own is the last one of its detail: not the one before, nor after.
                assert {str(local_day_of(events[each]) + RETENTION * DAY) for each in run.memory_ids} == {run.window}
                rolled.update(run.memory_ids)
    assert (len(rolled), set(rolled.values())) == (TURNS, {1})

    finished: dict[str, set[str]] = {}
    for event_id, event in events.items():
        if event.event_type == "task_completed":
            finished.setdefault(f"{local_day_of(event):%Y-%m}", set()).add(event_id)
    assert listed == finished
