"""Counts over the inbox and the outbox, for whoever looks after the system."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, func, select

from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.tables import conversations as table
from easy_data.stores.tables import index_outbox

# Reasons are told by their code, and there are few of these; what stands behind it differs.
_REASONS = 200


def by_state(connection: Connection, tenant_id: str) -> dict[State, int]:
    """Return the number of conversations in each state."""
    found = connection.execute(
        select(table.c.state, func.count()).where(table.c.tenant_id == tenant_id).group_by(table.c.state)
    )
    counted = {State(state): int(number) for state, number in found}
    return {state: counted.get(state, 0) for state in State}


def by_outcome(connection: Connection, tenant_id: str) -> dict[Outcome, int]:
    """Return the number of settled conversations by how they ended."""
    found = connection.execute(
        select(table.c.outcome, func.count())
        .where(table.c.tenant_id == tenant_id, table.c.outcome.is_not(None))
        .group_by(table.c.outcome)
    )
    counted = {Outcome(outcome): int(number) for outcome, number in found}
    return {outcome: counted.get(outcome, 0) for outcome in Outcome}


def postponed(connection: Connection, tenant_id: str) -> dict[str, int]:
    """Return the open conversations whose last attempt failed, by the code of the reason."""
    found = connection.execute(
        select(table.c.reason, func.count())
        .where(table.c.tenant_id == tenant_id, table.c.state != State.SETTLED, table.c.reason != "")
        .group_by(table.c.reason)
        .limit(_REASONS)
    )
    counted: dict[str, int] = {}
    for reason, number in found:
        code = str(reason).partition(":")[0]
        counted[code] = counted.get(code, 0) + int(number)
    return dict(sorted(counted.items()))


def settled_since(connection: Connection, tenant_id: str, since: datetime) -> int:
    """Return how many conversations settled at this moment or later."""
    return int(
        connection.execute(
            select(func.count()).select_from(table).where(table.c.tenant_id == tenant_id, table.c.settled_at >= since)
        ).scalar_one()
    )


def unindexed(connection: Connection, tenant_id: str) -> tuple[int, datetime | None]:
    """Return how many changes the vector index has not heard of, and when the first of them was made."""
    number, since = connection.execute(
        select(func.count(), func.min(index_outbox.c.created_at)).where(index_outbox.c.tenant_id == tenant_id)
    ).one()
    return int(number), since
