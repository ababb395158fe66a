"""The three buckets: profile facts, events and workspaces, read and written as records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, delete, func, insert, or_, select, update

from easy_data.schemas.ids import Scope
from easy_data.schemas.keys import fact_key, text_key
from easy_data.schemas.records import (
    LIVE_STATUSES,
    Bucket,
    EventRecord,
    MemoryRecord,
    ProfileRecord,
    Status,
    WorkspaceRecord,
)
from easy_data.stores.repositories.rows import bucket_of, columns_of, event_of, fact_of, record_of, workspace_of
from easy_data.stores.repositories.scoping import BY_SCOPE, bound, checked, checked_by, owned
from easy_data.stores.tables import MEMORY_TABLES, events, profile_facts, workspaces

# SQLite binds at most 32,766 values a statement; ids are looked up in pieces well below.
_PIECE = 500


_BY_ID = {
    bucket: select(table).where(
        *checked(table, *BY_SCOPE),
        table.c.id.in_(bindparam("ids", expanding=True)),
        table.c.status.in_(bindparam("statuses", expanding=True)),
    )
    for bucket, table in MEMORY_TABLES.items()
}


# Columns that a row keeps from its insertion on.
_KEPT = ("tenant_id", "entity_id", "id", "recorded_at")
_REPLACE = {
    bucket: update(table)
    .where(*checked(table, bindparam("of_tenant"), bindparam("of_entity")), table.c.id == bindparam("row"))
    .values({column.name: bindparam(f"to_{column.name}") for column in table.c if column.name not in _KEPT})
    for bucket, table in MEMORY_TABLES.items()
}


def insert_one(connection: Connection, scope: Scope, record: MemoryRecord, *, now: datetime) -> None:
    """Insert a record that has an id."""
    insert_many(connection, scope, [record], now=now)


def insert_many(connection: Connection, scope: Scope, records: Sequence[MemoryRecord], *, now: datetime) -> None:
    """Insert records that have ids, one statement a bucket."""
    by_bucket: dict[Bucket, list[dict[str, Any]]] = {}
    for record in records:
        values = columns_of(record, now)
        values |= {"tenant_id": scope.tenant_id, "entity_id": scope.entity_id, "id": record.id, "recorded_at": now}
        by_bucket.setdefault(bucket_of(record), []).append(values)
    for bucket, rows in by_bucket.items():
        connection.execute(insert(MEMORY_TABLES[bucket]), rows)


def replace(connection: Connection, scope: Scope, record: MemoryRecord, *, now: datetime) -> None:
    """Write a changed record over the row with its id."""
    replace_many(connection, scope, [record], now=now)


def replace_many(connection: Connection, scope: Scope, records: Sequence[MemoryRecord], *, now: datetime) -> None:
    """Write changed records over the rows with their ids, in this order."""
    for bucket, mine in groupby(records, key=bucket_of):
        connection.execute(
            _REPLACE[bucket],
            [
                {"of_tenant": scope.tenant_id, "of_entity": scope.entity_id, "row": record.id}
                | {f"to_{name}": value for name, value in columns_of(record, now).items()}
                for record in mine
            ],
        )


def remove(connection: Connection, scope: Scope, ids: Iterable[str]) -> int:
    """Delete rows of any bucket by id; return how many there were."""
    gone = 0
    for piece in pieces(list(ids)):
        for table in MEMORY_TABLES.values():
            gone += connection.execute(delete(table).where(*checked_by(table, scope), table.c.id.in_(piece))).rowcount
    return gone


def find(connection: Connection, scope: Scope, memory_id: str) -> MemoryRecord | None:
    """Return one record of any bucket and status, or None."""
    return next(iter(load(connection, scope, [memory_id], statuses=())), None)


def load(
    connection: Connection,
    scope: Scope,
    ids: Collection[str],
    *,
    statuses: Sequence[Status] = LIVE_STATUSES,
    buckets: Collection[Bucket] = tuple(Bucket),
) -> list[MemoryRecord]:
    """Return the records with these ids, in no promised order; ``statuses`` empty: any."""
    found: list[MemoryRecord] = []
    for piece in pieces(list(ids)):
        for bucket in buckets:
            values = bound(scope) | {"ids": piece, "statuses": list(statuses or Status)}
            found += [record_of(bucket, row) for row in connection.execute(_BY_ID[bucket], values)]
    return found


def facts_of_slot(connection: Connection, scope: Scope, attr_name: str) -> list[ProfileRecord]:
    """Return the live facts of one attribute, the newest first, at most 500."""
    return _facts(
        connection, scope, profile_facts.c.attr_name == attr_name, profile_facts.c.status.in_(LIVE_STATUSES), limit=500
    )


def facts_with_key(connection: Connection, scope: Scope, attr_name: str, value: str) -> list[ProfileRecord]:
    """Return live facts that say this value of this attribute, for or against."""
    keys = (fact_key(attr_name, value, 1), fact_key(attr_name, value, -1))
    return _facts(
        connection,
        scope,
        profile_facts.c.attr_name == attr_name,
        profile_facts.c.value_key.in_(keys),
        profile_facts.c.status.in_(LIVE_STATUSES),
        limit=10,
    )


def profile(
    connection: Connection,
    scope: Scope,
    *,
    attr_names: Collection[str] = (),
    attr_types: Collection[str] = (),
    statuses: Sequence[Status] = LIVE_STATUSES,
    limit: int,
) -> list[ProfileRecord]:
    """Return facts, the newest first."""
    conditions = []
    if statuses:
        conditions.append(profile_facts.c.status.in_(statuses))
    if attr_names:
        conditions.append(profile_facts.c.attr_name.in_(attr_names))
    if attr_types:
        conditions.append(profile_facts.c.attr_type.in_(attr_types))
    return _facts(connection, scope, *conditions, limit=limit)


def events_page(
    connection: Connection,
    scope: Scope,
    *,
    event_types: Collection[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    before: tuple[datetime, str] | None = None,
    limit: int,
) -> list[EventRecord]:
    """Return live events, the newest first, ties by id. ``before`` is the (happened_at, id) a page starts behind."""
    table = events
    statement = select(table).where(*owned(table, scope), table.c.status.in_(LIVE_STATUSES))
    if event_types:
        statement = statement.where(table.c.event_type.in_(event_types))
    if since is not None:
        statement = statement.where(table.c.happened_at >= since)
    if until is not None:
        statement = statement.where(table.c.happened_at < until)
    if before is not None:
        moment, last = before
        statement = statement.where(
            or_(table.c.happened_at < moment, and_(table.c.happened_at == moment, table.c.id < last))
        )
    statement = statement.order_by(table.c.happened_at.desc(), table.c.id.desc()).limit(limit)
    return [event_of(row) for row in connection.execute(statement)]


def events_with_summary(connection: Connection, scope: Scope, summary: str) -> list[EventRecord]:
    """Return live events that say exactly this."""
    statement = (
        select(events)
        .where(*owned(events, scope), events.c.summary_key == text_key(summary), events.c.status.in_(LIVE_STATUSES))
        .limit(20)
    )
    return [event_of(row) for row in connection.execute(statement)]


def turns_of(connection: Connection, scope: Scope, spans: Collection[tuple[str, int, int]]) -> list[EventRecord]:
    """Return live events of conversations whose turn lies in one of the spans (conversation, first, last)."""
    found: list[EventRecord] = []
    for piece in pieces(list(spans), 80):
        wanted = or_(
            *(
                and_(events.c.conversation_id == name, events.c.turn >= first, events.c.turn <= last)
                for name, first, last in piece
            )
        )
        statement = select(events).where(*owned(events, scope), events.c.status.in_(LIVE_STATUSES), wanted)
        found += [event_of(row) for row in connection.execute(statement)]
    return found


def tasks(
    connection: Connection, scope: Scope, *, task_id: str | None = None, closed: bool | None = None, limit: int
) -> list[WorkspaceRecord]:
    """Return live workspaces, the last touched first."""
    table = workspaces
    statement = select(table).where(*owned(table, scope), table.c.status == Status.ACTIVE)
    if task_id is not None:
        statement = statement.where(table.c.task_id == task_id)
    if closed is not None:
        statement = statement.where(table.c.closed.is_(closed))
    statement = statement.order_by(table.c.updated_at.desc(), table.c.id.desc()).limit(limit)
    return [workspace_of(row) for row in connection.execute(statement)]


def page(
    connection: Connection,
    scope: Scope,
    bucket: Bucket,
    *,
    after: str = "",
    statuses: Sequence[Status] = LIVE_STATUSES,
    limit: int,
) -> list[MemoryRecord]:
    """Return records of one bucket in id order, behind the id ``after``: for export and rebuild."""
    table = MEMORY_TABLES[bucket]
    statement = select(table).where(*owned(table, scope), table.c.id > after)
    if statuses:
        statement = statement.where(table.c.status.in_(statuses))
    found = connection.execute(statement.order_by(table.c.id).limit(limit))
    return [record_of(bucket, row) for row in found]


def versions(
    connection: Connection, scope: Scope, bucket: Bucket, *, after: str = "", limit: int
) -> list[tuple[str, int]]:
    """Return (id, version) of live records of one bucket in id order, behind the id ``after``."""
    table = MEMORY_TABLES[bucket]
    statement = select(table.c.id, table.c.version).where(
        *owned(table, scope), table.c.id > after, table.c.status.in_(LIVE_STATUSES)
    )
    found = connection.execute(statement.order_by(table.c.id).limit(limit))
    return [(str(row.id), int(row.version)) for row in found]


def count(connection: Connection, scope: Scope, bucket: Bucket) -> int:
    """Return how many live records a bucket has."""
    table = MEMORY_TABLES[bucket]
    statement = select(func.count()).where(*owned(table, scope), table.c.status.in_(LIVE_STATUSES))
    return int(connection.execute(statement).scalar_one())


def count_all(connection: Connection) -> int:
    """Return how many live records the database shows, of every entity and tenant."""
    return sum(
        int(connection.execute(select(func.count()).where(table.c.status.in_(LIVE_STATUSES))).scalar_one())
        for table in MEMORY_TABLES.values()
    )


def _facts(connection: Connection, scope: Scope, *conditions: Any, limit: int) -> list[ProfileRecord]:
    table = profile_facts
    statement: Select[Any] = (
        select(table)
        .where(*owned(table, scope), *conditions)
        .order_by(table.c.updated_at.desc(), table.c.id.desc())
        .limit(limit)
    )
    return [fact_of(row) for row in connection.execute(statement)]


def pieces(items: list[Any], size: int = _PIECE) -> Iterable[list[Any]]:
    """Return a long list in parts that one statement can bind."""
    return (items[i : i + size] for i in range(0, len(items), size))
