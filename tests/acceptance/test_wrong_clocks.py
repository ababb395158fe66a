"""Clocks that are wrong: of a phone, of this machine, forward and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from easy_data.schemas.receipts import Outcome, State
from tests.fixtures.memories import Open
from tests.fixtures.talk import SetClock, facts, tell, user
from tests.fixtures.waiting import wait_until

NOW = datetime(2026, 5, 11, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize("pinned", ["2999-01-01T00:00Z", "2026-06-01T00:00Z"])
def test_a_statement_dated_in_the_future_does_not_stand_above_what_is_said_later(
    open_memory: Open, pinned: str
) -> None:
    clock = SetClock(NOW)
    memory = open_memory(clock=clock)
    memory.end_conversation("ann", [user("I live in Oslo.", timestamp=pinned)]).wait(30)
    clock.move(timedelta(days=2))
    tell(memory, "I moved to Berlin.")
    (item,) = memory.pending_review("ann")
    memory.review(item.id, "approve")
    assert facts(memory)["location"] == {"Berlin"}


def test_a_conversation_taken_in_while_the_clock_was_ahead_does_not_wait_for_that_time(open_memory: Open) -> None:
    clock = SetClock(NOW + timedelta(days=2))
    memory = open_memory(clock=clock, auto_extract=False)
    memory.end_conversation("ann", [user("hello")]).wait(30)
    memory.close()
    slow = open_memory(
        clock=clock, max_attempts=5, retry_seconds=3600, llm_base_url="http://127.0.0.1:9", llm_model="x"
    )
    receipt = slow.end_conversation("ann", [user("I live in Oslo.")])
    wait_until(lambda: receipt.status().attempts > 0)
    slow.close()
    clock.move(timedelta(days=-2))
    again = open_memory(clock=clock)
    assert again.receipt(receipt.id).wait(30).outcome is Outcome.WRITTEN
    assert again.receipt(receipt.id).status().state is State.SETTLED
