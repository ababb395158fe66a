"""Two processes of the service that keep the same memory at the same moments, as two beats make them do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest

from easy_data.schemas.maintenance import Job
from tests.fixtures.meanings import Meanings
from tests.fixtures.service import Service
from tests.fixtures.talk import SetClock
from tests.fixtures.upkeep import DAY, full, ledger, shanghai

ROOT = Path(__file__).parents[2]
BEGIN = shanghai(2028, 1, 1, 12)
ENTITIES = ("ann", "bob", "once")
RETENTION = 20
# Each day for a week, a stop of two weeks, then what is due many times over.
MOMENTS = [BEGIN + days * DAY for days in (*range(7), *[21] * 4, *[40] * 8)]


def kept_at_once(settings: dict[str, object], moments: list[datetime]) -> list[dict[str, int]]:
    """Let two processes run what is due at each moment, neither waiting for the other; return what each did."""
    command = [sys.executable, "-m", "tests.fixtures.maintaining", json.dumps(settings)]
    lines = "".join(f"{moment.isoformat()}\n" for moment in moments)
    with ExitStack() as running:
        processes = [
            running.enter_context(
                subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            for _ in range(2)
        ]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(lines)
            process.stdin.close()
        told = [process.stdout.read() for process in processes if process.stdout is not None]
    assert [process.returncode for process in processes] == [0, 0]
    reports = [json.loads(line) for each in told for line in each.splitlines()]
    return [{**report["counts"], "windows": report["windows"]} for report in reports]


@pytest.mark.timeout(120)
def test_two_processes_at_once_do_each_window_once(service: Service) -> None:
    clock = SetClock(BEGIN)
    service.settings["event_retention_days"] = RETENTION
    service.worker()
    memory = service.memory(clock=clock, extractor=Meanings({}))
    for entity in ENTITIES:
        full(memory, entity)
    alone: Counter[str] = Counter()
    for moment in MOMENTS:
        report = memory.maintain(now=moment, entity_id="once")
        alone.update({**report.counts, "windows": report.windows})
    together: Counter[str] = Counter()
    for done in kept_at_once(service.settings, MOMENTS):
        together.update(done)
    assert alone == {"rolled": 1, "merged": 1, "archived": 1, "reviews": 1, "windows": 2 * 40 + 1}
    assert together == {what: 2 * number for what, number in alone.items()}
    for entity in ENTITIES:
        for job in Job:
            assert ledger(memory, job, entity) == ledger(memory, job, "once")
    assert len(ledger(memory, Job.ROLL)) == 40
    histories = [
        sorted([r.action for r in memory.history(entity, record.id)] for record in memory.events(entity))
        for entity in ENTITIES
    ]
    assert histories[0] == histories[1] == histories[2]
