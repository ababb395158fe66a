"""The stages as the service's workers take them: from message to message, on a real PostgreSQL, whatever comes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from easy_data.pipeline import inbox
from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.pipeline.intake import accept
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.conversation import Conversation, ConversationInput
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelUnavailable, NotFound, StoreBusy
from easy_data.schemas.ids import new_id
from easy_data.schemas.ports import Extraction
from easy_data.schemas.receipts import Outcome, State
from easy_data.schemas.registry import Registry
from easy_data.stores.repositories import candidates, conversations, history, memories
from tests.fixtures.deliveries import Deliveries
from tests.fixtures.service import Service
from tests.fixtures.waiting import wait_until

Stage = Callable[..., tuple[Runtime, Deliveries]]


@pytest.fixture
def stage(service: Service) -> Stage:
    """Build the parts of a worker over a queue that the test delivers."""

    def build(queue: Deliveries | None = None, **parts: Any) -> tuple[Runtime, Deliveries]:
        queue = queue if queue is not None else Deliveries()
        return dataclasses.replace(service.runtime(**parts), queue=queue), queue

    return build


class Failing:
    """The patterns, after a number of failures."""

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)
        self._patterns = PatternExtractor(Registry())

    def extract(self, conversation: Conversation) -> Extraction:
        if self._failures:
            raise self._failures.pop(0)
        return self._patterns.extract(conversation)


def say(runtime: Runtime, text: str, name: str, entity: str = "ann") -> str:
    messages = [{"role": "user", "content": text}]
    return accept(ConversationInput(entity_id=entity, messages=messages, conversation_id=name), runtime).row_id


def deliver_all(runtime: Runtime, queue: Deliveries) -> None:
    """Deliver, and sweep for what waits for its next attempt, until nothing is open."""

    def nothing_is_open() -> bool:
        inbox.sweep(runtime)
        queue.deliver(runtime)
        with runtime.database.read() as connection:
            return conversations.open_count(connection, runtime.settings.tenant_id)[0] == 0

    wait_until(nothing_is_open)


def effects(runtime: Runtime, entity: str = "ann") -> list[tuple[str, int, int]]:
    """Return each fact's value with its version and number of revisions."""
    scope = runtime.scope(entity)
    with runtime.database.read() as connection:
        facts = memories.profile(connection, scope, limit=100)
        return sorted((f.attr_value, f.version, len(history.of_memory(connection, scope, f.id))) for f in facts)


def test_one_message_takes_a_conversation_all_the_way_and_counts_one_attempt(stage: Stage) -> None:
    runtime, queue = stage()
    row = say(runtime, "I live in Oslo.", "c1")
    queue.deliver(runtime)
    status = inbox.status(runtime, row)
    assert (status.outcome, status.attempts) == (Outcome.WRITTEN, 1)
    assert queue.delivered == [(State.RECEIVED, row, True)]


@pytest.mark.parametrize(
    ("point", "state"),
    [
        ("extract.committed", State.EXTRACTED),
        ("classify.committed", State.CLASSIFIED),
        ("dedupe.committed", State.PLANNED),
    ],
)
def test_a_conversation_goes_on_with_the_stage_it_has_come_to(stage: Stage, point: str, state: State) -> None:
    left = [StoreBusy("gone"), None, None, None]

    def lose_the_database(name: str) -> None:
        if name == point and (error := left.pop(0)) is not None:
            raise error

    runtime, queue = stage(reached=lose_the_database)
    row = say(runtime, "I live in Oslo.", "c1")
    queue.deliver(runtime)
    assert inbox.status(runtime, row).state is state
    deliver_all(runtime, queue)
    assert inbox.status(runtime, row).outcome is Outcome.WRITTEN
    # A message for any other stage of it has nothing to do.
    assert [(at, done) for at, _, done in queue.delivered if done] == [(State.RECEIVED, True), (state, True)]
    assert effects(runtime) == [("Oslo", 1, 1)]


def test_a_step_that_a_crash_of_the_database_took_back_is_not_built_upon(stage: Stage) -> None:
    """The checkpoint is gone although its commit was answered: the worker stops, and the next one does it again."""
    crashes = ["extract.committed"]

    def crash(name: str) -> None:
        if name in crashes:
            crashes.remove(name)
            with runtime.database.write() as connection:
                candidates.forget(connection, row)
                connection.execute(conversations.table.update().values(state=State.RECEIVED))

    runtime, queue = stage(reached=crash)
    row = say(runtime, "I live in Oslo.", "c1")
    queue.deliver(runtime)
    assert inbox.status(runtime, row).state is State.RECEIVED
    with runtime.database.write() as connection:
        connection.execute(conversations.table.update().values(lease_until=None))
    deliver_all(runtime, queue)
    assert inbox.status(runtime, row).outcome is Outcome.WRITTEN
    assert effects(runtime) == [("Oslo", 1, 1)]


@pytest.mark.parametrize("newest_first", [False, True])
def test_every_message_delivered_thrice_and_in_any_order_changes_nothing(stage: Stage, newest_first: bool) -> None:
    runtime, queue = stage(Deliveries(times=3, newest_first=newest_first))
    rows = {say(runtime, "I live in Oslo. I have two cats.", f"c{number}") for number in range(4)}
    queue.deliver(runtime)
    before = effects(runtime)
    assert {inbox.status(runtime, row).outcome for row in rows} == {Outcome.WRITTEN}
    for state, row, _ in list(queue.delivered):
        assert not inbox.work_stage(runtime, row, state)
    assert effects(runtime) == before
    assert {revisions for _, _, revisions in before} == {4}


def test_effects_come_in_intake_order_whatever_order_the_messages_come_in(stage: Stage) -> None:
    runtime, queue = stage(Deliveries(newest_first=True))
    rows = [say(runtime, f"I live in {city}.", f"c{n}") for n, city in enumerate(("Oslo", "Bergen", "Paris"))]
    queue.deliver(runtime)
    first, *others = rows
    # The later ones come as far as they may, and are woken in their order.
    begun = [(State.RECEIVED, row, True) for row in (*reversed(others), first)]
    assert queue.delivered == [*begun, *((State.PLANNED, row, True) for row in others)]


def test_failed_attempts_stay_counted_and_finished_stages_do_not_pile_up(stage: Stage) -> None:
    bad = [ModelAnswerUnreadable() for _ in range(3)]
    runtime, queue = stage(extractor=Failing(*bad))
    row = say(runtime, "I live in Oslo.", "c1")
    deliver_all(runtime, queue)
    status = inbox.status(runtime, row)
    assert (status.outcome, status.attempts) == (Outcome.WRITTEN, 4)


def test_an_outage_costs_no_attempt(stage: Stage) -> None:
    runtime, queue = stage(extractor=Failing(*[ModelUnavailable() for _ in range(8)]))
    row = say(runtime, "I live in Oslo.", "c1")
    deliver_all(runtime, queue)
    assert inbox.status(runtime, row).outcome is Outcome.WRITTEN


def test_a_conversation_that_always_fails_is_a_dead_letter_and_lets_the_next_one_settle(stage: Stage) -> None:
    bad = [RuntimeError() for _ in range(5)]
    runtime, queue = stage(extractor=Failing(*bad))
    poison = say(runtime, "I live in Oslo.", "c1")
    deliver_all(runtime, queue)
    after = say(runtime, "I have two cats.", "c2")
    deliver_all(runtime, queue)
    assert inbox.status(runtime, poison).outcome is Outcome.DEAD_LETTER
    assert inbox.status(runtime, after).outcome is Outcome.WRITTEN
    inbox.replay(runtime, poison)
    queue.deliver(runtime)
    assert inbox.status(runtime, poison).outcome is Outcome.WRITTEN


def test_a_conversation_that_waits_for_an_earlier_one_is_woken_when_that_settles(stage: Stage) -> None:
    runtime, queue = stage()
    first, second = say(runtime, "I live in Oslo.", "c1"), say(runtime, "I have two cats.", "c2")
    late = queue.pending.popleft()
    queue.deliver(runtime)
    assert inbox.status(runtime, second).state is State.PLANNED
    assert inbox.sweep(runtime) == 1
    queue.pending.clear()
    queue.pending.append(late)
    queue.deliver(runtime)
    assert [inbox.status(runtime, row).outcome for row in (first, second)] == [Outcome.WRITTEN] * 2


def test_a_message_for_nobodys_conversation_does_nothing(stage: Stage) -> None:
    runtime, _ = stage()
    assert not inbox.work_stage(runtime, new_id(), State.RECEIVED)
    with pytest.raises(NotFound):
        inbox.work_stage(runtime, "'; DROP TABLE conversations", State.RECEIVED)


def test_a_conversation_of_another_tenant_cannot_be_worked_on(service: Service, stage: Stage) -> None:
    runtime, _ = stage()
    other = service.runtime({"tenant_id": "other"})
    row = say(runtime, "I live in Oslo.", "c1")
    assert not inbox.work_stage(other, row, State.RECEIVED)
    assert inbox.sweep(other) == 0
    assert inbox.status(runtime, row).state is State.RECEIVED
