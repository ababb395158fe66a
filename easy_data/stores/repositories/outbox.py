"""The index outbox: which memories the vector index still has to hear of. Rows, not messages, are the queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update

from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.records import Bucket
from easy_data.stores.repositories.scoping import BY_SCOPE, bound
from easy_data.stores.tables import index_outbox as table

_WAITING = (
    select(table.c.memory_id)
    .where(table.c.tenant_id == BY_SCOPE[0], table.c.entity_id == BY_SCOPE[1])
    .order_by(table.c.id.desc())
    .limit(bindparam("limit"))
)


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One memory to bring up to date in the index. What is written is read from SQL when the row is worked on."""

    id: str
    scope: Scope
    memory_id: str
    bucket: Bucket
    version: int


def add(connection: Connection, scope: Scope, items: Sequence[tuple[str, Bucket, int]], *, now: datetime) -> None:
    """Queue (memory id, bucket, version) items."""
    if items:
        connection.execute(
            insert(table),
            [
                {
                    "id": new_id(),
                    "tenant_id": scope.tenant_id,
                    "entity_id": scope.entity_id,
                    "memory_id": memory_id,
                    "bucket": bucket,
                    "version": version,
                    "created_at": now,
                }
                for memory_id, bucket, version in items
            ],
        )


def todo(connection: Connection, tenant_id: str, *, limit: int) -> list[OutboxRow]:
    """Return the oldest rows that wait. For the one process that has an embedded store."""
    found = connection.execute(select(table).where(table.c.tenant_id == tenant_id).order_by(table.c.id).limit(limit))
    return [_row(row) for row in found]


def claim(
    connection: Connection, tenant_id: str, *, now: datetime, lease_until: datetime, limit: int
) -> list[OutboxRow]:
    """Take the oldest rows that nobody has. Those of a worker that died are free again when its lease ends."""
    free = (
        select(table.c.id)
        .where(table.c.tenant_id == tenant_id, or_(table.c.lease_until.is_(None), table.c.lease_until <= now))
        .order_by(table.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    # Named first: inside the UPDATE, a plan may run the sub-query, and its LIMIT, more than once.
    ids = connection.execute(free).scalars().all()
    found = connection.execute(
        update(table).where(table.c.id.in_(ids)).values(lease_until=lease_until).returning(table)
    )
    return [_row(row) for row in found]


def release(connection: Connection, ids: Sequence[str]) -> None:
    """Give rows back that could not be worked on."""
    connection.execute(update(table).where(table.c.id.in_(list(ids))).values(lease_until=None))


def remove(connection: Connection, ids: Sequence[str]) -> None:
    """Take rows that were worked on out of the queue."""
    connection.execute(delete(table).where(table.c.id.in_(list(ids))))


def waiting(connection: Connection, tenant_id: str) -> int:
    """Return how many rows of a tenant wait."""
    return int(
        connection.execute(select(func.count()).select_from(table).where(table.c.tenant_id == tenant_id)).scalar_one()
    )


def count_all(connection: Connection) -> int:
    """Return how many rows wait, of every tenant that the database shows."""
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def waiting_ids(connection: Connection, scope: Scope, *, limit: int) -> list[str]:
    """Return memories of one entity that the index does not know in their present form."""
    found = connection.execute(_WAITING, bound(scope) | {"limit": limit})
    return list(dict.fromkeys(found.scalars()))


def _row(row: Row[Any]) -> OutboxRow:
    return OutboxRow(row.id, Scope(row.tenant_id, row.entity_id), row.memory_id, Bucket(row.bucket), row.version)
