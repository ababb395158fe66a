"""Messages that are not ours: refused and counted, and nothing is done."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from celery.exceptions import Reject

from easy_data.pipeline import inbox
from easy_data.pipeline.intake import accept
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.conversation import ConversationInput
from easy_data.schemas.ids import new_id
from easy_data.schemas.receipts import State
from easy_data.workers.process import PROCESS
from easy_data.workers.tasks import TASKS
from tests.fixtures.deliveries import Deliveries
from tests.fixtures.service import Service


@pytest.fixture
def runtime(service: Service) -> Iterator[Runtime]:
    """The runtime of this process, as tasks find it."""
    built = dataclasses.replace(service.runtime(), queue=Deliveries())
    PROCESS.prepare(lambda: built)
    PROCESS.counts.clear()
    yield built
    PROCESS.close()


@pytest.fixture
def row(runtime: Runtime) -> str:
    """A conversation that waits to be read."""
    messages = [{"role": "user", "content": "I live in Oslo."}]
    return accept(ConversationInput(entity_id="ann", messages=messages), runtime).row_id


@pytest.mark.parametrize("task", sorted(TASKS))
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"tenant_id": "default", "surprise": 1},
        {"tenant_id": "other"},
        {"tenant_id": "other", "row_id": "x", "entity_id": "ann"},
        {"tenant_id": ["default"]},
        {"tenant_id": 7},
    ],
)
def test_a_message_with_fields_that_are_not_its_own_is_rejected(
    runtime: Runtime, task: str, fields: dict[str, object]
) -> None:
    with pytest.raises(Reject):
        TASKS[task](**fields)
    assert PROCESS.counts == {"rejected": 1}


def test_another_tenants_message_does_nothing_to_a_conversation(runtime: Runtime, row: str) -> None:
    with pytest.raises(Reject):
        TASKS["easy_data.extract"](tenant_id="other", row_id=row)
    with pytest.raises(Reject):
        TASKS["easy_data.extract"]("default", row)
    with pytest.raises(Reject):
        TASKS["easy_data.extract"](tenant_id="default", row_id="../../etc/passwd")
    assert inbox.status(runtime, row).state is State.RECEIVED
    assert PROCESS.counts == {"rejected": 3}


def test_a_message_that_comes_again_or_for_nothing_is_counted_as_idle(runtime: Runtime, row: str) -> None:
    for row_id in (row, row, new_id()):
        TASKS["easy_data.extract"](tenant_id="default", row_id=row_id)
    TASKS["easy_data.settle"](tenant_id="default", row_id=row)
    assert PROCESS.counts == {"done": 1, "idle": 3}
    assert inbox.status(runtime, row).state is State.SETTLED


def test_the_tick_wakes_what_is_due_and_keeps_what_is_there(runtime: Runtime, row: str) -> None:
    queue = runtime.queue
    assert isinstance(queue, Deliveries)
    queue.pending.clear()
    for name in ("easy_data.sweep", "easy_data.sweep", "easy_data.maintain"):
        TASKS[name](tenant_id="default")
    assert list(queue.pending) == [(State.RECEIVED, row)] * 2
    assert queue.index_asked
    # An index that was made a moment ago is known to hold everything now.
    assert runtime.index.state().rebuilt_reason == ""
