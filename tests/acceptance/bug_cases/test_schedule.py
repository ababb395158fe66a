"""Cases of the schedules: however often they are run, and by how many at once, it is as if once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from easy_data import EasyMemory
from easy_data.pipeline.indexing import drift
from easy_data.pipeline.wording import plain
from easy_data.schemas.maintenance import Job
from tests.fixtures.meanings import Meanings
from tests.fixtures.memories import Open
from tests.fixtures.modes import both_modes
from tests.fixtures.talk import quotes, stored
from tests.fixtures.upkeep import full, ledger, opened_at, shanghai

pytestmark = both_modes


def kept(memory: EasyMemory, entity: str) -> list[tuple[Any, ...]]:
    """Everything kept of an entity and how often it was changed, without ids."""
    return [
        (
            plain(record),
            record.confidence,
            record.status,
            record.version,
            len(getattr(record, "payload", ())),
            len(quotes(memory, record)),
            [revision.action for revision in memory.history(entity, record.id)],
        )
        for record in stored(memory, entity)
    ]


def test_thirty_runs_two_at_once_equal_one(open_memory: Open) -> None:
    """O-23."""
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}))
    for entity in ("once", "often"):
        full(memory, entity)
    now = shanghai(2028, 4, 5, 9)
    once = memory.maintain(now=now, entity_id="once")
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda _: memory.maintain(now=now, entity_id="often"), range(30)))

    assert sum(report.windows for report in reports) == once.windows == 2 * 95 + 3
    for job, number in ((Job.ROLL, 95), (Job.MERGE, 95), (Job.ARCHIVE, 3)):
        assert len(ledger(memory, job, "often")) == number
        assert ledger(memory, job, "often") == ledger(memory, job, "once")
    assert kept(memory, "often") == kept(memory, "once")
    counted = {name: number for report in reports for name, number in report.counts.items()}
    assert counted == once.counts == {"rolled": 1, "merged": 1, "archived": 1, "reviews": 1}
    assert memory.maintain(now=now).windows == 0
    assert memory.flush(30)
    assert drift(memory._runtime) == 0
