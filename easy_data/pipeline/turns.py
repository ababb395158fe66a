"""Whose turn it is: the conversations of an entity take effect one after the other, in the order they came in."""

from __future__ import annotations

from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories import claims
from easy_data.stores.repositories.conversations import InboxRow


def end_unread(row: InboxRow, runtime: Runtime, outcome: Outcome, reason: str) -> None:
    """End a conversation that has no effect, and let the entity's next one go on if it waits for that."""
    with runtime.database.write() as connection:
        claims.settle(connection, row, outcome, reason=reason, now=runtime.clock.now())
        following = claims.next_of_entity(connection, row.scope)
    wake(following, runtime)


def wake(following: str | None, runtime: Runtime) -> None:
    """Send for a conversation whose turn has come, if there is one."""
    if following is not None:
        runtime.queue.wake(State.PLANNED, following)
