"""The one message that carries a conversation: what no publisher made does nothing, and what waits is not lost."""

from __future__ import annotations

import base64
import dataclasses
import importlib
import zlib
from collections.abc import Iterator

import pytest
from celery.exceptions import Reject
from sqlalchemy import func, select

from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import StoreBusy
from easy_data.schemas.ids import new_id
from easy_data.schemas.publishing import packed
from easy_data.stores.tables import conversations
from easy_data.workers.process import PROCESS
from easy_data.workers.tasks import TASKS
from tests.fixtures.deliveries import Deliveries
from tests.fixtures.service import Service
from tests.fixtures.talk import user

SUBMIT = TASKS["easy_data.submit"]


@pytest.fixture
def runtime(service: Service) -> Iterator[Runtime]:
    """The runtime of this process, as tasks find it."""
    built = dataclasses.replace(service.runtime({"max_conversation_bytes": 10_000}), queue=Deliveries())
    PROCESS.prepare(lambda: built)
    PROCESS.counts.clear()
    yield built
    PROCESS.close()


def stored(runtime: Runtime) -> int:
    with runtime.database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(conversations)).scalar_one())


def body(**changes: object) -> str:
    fields = {"entity_id": "ann", "messages": [user("I live in Oslo.")], "conversation_id": "c1"}
    return packed(fields | changes, limit=1_000_000)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no base64!",
        base64.b64encode(b"not compressed").decode(),
        base64.b64encode(zlib.compress(b"[1, 2]")).decode(),
        base64.b64encode(zlib.compress(b"[" * 5000)).decode(),
        base64.b64encode(zlib.compress(b"{}")[:-4]).decode(),
        "é" * 10,
    ],
)
def test_a_body_no_publisher_made_is_rejected_and_counted(runtime: Runtime, text: str) -> None:
    with pytest.raises(Reject) as caught:
        SUBMIT(tenant_id="default", submission_id=new_id(), body=text)
    assert not caught.value.requeue
    assert PROCESS.counts == {"rejected": 1}
    assert stored(runtime) == 0


def test_a_submission_id_that_is_none_is_rejected(runtime: Runtime) -> None:
    with pytest.raises(Reject):
        SUBMIT(tenant_id="default", submission_id="../../etc", body=body())
    assert PROCESS.counts == {"rejected": 1}
    assert stored(runtime) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"entity_id": 7},
        {"entity_id": "x" * 300},
        {"messages": "text"},
        {"surprise": True},
        {"language": "xx"},
        {"time_zone": "Mars/Olympus"},
        {"messages": [user("x" * 20_000)]},
        {"messages": [user("x" * 900_000)]},
    ],
)
def test_what_intake_cannot_use_is_refused_and_the_publisher_told(runtime: Runtime, wrong: dict[str, object]) -> None:
    submission = new_id()
    SUBMIT(tenant_id="default", submission_id=submission, body=body(**wrong))
    assert PROCESS.counts == {"refused": 1}
    assert stored(runtime) == 0
    assert runtime.receipts is not None
    receipt = runtime.receipts.take([submission])[submission]
    assert receipt.receipt_id is None
    assert receipt.reason
    assert "xxxx" not in receipt.reason


def test_a_conversation_without_an_id_that_comes_twice_is_one(runtime: Runtime) -> None:
    submission = new_id()
    for _ in range(2):
        SUBMIT(tenant_id="default", submission_id=submission, body=body(conversation_id=None))
    assert PROCESS.counts == {"done": 2}
    assert stored(runtime) == 1
    assert runtime.receipts is not None
    assert runtime.receipts.take([submission, new_id()])[submission].duplicate
    assert runtime.receipts.take([submission]) == {}


def test_while_the_database_is_away_the_message_stays_with_the_broker(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Runtime:
        raise StoreBusy

    monkeypatch.setattr(importlib.import_module("easy_data.workers.tasks.submit"), "PAUSE_SECONDS", 0.0)
    PROCESS.close()
    PROCESS.prepare(away)
    with pytest.raises(Reject) as caught:
        SUBMIT(tenant_id="default", submission_id=new_id(), body=body())
    assert caught.value.requeue
    assert PROCESS.counts == {}
