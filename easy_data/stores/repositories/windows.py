"""The ledger of windows: which job ran over which local day or month of an entity, and what it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, exists, func, insert, or_, select

from easy_data.schemas.ids import Scope
from easy_data.schemas.maintenance import Job
from easy_data.stores.tables import MEMORY_TABLES, entities
from easy_data.stores.tables import windows as table


@dataclass(frozen=True, slots=True)
class Progress:
    """How far maintenance of an entity has come: where its time begins, and the start of each job's last window."""

    scope: Scope
    time_zone: str
    since: datetime
    last: dict[Job, datetime | None]


def of_tenant(connection: Connection, tenant_id: str) -> Iterator[Progress]:
    """Yield the progress of every entity that has any memory, by name. One that has none has nothing to keep."""
    statement = _progress().where(entities.c.tenant_id == tenant_id).order_by(entities.c.entity_id)
    for row in connection.execute(statement):
        yield _of(row._mapping)


def of_entity(connection: Connection, scope: Scope) -> Progress | None:
    """Return the progress of one entity, None when it has no memory."""
    statement = _progress().where(entities.c.tenant_id == scope.tenant_id, entities.c.entity_id == scope.entity_id)
    row = connection.execute(statement).one_or_none()
    return None if row is None else _of(row._mapping)


def record(
    connection: Connection, scope: Scope, job: Job, window_start: datetime, *, ran_at: datetime, counts: dict[str, int]
) -> None:
    """Record a window, in the transaction of the job's effect: neither is ever there without the other."""
    connection.execute(
        insert(table).values(
            tenant_id=scope.tenant_id,
            entity_id=scope.entity_id,
            job=job,
            window_start=window_start,
            ran_at=ran_at,
            counts=counts,
        )
    )


def starts(connection: Connection, scope: Scope, job: Job) -> list[datetime]:
    """Return the starts of the recorded windows of one job over one entity, the oldest first."""
    statement = (
        select(table.c.window_start)
        .where(table.c.tenant_id == scope.tenant_id, table.c.entity_id == scope.entity_id, table.c.job == job)
        .order_by(table.c.window_start)
    )
    return list(connection.execute(statement).scalars())


def purge(connection: Connection, tenant_id: str, *, before: datetime) -> int:
    """Delete windows that started before ``before``; the last of each job stays, because the next follows from it."""
    newer = table.alias("newer")
    follows = exists().where(
        newer.c.tenant_id == table.c.tenant_id,
        newer.c.entity_id == table.c.entity_id,
        newer.c.job == table.c.job,
        newer.c.window_start > table.c.window_start,
    )
    return connection.execute(
        delete(table).where(table.c.tenant_id == tenant_id, table.c.window_start < before, follows)
    ).rowcount


def _progress() -> Select[Any]:
    # One look into the primary key for each job, however long the ledger has grown.
    last = [
        select(func.max(table.c.window_start))
        .where(table.c.tenant_id == entities.c.tenant_id, table.c.entity_id == entities.c.entity_id, table.c.job == job)
        .scalar_subquery()
        .label(job.value)
        for job in Job
    ]
    has_memory = (
        exists().where(memory.c.tenant_id == entities.c.tenant_id, memory.c.entity_id == entities.c.entity_id)
        for memory in MEMORY_TABLES.values()
    )
    columns = (entities.c.tenant_id, entities.c.entity_id, entities.c.time_zone, entities.c.created_at)
    return select(*columns, *last).where(or_(*has_memory))


def _of(row: Any) -> Progress:
    return Progress(
        Scope(row["tenant_id"], row["entity_id"]),
        row["time_zone"],
        row["created_at"],
        {job: row[job.value] for job in Job},
    )
