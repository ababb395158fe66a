"""Claims: who works on a conversation now. Leases free what a dead worker held; the fence stops what it still tries."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, or_, select, update

from easy_data.schemas.ids import Scope
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories.conversations import InboxRow, inbox_row
from easy_data.stores.repositories.scoping import owned
from easy_data.stores.tables import conversations as table

_EARLIER = table.alias("earlier")
_BLOCKED = (
    select(_EARLIER.c.id)
    .where(
        _EARLIER.c.tenant_id == table.c.tenant_id,
        _EARLIER.c.entity_id == table.c.entity_id,
        _EARLIER.c.entity_seq < table.c.entity_seq,
        _EARLIER.c.state != State.SETTLED,
    )
    .exists()
)


def claim(connection: Connection, *, now: datetime, lease_until: datetime, tenant_id: str) -> InboxRow | None:
    """Take the next due conversation: count the attempt, lease it and raise its fence; None when nothing is due.

    A row that is ready to settle waits until every earlier row of its entity has settled, so that effects come in
    intake order; its earlier stages do not wait.
    """
    due = (
        select(table.c.id)
        .where(*_due(tenant_id, now))
        .order_by(table.c.next_attempt_at, table.c.received_at, table.c.entity_seq)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row_id = connection.execute(due).scalar_one_or_none()
    return None if row_id is None else _taken(connection, row_id, lease_until)


def claim_stage(
    connection: Connection, row_id: str, state: State, *, now: datetime, lease_until: datetime, tenant_id: str
) -> InboxRow | None:
    """Take this conversation for the one step that follows ``state``; None when that step is not due.

    It is not when another worker has it, when it was done already, or when it is not the row's turn.
    """
    due = (
        select(table.c.id).where(table.c.id == row_id, table.c.state == state, *_due(tenant_id, now)).with_for_update()
    )
    if connection.execute(due).scalar_one_or_none() is None:
        return None
    return replace(_taken(connection, row_id, lease_until), one_stage=True)


def due(connection: Connection, tenant_id: str, state: State, *, now: datetime, limit: int) -> list[str]:
    """Return the conversations whose next step, the one after ``state``, nobody is at; the longest waiting first."""
    found = connection.execute(
        select(table.c.id)
        .where(table.c.state == state, *_due(tenant_id, now))
        .order_by(table.c.next_attempt_at, table.c.received_at, table.c.entity_seq)
        .limit(limit)
    )
    return list(found.scalars())


def next_of_entity(connection: Connection, scope: Scope) -> str | None:
    """Return the entity's first open conversation if it only waits to settle."""
    first = connection.execute(
        select(table.c.id, table.c.state)
        .where(*owned(table, scope), table.c.state != State.SETTLED)
        .order_by(table.c.entity_seq)
        .limit(1)
    ).one_or_none()
    return first.id if first is not None and first.state == State.PLANNED else None


def is_blocked(connection: Connection, row: InboxRow) -> bool:
    """Tell if an earlier conversation of the same entity has not settled yet."""
    found = connection.execute(select(table.c.id).where(table.c.id == row.id, _BLOCKED))
    return found.one_or_none() is not None


def is_held(connection: Connection, row: InboxRow) -> bool:
    """Lock the row and tell if it is still this worker's and open."""
    fence, state = connection.execute(
        select(table.c.fence, table.c.state).where(table.c.id == row.id).with_for_update()
    ).one()
    return bool(fence == row.fence and state != State.SETTLED)


def advance(connection: Connection, row: InboxRow, state: State, **values: Any) -> bool:
    """Move the row to ``state`` under its fence; False when another worker has taken it meanwhile.

    A row that was claimed for one stage is free for whoever does the next, and the attempt, which succeeded, is given
    back: what stays counted are the attempts that failed.
    """
    if row.one_stage and state is not State.SETTLED:
        values |= {"lease_until": None, "attempts": table.c.attempts - 1}
    done = connection.execute(
        update(table)
        .where(table.c.id == row.id, table.c.fence == row.fence, table.c.state != State.SETTLED)
        .values(state=state, **values)
    )
    return done.rowcount == 1


def settle(connection: Connection, row: InboxRow, outcome: Outcome, *, reason: str = "", now: datetime) -> bool:
    """End the row's way; False when another worker has taken it meanwhile."""
    return advance(connection, row, State.SETTLED, outcome=outcome, reason=reason, settled_at=now, lease_until=None)


def postpone(connection: Connection, row: InboxRow, *, until: datetime, reason: str, outage: bool) -> bool:
    """Give the row back for a later attempt; one lost to an outage is counted as such."""
    done = connection.execute(
        update(table)
        .where(table.c.id == row.id, table.c.fence == row.fence, table.c.state != State.SETTLED)
        .values(next_attempt_at=until, reason=reason, lease_until=None, outages=table.c.outages + (1 if outage else 0))
    )
    return done.rowcount == 1


def release(connection: Connection, row: InboxRow) -> bool:
    """Give a row back that did its work so far but must wait for its turn; the attempt does not count."""
    return advance(connection, row, State.PLANNED, lease_until=None, attempts=table.c.attempts - 1)


def revive(connection: Connection, tenant_id: str, row_id: str, *, now: datetime) -> bool:
    """Put a dead letter back at the start; False when the row is none."""
    done = connection.execute(
        update(table)
        .where(table.c.id == row_id, table.c.tenant_id == tenant_id, table.c.outcome == Outcome.DEAD_LETTER)
        .values(
            state=State.RECEIVED,
            outcome=None,
            reason="",
            attempts=0,
            outages=0,
            next_attempt_at=now,
            settled_at=None,
            unread=[],
        )
    )
    return done.rowcount == 1


def drop_leases(connection: Connection, tenant_id: str) -> int:
    """Free every leased row. Only the single owner of an embedded store may call this, at its start."""
    return connection.execute(
        update(table)
        .where(table.c.tenant_id == tenant_id, table.c.state != State.SETTLED, table.c.lease_until.is_not(None))
        .values(lease_until=None)
    ).rowcount


def _due(tenant_id: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        table.c.tenant_id == tenant_id,
        table.c.state != State.SETTLED,
        table.c.next_attempt_at <= now,
        or_(table.c.lease_until.is_(None), table.c.lease_until <= now),
        or_(table.c.state != State.PLANNED, ~_BLOCKED),
    )


def _taken(connection: Connection, row_id: str, lease_until: datetime) -> InboxRow:
    row = connection.execute(
        update(table)
        .where(table.c.id == row_id)
        .values(attempts=table.c.attempts + 1, lease_until=lease_until, fence=table.c.fence + 1)
        .returning(table)
    ).one()
    return inbox_row(row)
