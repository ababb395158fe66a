"""Runs the four steps over the inbox: claims what is due, takes it as far as it goes, and puts failures aside."""

from __future__ import annotations

from datetime import timedelta

from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.steps.classify import classify
from easy_data.pipeline.steps.dedupe import dedupe
from easy_data.pipeline.steps.extract import extract
from easy_data.pipeline.steps.settle import settle
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
from easy_data.stores.repositories import candidates, claims, conversations
from easy_data.stores.repositories.conversations import InboxRow

log = get_logger(__name__)

# The step that follows each state.
STEPS = {State.RECEIVED: extract, State.EXTRACTED: classify, State.CLASSIFIED: dedupe, State.PLANNED: settle}
# Something else is down: the conversation waits as long as that lasts, and the attempt does not count against it.
OUTAGES = (ModelUnavailable, IndexUnavailable, StoreBusy, StoreReadOnly)
LONGEST_WAIT_SECONDS = 600.0


def work_one(runtime: Runtime) -> bool:
    """Take one due conversation as far as it goes; False when nothing is due."""
    now = runtime.clock.now()
    lease = now + timedelta(seconds=runtime.settings.lease_seconds)
    with runtime.database.write() as connection:
        row = claims.claim(connection, now=now, lease_until=lease, tenant_id=runtime.settings.tenant_id)
    if row is None:
        return False
    runtime.reached("claim.committed")
    if row.attempts - row.outages > runtime.settings.max_attempts:
        _bury(row, runtime, f"{row.attempts} attempts ended without a result")
        return True
    try:
        _advance(row, runtime)
    except Exception as error:  # noqa: BLE001 - whatever a conversation causes, the others go on and its reason is kept
        _put_aside(row, runtime, error)
    return True


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
        revived = claims.revive(connection, runtime.settings.tenant_id, receipt_id, now=runtime.clock.now())
    if not revived:
        raise NotFound("no dead letter has this receipt")


def _advance(row: InboxRow, runtime: Runtime) -> None:
    while True:
        if row.state is State.PLANNED and _must_wait(row, runtime):
            return
        if not STEPS[row.state](row, runtime):
            return
        with runtime.database.read() as connection:
            after = conversations.find(connection, row.scope.tenant_id, row.id)
        if after is None or after.fence != row.fence or after.state is State.SETTLED:
            return
        row = after


def _must_wait(row: InboxRow, runtime: Runtime) -> bool:
    """Effects come in intake order: hand the row back while an earlier one of its entity is open."""
    with runtime.database.write() as connection:
        blocked = claims.is_blocked(connection, row)
        if blocked:
            claims.release(connection, row)
    return blocked


def _put_aside(row: InboxRow, runtime: Runtime, error: Exception) -> None:
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
    wait = min(LONGEST_WAIT_SECONDS, runtime.settings.retry_seconds * 2 ** (row.attempts - 1))
    with runtime.database.write() as connection:
        until = runtime.clock.now() + timedelta(seconds=wait)
        claims.postpone(connection, row, until=until, reason=reason, outage=outage)


def _bury(row: InboxRow, runtime: Runtime, reason: str) -> None:
    log.error("conversation.dead_letter", receipt=row.id, attempts=row.attempts)
    with runtime.database.write() as connection:
        claims.settle(connection, row, Outcome.DEAD_LETTER, reason=reason, now=runtime.clock.now())


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
