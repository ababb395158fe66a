"""The index outbox: which memories the vector index still has to hear of. Rows, not messages, are the queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, insert, select

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


def todo(connection: Connection, *, limit: int) -> list[OutboxRow]:
    """Return the oldest rows that wait."""
    found = connection.execute(select(table).order_by(table.c.id).limit(limit))
    return [
        OutboxRow(row.id, Scope(row.tenant_id, row.entity_id), row.memory_id, Bucket(row.bucket), row.version)
        for row in found
    ]


def remove(connection: Connection, ids: Sequence[str]) -> None:
    """Take rows that were worked on out of the queue."""
    connection.execute(delete(table).where(table.c.id.in_(list(ids))))


def waiting(connection: Connection) -> int:
    """Return how many rows wait."""
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def waiting_ids(connection: Connection, scope: Scope, *, limit: int) -> list[str]:
    """Return memories of one entity that the index does not know in their present form."""
    found = connection.execute(_WAITING, bound(scope) | {"limit": limit})
    return list(dict.fromkeys(found.scalars()))
