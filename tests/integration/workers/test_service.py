"""The service end to end, with real processes: what one hands over is settled by another and recalled by a third."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from easy_data import EasyMemory
from easy_data.pipeline import inbox
from easy_data.pipeline.indexing import drift
from easy_data.schemas.candidates import Fate
from easy_data.schemas.ports import Embedder
from easy_data.schemas.receipts import Outcome, ReceiptStatus
from easy_data.stores import queue
from tests.fixtures.doomed import SAID
from tests.fixtures.service import Service
from tests.fixtures.waiting import wait_until

ROOT = Path(__file__).parents[3]
NO_SERVER = "redis://127.0.0.1:1/0"


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def tell(memory: EasyMemory) -> list[str]:
    return [memory.end_conversation(e, user(text), conversation_id=name).id for name, e, text in SAID]


def settled(memory: EasyMemory, receipts: list[str]) -> Callable[[], list[ReceiptStatus]]:
    """Return what sweeps, as beat does each minute, and then gives the statuses if all are settled and indexed."""

    def look() -> list[ReceiptStatus]:
        inbox.sweep(memory._runtime)
        statuses = [memory.receipt(each).status() for each in receipts]
        return statuses if all(s.settled for s in statuses) and memory.flush(0) else []

    return look


def check_applied_once(memory: EasyMemory, statuses: list[ReceiptStatus]) -> None:
    """Each conversation left its effect, in intake order, and none left it twice."""
    written = Fate.WRITTEN
    assert [s.fates[0].fate for s in statuses] == [written, written, written, Fate.MERGED, written]
    stored = [m for entity in ("ann", "bob") for m in (*memory.profile(entity), *memory.events(entity))]
    sources = {}
    for record in stored:
        explained = memory.explain(record.entity_id, record.id)
        said_in = tuple(e.conversation_id for e in explained.evidence)
        assert len(explained.revisions) == len(said_in)
        sources[getattr(record, "attr_name", "event")] = said_in
    assert len(stored) == len(sources)
    assert sources == {
        "location": ("c1", "c4"),
        "dietary_restriction": ("c2",),
        "pet": ("c3",),
        "event": ("c5",),
    }
    assert drift(memory._runtime) == 0


def test_what_one_process_hands_over_another_settles_and_a_third_recalls(service: Service, redis_url: str) -> None:
    agent, other = service.memory(), service.memory()
    service.worker()
    receipt = agent.end_conversation("ann", user("我住在上海。我不吃香菜。"), conversation_id="c1")
    status = receipt.wait(40)
    assert (status.outcome, status.attempts) == (Outcome.WRITTEN, 1)
    assert "上海" in other.recall("ann", "我住在哪里？").text
    assert other.receipt(receipt.id).status().fates == status.fates
    # A direct write is in SQL at once, and in the index and the shared summary when a worker was there.
    other.write_profile(entity_id="ann", attr_name="pet", attr_value="一只猫")
    assert agent.flush(40)
    assert drift(agent._runtime) == 0
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        prefix = service.settings["deployment"]
        wait_until(lambda: any("一只猫" in client.get(k) for k in client.keys(f"{prefix}:summary:*")), seconds=20)


@pytest.mark.parametrize(
    ("point", "passing"),
    [("extract.done", "2"), ("dedupe.committed", "2"), ("settle.in_transaction", "2"), ("index.upserted", "1")],
)
def test_a_worker_killed_in_the_middle_loses_nothing_and_repeats_nothing(
    service: Service, point: str, passing: str
) -> None:
    service.settings["lease_seconds"] = 1.5
    memory = service.memory()
    receipts = tell(memory)
    assert service.worker(point, passing).killed()
    service.worker()
    check_applied_once(memory, wait_until(settled(memory, receipts), seconds=40, what="all are settled"))


def test_a_broker_that_lost_everything_costs_time_alone(service: Service, redis_url: str) -> None:
    memory = service.memory()
    receipts = tell(memory)
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() > 0
        client.flushall()
    service.worker()
    check_applied_once(memory, wait_until(settled(memory, receipts), seconds=40, what="all are settled"))


def test_intake_goes_on_without_a_broker_and_a_cache(service: Service) -> None:
    alone = service.memory(broker_url=NO_SERVER, cache_url=NO_SERVER)
    receipts = tell(alone)
    assert [alone.receipt(each).status().settled for each in receipts] == [False] * len(SAID)
    found = {check.name: check.found for check in alone.diagnose()}
    assert "did not reach the broker" in found["background"]
    with pytest.raises(TimeoutError, match="the conversation is safe"):
        alone.receipt(receipts[0]).wait(0.05)
    memory = service.memory()
    service.worker()
    check_applied_once(memory, wait_until(settled(memory, receipts), seconds=40, what="all are settled"))


def test_the_sweeper_does_not_fill_a_queue_that_nobody_empties(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "FULL", 12)
    memory = service.memory()
    tell(memory)
    messages = memory._runtime.queue
    assert isinstance(messages, queue.TaskQueue)
    assert messages.length("extract") == 5
    assert [inbox.sweep(memory._runtime) for _ in range(4)] == [5, 2, 0, 0]
    assert messages.length("extract") == 12


def test_the_command_of_the_deployment_works_with_processes_of_its_own(
    service: Service, embedder: Embedder, tmp_path: Path
) -> None:
    """``celery -A easy_data.workers.app worker`` with the settings in the environment, in a pool that forks."""
    memory = service.memory(embedder=embedder)
    variables = {f"EASY_DATA_{name.upper()}": str(value) for name, value in service.settings.items()}
    arguments = ["-A", "easy_data.workers.app", "worker", "--concurrency", "1", "--loglevel", "WARNING"]
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", *arguments],
        cwd=tmp_path,
        env=os.environ | variables | {"PYTHONPATH": str(ROOT)},
    )
    try:
        status = memory.end_conversation("ann", user("I live in Oslo."), conversation_id="c1").wait(50)
        assert status.outcome is Outcome.WRITTEN
    finally:
        process.terminate()
        assert process.wait(30) == 0
