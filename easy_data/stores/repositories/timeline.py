"""Events as maintenance looks for them: old ones that still have detail, and those of some types in any state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, Text, cast, or_, select

from easy_data.schemas.ids import Scope
from easy_data.schemas.records import LIVE_STATUSES, EventRecord, Status
from easy_data.schemas.registry import DERIVED_EVENTS
from easy_data.stores.repositories.rows import event_of
from easy_data.stores.repositories.scoping import owned
from easy_data.stores.tables import events as table


def detailed(
    connection: Connection, scope: Scope, *, before: datetime, event_types: Collection[str], below: float
) -> list[EventRecord]:
    """Return live events that were over ``before`` then and have a payload, the oldest first.

    Only those of these types, or of a confidence below ``below``; never what a job derived from others.
    """
    found = connection.execute(
        select(table)
        .where(
            *owned(table, scope),
            table.c.happened_at < before,
            or_(table.c.happened_until.is_(None), table.c.happened_until <= before),
            table.c.status.in_(LIVE_STATUSES),
            cast(table.c.payload, Text) != "{}",
            table.c.event_type.not_in(DERIVED_EVENTS),
            or_(table.c.event_type.in_(list(event_types)), table.c.confidence < below),
        )
        .order_by(table.c.happened_at, table.c.id)
    )
    return [event_of(row) for row in found]


def of_types(
    connection: Connection,
    scope: Scope,
    event_types: Collection[str],
    *,
    until: datetime | None = None,
    statuses: Sequence[Status] = LIVE_STATUSES,
) -> list[EventRecord]:
    """Return events of these types that happened before ``until``, the oldest first; ``statuses`` empty: any."""
    statement = select(table).where(*owned(table, scope), table.c.event_type.in_(list(event_types)))
    if until is not None:
        statement = statement.where(table.c.happened_at < until)
    if statuses:
        statement = statement.where(table.c.status.in_(statuses))
    found = connection.execute(statement.order_by(table.c.happened_at, table.c.id))
    return [event_of(row) for row in found]
