"""Memories read for many keys or ids at once, by statements that are built once."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, select, union_all

from easy_data.schemas.ids import Scope
from easy_data.schemas.records import LIVE_STATUSES, Bucket, EventRecord, MemoryRecord, ProfileRecord
from easy_data.stores.repositories.memories import pieces
from easy_data.stores.repositories.rows import event_of, fact_of, record_of
from easy_data.stores.repositories.scoping import BY_SCOPE, bound
from easy_data.stores.tables import MEMORY_TABLES, events, profile_facts

_TABLES = {bucket: MEMORY_TABLES[bucket] for bucket in Bucket}
# Row-level security, or the file, keeps these to what the process may see; the ids come from the outbox.
_LIVE = {
    bucket: select(table).where(table.c.id.in_(bindparam("ids", expanding=True)), table.c.status.in_(LIVE_STATUSES))
    for bucket, table in _TABLES.items()
}
_LIVE_IDS = union_all(*(statement.with_only_columns(statement.selected_columns.id) for statement in _LIVE.values()))
# As many rows are read for several slots, or several sayings, at once.
_SLOT_ROWS = 500
_SUMMARY_ROWS = 100

_FACTS = (
    select(profile_facts)
    .where(
        profile_facts.c.tenant_id == BY_SCOPE[0],
        profile_facts.c.entity_id == BY_SCOPE[1],
        profile_facts.c.attr_name.in_(bindparam("names", expanding=True)),
        profile_facts.c.status.in_(LIVE_STATUSES),
    )
    .order_by(profile_facts.c.updated_at.desc(), profile_facts.c.id.desc())
)
_SLOTS = _FACTS.limit(_SLOT_ROWS)
_KEYS = _FACTS.where(profile_facts.c.value_key.in_(bindparam("keys", expanding=True)))
_SUMMARIES = (
    select(events)
    .where(
        events.c.tenant_id == BY_SCOPE[0],
        events.c.entity_id == BY_SCOPE[1],
        events.c.summary_key.in_(bindparam("keys", expanding=True)),
        events.c.status.in_(LIVE_STATUSES),
    )
    .limit(_SUMMARY_ROWS)
)


def live(connection: Connection, ids: Collection[str]) -> list[tuple[Scope, MemoryRecord]]:
    """Return the live records with these ids, of any entity of the tenant, each with its scope: for the index."""
    found: list[tuple[Scope, MemoryRecord]] = []
    for piece in pieces(list(ids)):
        for bucket, statement in _LIVE.items():
            rows = connection.execute(statement, {"ids": piece})
            found += [(Scope(row.tenant_id, row.entity_id), record_of(bucket, row)) for row in rows]
    return found


def live_ids(connection: Connection, ids: Collection[str]) -> set[str]:
    """Return which of these memories are live."""
    return {
        str(found) for piece in pieces(list(ids)) for found in connection.execute(_LIVE_IDS, {"ids": piece}).scalars()
    }


def facts_of_slots(connection: Connection, scope: Scope, attr_names: Collection[str]) -> dict[str, list[ProfileRecord]]:
    """Return the live facts of several attributes by attribute, the newest first; nothing when they are very many."""
    if not attr_names:
        return {}
    rows = connection.execute(_SLOTS, bound(scope) | {"names": list(attr_names)}).all()
    found: dict[str, list[ProfileRecord]] = {name: [] for name in attr_names} if len(rows) < _SLOT_ROWS else {}
    for fact in map(fact_of, rows) if found else ():
        found[fact.attr_name].append(fact)
    return found


def facts_with_keys(
    connection: Connection, scope: Scope, attr_names: Collection[str], keys: Collection[str]
) -> dict[str, list[ProfileRecord]]:
    """Return the live facts of these attributes with these value keys, by key."""
    found: dict[str, list[ProfileRecord]] = {key: [] for key in keys}
    for piece in pieces(list(keys)):
        rows = connection.execute(_KEYS, bound(scope) | {"names": list(attr_names), "keys": piece})
        for row in rows:
            found[row.value_key].append(fact_of(row))
    return found


def events_with_keys(connection: Connection, scope: Scope, keys: Collection[str]) -> dict[str, list[EventRecord]]:
    """Return live events by the keys of what they say; nothing when they are very many."""
    if not keys:
        return {}
    rows = connection.execute(_SUMMARIES, bound(scope) | {"keys": list(keys)}).all()
    found: dict[str, list[EventRecord]] = {key: [] for key in keys} if len(rows) < _SUMMARY_ROWS else {}
    for row in rows if found else ():
        found[row.summary_key].append(event_of(row))
    return found
