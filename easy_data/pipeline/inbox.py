"""Runs the four steps over the inbox: claims what is due, takes it a step or as far as it goes, puts failures aside."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.steps.classify import classify
from easy_data.pipeline.steps.dedupe import dedupe
from easy_data.pipeline.steps.extract import extract
from easy_data.pipeline.steps.settle import settle
from easy_data.pipeline.turns import end_unread
from easy_data.schemas.candidates import CandidateFate
from easy_data.schemas.errors import (
    EasyDataError,
    IndexUnavailable,
    ModelUnavailable,
    NotFound,
    StoreBusy,
    StoreReadOnly,
)
from easy_data.schemas.ids import checked_record_id
from easy_data.schemas.log import get_logger
from easy_data.schemas.receipts import Outcome, ReceiptStatus, State
from easy_data.stores.repositories import candidates, claims, conversations, outbox
from easy_data.stores.repositories.conversations import InboxRow

log = get_logger(__name__)

# The step that follows each state.
STEPS = {State.RECEIVED: extract, State.EXTRACTED: classify, State.CLASSIFIED: dedupe, State.PLANNED: settle}
NEXT = {State.RECEIVED: State.EXTRACTED, State.EXTRACTED: State.CLASSIFIED, State.CLASSIFIED: State.PLANNED}
# Something else is down: the conversation waits as long as that lasts, and the attempt does not count against it.
OUTAGES = (ModelUnavailable, IndexUnavailable, StoreBusy, StoreReadOnly)
LONGEST_WAIT_SECONDS = 600.0


def work_one(runtime: Runtime) -> bool:
    """Take one due conversation as far as it goes; False when nothing is due."""
    # A server may lose a claim in a crash that its worker outlives, and give the same fence out again; a file cannot.
    with runtime.database.write(durable=runtime.database.dialect != "sqlite") as connection:
        now = runtime.queue_time(connection)
        row = claims.claim(connection, now=now, lease_until=now + _lease(runtime), tenant_id=runtime.settings.tenant_id)
    if row is None:
        return False
    _attempt(row, runtime)
    return True


def work_stage(runtime: Runtime, row_id: str, state: State) -> bool:
    """Do the step that follows ``state`` of a conversation, and go on with it as far as it goes.

    What one step found is committed before the next begins. To send a message for each would cost more than most steps,
    so one is sent only for a conversation that another worker is to go on with: one that waited for its turn.

    False when there was nothing to do: the step is done, another worker is at it, it is not due or not its turn, or no
    conversation of this tenant has the id. Asking twice therefore changes nothing. Raises ``NotFound`` for what is no
    id, and ``StoreError`` when the database cannot be asked; what a step raises is written down with the row.
    """
    row_id = checked_record_id(row_id)
    with runtime.database.write() as connection:
        now = runtime.queue_time(connection)
        row = claims.claim_stage(
            connection, row_id, state, now=now, lease_until=now + _lease(runtime), tenant_id=runtime.settings.tenant_id
        )
    if row is None:
        return False
    _attempt(row, runtime)
    return True


def sweep(runtime: Runtime) -> int:
    """Wake the workers for everything that is due, whatever became of earlier messages; return how much was due.

    Only as many messages are sent as the queues have room for, so that a long backlog does not grow with each sweep.
    """
    number = 0
    for state in STEPS:
        room = runtime.queue.room(state)
        with runtime.database.read() as connection:
            now = runtime.queue_time(connection)
            ids = claims.due(connection, runtime.settings.tenant_id, state, now=now, limit=room)
        for row_id in ids:
            runtime.queue.wake(state, row_id)
        number += len(ids)
    with runtime.database.read() as connection:
        unindexed = outbox.waiting(connection, runtime.settings.tenant_id)
    if unindexed:
        runtime.queue.index()
    return number + unindexed


def drain(runtime: Runtime) -> int:
    """Work until nothing is due; return how many claims that took."""
    done = 0
    while work_one(runtime):
        done += 1
    return done


def status(runtime: Runtime, receipt_id: str, *, duplicate: bool = False) -> ReceiptStatus:
    """Return what SQL says of one accepted conversation now. Raises ``NotFound``."""
    receipt_id = checked_record_id(receipt_id)
    with runtime.database.read() as connection:
        row = conversations.find(connection, runtime.settings.tenant_id, receipt_id)
        if row is None:
            raise NotFound("no conversation was accepted under this receipt")
        fates = candidates.fates(connection, row.id)
    return _status(row, fates, duplicate=duplicate)


def dead_letters(runtime: Runtime, *, limit: int = 100) -> list[ReceiptStatus]:
    """Return the conversations that could not be processed, the newest first."""
    with runtime.database.read() as connection:
        rows = conversations.with_outcome(connection, runtime.settings.tenant_id, Outcome.DEAD_LETTER, limit=limit)
    return [_status(row, (), duplicate=False) for row in rows]


def replay(runtime: Runtime, receipt_id: str) -> None:
    """Put a dead letter back at the start. Raises ``NotFound`` when it is none."""
    receipt_id = checked_record_id(receipt_id)
    with runtime.database.write() as connection:
        now = runtime.queue_time(connection)
        revived = claims.revive(connection, runtime.settings.tenant_id, receipt_id, now=now)
    if not revived:
        raise NotFound("no dead letter has this receipt")
    runtime.queue.wake(State.RECEIVED, receipt_id)


def _lease(runtime: Runtime) -> timedelta:
    return timedelta(seconds=runtime.settings.lease_seconds)


def _attempt(row: InboxRow, runtime: Runtime) -> None:
    """Take a claimed row through its steps; whatever goes wrong is put down with it, as far as it has come."""
    runtime.reached("claim.committed")
    if row.attempts - row.outages > runtime.settings.max_attempts:
        _bury(row, runtime, f"{row.attempts} attempts ended without a result")
        return
    try:
        while STEPS[row.state](row, runtime) and row.state in NEXT:
            row = replace(row, state=NEXT[row.state])
    except Exception as error:  # noqa: BLE001 - whatever a conversation causes, the others go on and its reason is kept
        _put_aside(row, runtime, error)


def _put_aside(row: InboxRow, runtime: Runtime, error: Exception) -> None:
    with runtime.database.read() as connection:
        if conversations.find(connection, row.scope.tenant_id, row.id) is None:
            return  # it was erased while it was worked on
    # Only our own messages are kept: those of others may quote what the user said.
    reason = f"{error.code}: {error}" if isinstance(error, EasyDataError) else type(error).__name__
    outage = isinstance(error, OUTAGES)
    counted = row.attempts - row.outages
    hopeless = isinstance(error, EasyDataError) and not error.retryable and not outage
    log.warning(
        "conversation.postponed",
        receipt=row.id,
        state=row.state.value,
        attempts=row.attempts,
        error=type(error).__name__,
    )
    if not outage and (hopeless or counted >= runtime.settings.max_attempts):
        _bury(row, runtime, reason)
        return
    # The exponent is capped, not only the wait: during a long outage attempts pass what a float can hold.
    wait = min(LONGEST_WAIT_SECONDS, runtime.settings.retry_seconds * 2 ** min(row.attempts - 1, 20))
    with runtime.database.write() as connection:
        until = runtime.queue_time(connection) + timedelta(seconds=wait)
        claims.postpone(connection, row, until=until, reason=reason, outage=outage)


def _bury(row: InboxRow, runtime: Runtime, reason: str) -> None:
    log.error("conversation.dead_letter", receipt=row.id, attempts=row.attempts)
    end_unread(row, runtime, Outcome.DEAD_LETTER, reason)


def _status(row: InboxRow, fates: tuple[CandidateFate, ...], *, duplicate: bool) -> ReceiptStatus:
    notes = (row.payload or {}).get("notes", {})
    return ReceiptStatus(
        receipt_id=row.id,
        tenant_id=row.scope.tenant_id,
        entity_id=row.scope.entity_id,
        conversation_id=row.conversation_id,
        revision=row.revision,
        entity_seq=row.entity_seq,
        received_at=row.received_at,
        state=row.state,
        outcome=row.outcome,
        reason=row.reason,
        attempts=row.attempts,
        duplicate=duplicate,
        notes=notes,
        unread=row.unread,
        fates=fates,
    )
