"""Copies a tenant's rows from one database into another, table by table, and sums tables up to compare them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Integer, String, Table, func, insert, literal, select, tuple_

from easy_data.schemas.errors import StoreError
from easy_data.schemas.ids import new_id
from easy_data.schemas.records import LIVE_STATUSES
from easy_data.stores.columns import Instant, metadata
from easy_data.stores.tables import MEMORY_TABLES, index_outbox

# In an order in which what a row refers to is there before it. What waits for the index is not copied: the new index
# is filled anew, so all memories wait for it.
TABLES: tuple[Table, ...] = tuple(table for table in metadata.sorted_tables if table is not index_outbox)
BATCH_ROWS = 500
# A batch is in memory, and one conversation may have millions of characters.
BATCH_CHARS = 8_000_000
_READ_ROWS = 200
_SURROGATE = re.compile("[\ud800-\udfff]")
_LARGEST_INTEGER = 2**31 - 1

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TableSum:
    """How many rows of a tenant a table has, and a digest of them in which their order plays no part."""

    rows: int
    digest: str


def tenants(connection: Connection) -> list[str]:
    """Return every tenant of whom the connection sees rows."""
    found: set[str] = set()
    for table in TABLES:
        found.update(connection.execute(select(table.c.tenant_id).distinct()).scalars())
    return sorted(found)


def count_rows(connection: Connection, table: Table, tenant_id: str) -> int:
    """Return how many rows of a tenant a table has."""
    counting = select(func.count()).select_from(table).where(table.c.tenant_id == tenant_id)
    return int(connection.execute(counting).scalar_one())


def sum_up(connection: Connection, table: Table, tenant_id: str, *, passed: Callable[[int], None]) -> TableSum:
    """Read a tenant's rows of a table and return their sum, the same on every database that holds the same rows.

    The digest is the sum of the SHA-256 of each row, so databases may read them in any order. ``passed`` is called with
    each number of rows read. Raises ``StoreError``, naming the row, for a value that PostgreSQL cannot hold.
    """
    statement = select(table).where(table.c.tenant_id == tenant_id)
    total = rows = 0
    for part in connection.execute(statement, execution_options={"yield_per": _READ_ROWS}).partitions():
        for row in part:
            values = row._asdict()
            _refuse_unfit(table, values)
            total += int.from_bytes(hashlib.sha256(_canonical(table, values).encode("ascii")).digest())
        rows += len(part)
        passed(len(part))
    return TableSum(rows, f"{total % 2**256:064x}")


def rows_after(connection: Connection, table: Table, tenant_id: str, after: Key | None) -> list[dict[str, Any]]:
    """Return the next rows of a tenant in the order of their keys: as many as are copied at once, at least one."""
    keys = list(table.primary_key.columns)
    statement = select(table).where(table.c.tenant_id == tenant_id).order_by(*keys).limit(BATCH_ROWS)
    if after is not None:
        last = [literal(value, key.type) for key, value in zip(keys, after, strict=True)]
        statement = statement.where(tuple_(*keys) > tuple_(*last))
    found: list[dict[str, Any]] = []
    size = 0
    result = connection.execute(statement, execution_options={"yield_per": 20})
    for row in result:
        found.append(row._asdict())
        size += sum(len(value) if isinstance(value, str) else _json_size(value) for value in row)
        if size >= BATCH_CHARS:
            result.close()
            break
    return found


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows as they are."""
    connection.execute(insert(table), [dict(row) for row in rows])


def key_of(table: Table, row: Mapping[str, Any]) -> Key:
    """Return the primary key of a row."""
    return tuple(row[key.name] for key in table.primary_key.columns)


def key_as_text(key: Key) -> str:
    """Return a key as text that ``key_from_text`` reads."""
    return json.dumps([part.isoformat() if isinstance(part, datetime) else part for part in key])


def key_from_text(table: Table, text: str) -> Key:
    """Return the key that was written as text."""
    parts = zip(table.primary_key.columns, json.loads(text), strict=True)
    return tuple(datetime.fromisoformat(part) if isinstance(key.type, Instant) else part for key, part in parts)


def queue_for_index(
    connection: Connection, bucket: str, tenant_id: str, after: str | None, *, now: datetime
) -> tuple[int, str | None]:
    """Queue the next live memories of a bucket for the index; return their number and the last one's id, or None."""
    table = MEMORY_TABLES[bucket]
    wanted = (
        select(table.c.id, table.c.entity_id, table.c.version)
        .where(table.c.tenant_id == tenant_id, table.c.status.in_(LIVE_STATUSES), table.c.id > (after or ""))
        .order_by(table.c.id)
        .limit(BATCH_ROWS)
    )
    found = connection.execute(wanted).all()
    if not found:
        return 0, None
    rows = [
        {
            "id": new_id(),
            "tenant_id": tenant_id,
            "entity_id": row.entity_id,
            "memory_id": row.id,
            "bucket": bucket,
            "version": row.version,
            "created_at": now,
        }
        for row in found
    ]
    connection.execute(insert(index_outbox), rows)
    return len(rows), found[-1].id


def _canonical(table: Table, row: Mapping[str, Any]) -> str:
    return json.dumps([_plain(row[column.name]) for column in table.columns], sort_keys=True)


def _plain(value: Any) -> Any:
    """Return a value in the one form that every database gives back: PostgreSQL's JSON tells 1.0 and 1 not apart."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _json_size(value: Any) -> int:
    return len(json.dumps(value)) if isinstance(value, dict | list) else 8


def _refuse_unfit(table: Table, row: Mapping[str, Any]) -> None:
    for column in table.columns:
        reason = next(_flaws(column, row[column.name]), "")
        if reason:
            key = ", ".join(str(part) for part in key_of(table, row))
            raise StoreError(f"{table.name} {key}: {column.name} holds {reason}, which PostgreSQL cannot keep")


def _flaws(column: Column[Any], value: Any) -> Iterator[str]:
    kind = column.type
    if isinstance(value, str) and isinstance(kind, String) and kind.length is not None and len(value) > kind.length:
        yield f"more than {kind.length} characters"
    if type(value) is int and isinstance(kind, Integer) and not isinstance(kind, BigInteger):
        yield from ["a number of more than 32 bits"] if abs(value) > _LARGEST_INTEGER else []
    yield from _inner_flaws(value, inside=False)


def _inner_flaws(value: Any, *, inside: bool) -> Iterator[str]:
    if isinstance(value, str):
        if "\0" in value:
            yield "a NUL character"
        elif _SURROGATE.search(value):
            yield "a broken surrogate"
    elif isinstance(value, float) and inside and not math.isfinite(value):
        yield "a number that is not finite"
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _inner_flaws(name, inside=True)
            yield from _inner_flaws(item, inside=True)
    elif isinstance(value, list):
        for item in value:
            yield from _inner_flaws(item, inside=True)
