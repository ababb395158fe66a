"""Claims: who works on a conversation now. Leases free what a dead worker held; the fence stops what it still tries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    update,
)

from easy_data.schemas.ids import Scope
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories.conversations import InboxRow, inbox_row
from easy_data.stores.repositories.scoping import BY_SCOPE, bound
from easy_data.stores.tables import conversations as table

# So often a claim may be lost with its process before that counts as the conversation's fault.
LOST_CLAIMS = 20
# Written out, not bound: only then SQLite sees that an index of the open conversations alone serves.
_SETTLED: ColumnElement[str] = literal_column(f"'{State.SETTLED}'")


def _due(tenant_id: object, now: object, at: FromClause = table) -> tuple[ColumnElement[bool], ...]:
    return (
        at.c.tenant_id == tenant_id,
        at.c.state != _SETTLED,
        at.c.next_attempt_at <= now,
        or_(at.c.lease_until.is_(None), at.c.lease_until <= now),
        or_(at.c.state != State.PLANNED, ~_blocked(at)),
    )


def _blocked(at: FromClause = table) -> ColumnElement[bool]:
    earlier = table.alias("earlier")
    return (
        select(earlier.c.id)
        .where(
            earlier.c.tenant_id == at.c.tenant_id,
            earlier.c.entity_id == at.c.entity_id,
            earlier.c.entity_seq < at.c.entity_seq,
            earlier.c.state != _SETTLED,
        )
        .exists()
    )


# Built once: every conversation is taken and settled by them.
_TENANT: BindParameter[str] = bindparam("tenant")
_NOW = bindparam("now", type_=table.c.lease_until.type)
_NEXT = table.alias("next")
_TAKEN = (
    update(table)
    .values(
        attempts=table.c.attempts + 1,
        lease_until=bindparam("until", type_=table.c.lease_until.type),
        fence=table.c.fence + 1,
    )
    .returning(table)
)
_CLAIM = _TAKEN.where(
    table.c.id
    == select(_NEXT.c.id)
    .where(*_due(_TENANT, _NOW, _NEXT))
    .order_by(_NEXT.c.next_attempt_at, _NEXT.c.received_at, _NEXT.c.entity_seq)
    .limit(1)
    .with_for_update(skip_locked=True)
    .scalar_subquery()
)
_CLAIM_STAGE = _TAKEN.where(table.c.id == bindparam("row"), table.c.state == bindparam("at"), *_due(_TENANT, _NOW))
_MOVE = update(table).where(
    table.c.id == bindparam("of_row"), table.c.fence == bindparam("of_fence"), table.c.state == bindparam("of_state")
)
_GIVE_BACK = _MOVE.values(lease_until=None, attempts=table.c.attempts - 1)
_FENCE = select(table.c.fence, table.c.state).where(table.c.id == bindparam("row")).with_for_update()
_IS_BLOCKED = select(table.c.id).where(table.c.id == bindparam("row"), _blocked())
_FIRST_OPEN = (
    select(table.c.id, table.c.state)
    .where(table.c.tenant_id == BY_SCOPE[0], table.c.entity_id == BY_SCOPE[1], table.c.state != _SETTLED)
    .order_by(table.c.entity_seq)
    .limit(1)
)


def claim(connection: Connection, *, now: datetime, lease_until: datetime, tenant_id: str) -> InboxRow | None:
    """Take the next due conversation: count the attempt, lease it and raise its fence; None when nothing is due.

    A row that is ready to settle waits until every earlier row of its entity has settled, so that effects come in
    intake order; its earlier stages do not wait.
    """
    found = connection.execute(_CLAIM, {"tenant": tenant_id, "now": now, "until": lease_until}).one_or_none()
    return None if found is None else inbox_row(found)


def claim_stage(
    connection: Connection, row_id: str, state: State, *, now: datetime, lease_until: datetime, tenant_id: str
) -> InboxRow | None:
    """Take this conversation, whose next step is the one that follows ``state``; None when that step is not due.

    It is not when another worker has it, when it was done already, or when it is not the row's turn.
    """
    values = {"row": row_id, "at": state, "tenant": tenant_id, "now": now, "until": lease_until}
    found = connection.execute(_CLAIM_STAGE, values).one_or_none()
    return None if found is None else inbox_row(found)


def due(connection: Connection, tenant_id: str, state: State, *, now: datetime, limit: int) -> list[str]:
    """Return the conversations whose next step, the one after ``state``, nobody is at; the longest waiting first."""
    found = connection.execute(
        select(table.c.id)
        .where(table.c.state == state, *_due(tenant_id, now))
        .order_by(table.c.next_attempt_at, table.c.received_at, table.c.entity_seq)
        .limit(limit)
    )
    return list(found.scalars())


def waiting(connection: Connection, tenant_id: str, *, now: datetime) -> tuple[int, datetime | None]:
    """Return how many conversations a worker could take now, and since when the first of them waits for one."""
    number, since = connection.execute(
        select(func.count(), func.min(table.c.next_attempt_at)).where(*_due(tenant_id, now))
    ).one()
    return int(number), since


def next_of_entity(connection: Connection, scope: Scope) -> str | None:
    """Return the entity's first open conversation if it only waits to settle."""
    first = connection.execute(_FIRST_OPEN, bound(scope)).one_or_none()
    return first.id if first is not None and first.state == State.PLANNED else None


def is_blocked(connection: Connection, row: InboxRow) -> bool:
    """Tell if an earlier conversation of the same entity has not settled yet."""
    return connection.execute(_IS_BLOCKED, {"row": row.id}).one_or_none() is not None


def is_held(connection: Connection, row: InboxRow) -> bool:
    """Lock the row and tell if it is still this worker's and stands where this worker left it."""
    fence, state = connection.execute(_FENCE, {"row": row.id}).one()
    return bool(fence == row.fence and state == row.state)


def advance(connection: Connection, row: InboxRow, state: State, **values: Any) -> bool:
    """Move the row to ``state`` under its fence; False when it does not stand any more where this worker left it.

    Another worker has taken it meanwhile, or a crash of the database took the last step back.
    """
    return connection.execute(_MOVE, _held(row) | {"state": state} | values).rowcount == 1


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
    """Give a planned row back that must wait for its turn; the attempt does not count."""
    return connection.execute(_GIVE_BACK, _held(row)).rowcount == 1


def _held(row: InboxRow) -> dict[str, Any]:
    return {"of_row": row.id, "of_fence": row.fence, "of_state": row.state}


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


def drop_leases(connection: Connection, tenant_id: str, *, now: datetime, latest: datetime) -> int:
    """Free every leased row, and those that wait beyond ``latest``: no wait is that long, so the clock was set back.

    A claim that ended with its process does not count against the conversation, unless so many did that it may be the
    cause. Only the single owner of an embedded store may call this.
    """
    stuck = or_(table.c.lease_until.is_not(None), table.c.next_attempt_at > latest)
    return connection.execute(
        update(table)
        .where(table.c.tenant_id == tenant_id, table.c.state != State.SETTLED, stuck)
        .values(
            lease_until=None,
            outages=case(
                (and_(table.c.lease_until.is_not(None), table.c.attempts <= LOST_CLAIMS), table.c.outages + 1),
                else_=table.c.outages,
            ),
            next_attempt_at=case((table.c.next_attempt_at > latest, now), else_=table.c.next_attempt_at),
        )
    ).rowcount
