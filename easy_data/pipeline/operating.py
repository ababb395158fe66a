"""Looking after the work: how much of it waits, how it goes on, and what could not be done."""

from __future__ import annotations

from datetime import datetime, timedelta

from easy_data.pipeline.budget import model_day
from easy_data.pipeline.inbox import dead_letters, replay, status
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import NotFound
from easy_data.schemas.receipts import Outcome, ReceiptStatus
from easy_data.schemas.service_status import ServiceStatus
from easy_data.stores.repositories import claims, conversations, tallies

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def service_status(runtime: Runtime) -> ServiceStatus:
    """Return the state of the work of this tenant, as SQL and the broker tell it. Raises ``StoreError``."""
    tenant_id = runtime.settings.tenant_id
    queues = runtime.queue.lengths()
    now = runtime.clock.now()
    with runtime.database.read() as connection:
        queue_now = runtime.queue_time(connection)
        due, due_since = claims.waiting(connection, tenant_id, now=queue_now)
        unindexed, unindexed_since = tallies.unindexed(connection, tenant_id)
        _, oldest = conversations.open_count(connection, tenant_id)
        return ServiceStatus(
            at=now,
            queues=queues,
            conversations=tallies.by_state(connection, tenant_id),
            outcomes=tallies.by_outcome(connection, tenant_id),
            oldest_open_seconds=_age(oldest, now),
            due=due,
            oldest_due_seconds=_age(due_since, queue_now),
            postponed=tallies.postponed(connection, tenant_id),
            settled_last_minute=tallies.settled_since(connection, tenant_id, now - MINUTE),
            settled_last_hour=tallies.settled_since(connection, tenant_id, now - HOUR),
            unindexed=unindexed,
            oldest_unindexed_seconds=_age(unindexed_since, now),
            model_today=model_day(connection, runtime),
        )


def dead_letter(runtime: Runtime, receipt_id: str) -> ReceiptStatus:
    """Return one conversation that could not be processed, with the fates it had. Raises ``NotFound``."""
    found = status(runtime, receipt_id)
    if found.outcome is not Outcome.DEAD_LETTER:
        raise NotFound("no dead letter has this receipt")
    return found


def replay_all(runtime: Runtime, *, limit: int = 100_000) -> list[str]:
    """Put every dead letter there is now back at the start, the oldest first; return their receipts."""
    letters = [letter.receipt_id for letter in dead_letters(runtime, limit=limit)]
    replayed = []
    for receipt_id in reversed(letters):
        try:
            replay(runtime, receipt_id)
        except NotFound:
            continue  # somebody else has just replayed or erased it
        replayed.append(receipt_id)
    return replayed


def _age(since: datetime | None, now: datetime) -> float | None:
    return None if since is None else round(max(0.0, (now - since).total_seconds()), 3)
