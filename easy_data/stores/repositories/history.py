"""The append-only history of memories, and the tombstones of what was erased."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.records import Bucket, MemoryRecord, Revision
from easy_data.stores.repositories.rows import bucket_of
from easy_data.stores.repositories.scoping import BY_SCOPE, bound, checked_by, owned
from easy_data.stores.tables import revisions as table
from easy_data.stores.tables import tombstones


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a memory changes: the action, who acts and the ids of what led to it (never text)."""

    action: str
    actor: str
    ids: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changed:
    """One change of a memory; ``before`` is None for a new one."""

    before: MemoryRecord | None
    after: MemoryRecord
    entity_version: int
    cause: Cause


def add(connection: Connection, scope: Scope, changes: Sequence[Changed], *, now: datetime) -> None:
    """Append one revision for each change."""
    if changes:
        connection.execute(
            insert(table),
            [
                _columns(scope, each.after.id, bucket_of(each.after), each.entity_version, each.cause, now)
                | {
                    "before": None if each.before is None else each.before.model_dump(mode="json"),
                    "after": each.after.model_dump(mode="json"),
                }
                for each in changes
            ],
        )


def add_removal(
    connection: Connection,
    scope: Scope,
    memory_id: str,
    bucket: Bucket,
    *,
    entity_version: int,
    cause: Cause,
    now: datetime,
) -> None:
    """Append that a memory was removed; what it said is not kept."""
    connection.execute(insert(table).values(**_columns(scope, memory_id, bucket, entity_version, cause, now)))


def _columns(
    scope: Scope, memory_id: str, bucket: Bucket, entity_version: int, cause: Cause, now: datetime
) -> dict[str, Any]:
    return {
        "id": new_id(),
        "tenant_id": scope.tenant_id,
        "entity_id": scope.entity_id,
        "memory_id": memory_id,
        "bucket": bucket,
        "entity_version": entity_version,
        "action": cause.action,
        "cause": cause.ids,
        "actor": cause.actor,
        "at": now,
    }


def of_memory(connection: Connection, scope: Scope, memory_id: str) -> list[Revision]:
    """Return the revisions of a memory, the oldest first."""
    return of_memories(connection, scope, [memory_id]).get(memory_id, [])


def of_memories(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> dict[str, list[Revision]]:
    """Return the revisions of several memories by memory, each the oldest first."""
    rows = connection.execute(
        select(table)
        .where(*checked_by(table, scope), table.c.memory_id.in_(list(memory_ids)))
        .order_by(table.c.entity_version, table.c.id)
    )
    found: dict[str, list[Revision]] = {}
    for row in rows:
        revision = _revision(row)
        found.setdefault(revision.memory_id, []).append(revision)
    return found


def find(connection: Connection, scope: Scope, revision_id: str) -> Revision | None:
    """Return one revision by id, or None."""
    row = connection.execute(select(table).where(*checked_by(table, scope), table.c.id == revision_id)).one_or_none()
    return None if row is None else _revision(row)


def changed_since(connection: Connection, scope: Scope, entity_version: int) -> list[str]:
    """Return the memories that changed after the entity had this version."""
    found = connection.execute(
        select(table.c.memory_id).where(*owned(table, scope), table.c.entity_version > entity_version).distinct()
    )
    return list(found.scalars())


def blank(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> int:
    """Erase what revisions of these memories said, keeping that something happened and when."""
    return connection.execute(
        update(table)
        .where(*checked_by(table, scope), table.c.memory_id.in_(list(memory_ids)))
        .values(before=None, after=None)
    ).rowcount


def remove(connection: Connection, scope: Scope) -> int:
    """Delete the history of an entity."""
    return connection.execute(delete(table).where(*owned(table, scope))).rowcount


def bury(connection: Connection, scope: Scope, keys: Sequence[tuple[str, str | None]], *, now: datetime) -> None:
    """Remember, by key and without their text, contents that may not come back from what was said before now."""
    if keys:
        connection.execute(
            insert(tombstones),
            [
                {
                    "id": new_id(),
                    "tenant_id": scope.tenant_id,
                    "entity_id": scope.entity_id,
                    "content_key": key,
                    "memory_id": memory_id,
                    "erased_at": now,
                }
                for key, memory_id in keys
            ],
        )


def buried_at(connection: Connection, scope: Scope, content_key: str) -> datetime | None:
    """Return when this content was last erased, or None."""
    return buried(connection, scope, [content_key]).get(content_key)


def buried(connection: Connection, scope: Scope, content_keys: Collection[str]) -> dict[str, datetime]:
    """Return when each of these contents was last erased; those that never were are left out."""
    found = connection.execute(_BURIED, bound(scope) | {"keys": list(content_keys)}) if content_keys else ()
    return {str(key): at for key, at in found}


_BURIED = (
    select(tombstones.c.content_key, func.max(tombstones.c.erased_at, type_=tombstones.c.erased_at.type))
    .where(
        tombstones.c.tenant_id == BY_SCOPE[0],
        tombstones.c.entity_id == BY_SCOPE[1],
        tombstones.c.content_key.in_(bindparam("keys", expanding=True)),
    )
    .group_by(tombstones.c.content_key)
)


def _revision(row: Row[Any]) -> Revision:
    return Revision.model_validate({name: row._mapping[name] for name in Revision.model_fields})
