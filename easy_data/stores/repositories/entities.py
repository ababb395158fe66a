"""Entities: whom memories are about, their version and their next sequence number."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, Update, bindparam, select, update

from easy_data.schemas.ids import Scope
from easy_data.schemas.records import Entity, Language
from easy_data.stores.database import insert_ignoring
from easy_data.stores.repositories.scoping import BY_SCOPE, bound
from easy_data.stores.tables import entities as table

_COLUMNS = (
    table.c.tenant_id,
    table.c.entity_id,
    table.c.kind,
    table.c.time_zone,
    table.c.language,
    table.c.version,
    table.c.erased_epoch,
)

# Built once: every recall and every write runs it.
_FIND = select(*_COLUMNS).where(table.c.tenant_id == BY_SCOPE[0], table.c.entity_id == BY_SCOPE[1])
_FIND_LOCKED = _FIND.with_for_update()
_VERSION = select(table.c.version).where(table.c.tenant_id == BY_SCOPE[0], table.c.entity_id == BY_SCOPE[1])
# In an UPDATE, a parameter named like a column would be written into it.
_ONE = update(table).where(table.c.tenant_id == bindparam("of_tenant"), table.c.entity_id == bindparam("of_entity"))
_TAKE_SEQUENCE = _ONE.values(next_seq=table.c.next_seq + 1).returning(table.c.next_seq)
_RAISE_VERSION = _ONE.values(version=table.c.version + 1).returning(table.c.version)
_ZONES = select(table.c.tenant_id, table.c.entity_id, table.c.time_zone).where(
    table.c.tenant_id.in_(bindparam("tenants", expanding=True)), table.c.entity_id.in_(bindparam("ids", expanding=True))
)


def find(connection: Connection, scope: Scope, *, lock: bool = False) -> Entity | None:
    """Return the entity or None; with ``lock``, hold its row until the transaction ends."""
    row = connection.execute(_FIND_LOCKED if lock else _FIND, bound(scope)).one_or_none()
    return None if row is None else Entity.model_validate(dict(row._mapping))


def version(connection: Connection, scope: Scope) -> int | None:
    """Return the entity's version, or None when there is no such entity: one primary-key read."""
    return connection.execute(_VERSION, bound(scope)).scalar_one_or_none()


def ensure(
    connection: Connection,
    scope: Scope,
    *,
    time_zone: str | None,
    language: Language | None,
    defaults: Entity,
    now: datetime,
) -> Entity:
    """Return the entity locked, made from ``defaults`` if new; a given zone or language is written down."""
    found = find(connection, scope, lock=True)
    if found is None:
        connection.execute(
            insert_ignoring(connection, table).values(
                tenant_id=scope.tenant_id,
                entity_id=scope.entity_id,
                kind=defaults.kind,
                time_zone=time_zone or defaults.time_zone,
                language=language or defaults.language,
                version=0,
                next_seq=1,
                erased_epoch=0,
                created_at=now,
            )
        )
        found = find(connection, scope, lock=True)
    if found is None:  # pragma: no cover - inserted above, by this transaction or another
        raise LookupError(scope.entity_id)
    changes: dict[str, str] = {}
    if time_zone and time_zone != found.time_zone:
        changes["time_zone"] = time_zone
    if language and language != found.language:
        changes["language"] = language
    if changes:
        connection.execute(_at(scope).values(**changes))
        found = found.model_copy(update=changes)
    return found


def take_sequence(connection: Connection, scope: Scope) -> int:
    """Return the next sequence number of the entity's conversations and use it up."""
    return int(connection.execute(_TAKE_SEQUENCE, _of(scope)).scalar_one()) - 1


def raise_version(connection: Connection, scope: Scope) -> int:
    """Grow the entity's version by one and return it. The caller holds the entity's lock."""
    return int(connection.execute(_RAISE_VERSION, _of(scope)).scalar_one())


def raise_epoch(connection: Connection, scope: Scope) -> None:
    """Mark everything accepted before now as erased, so that work in flight writes nothing."""
    connection.execute(_at(scope).values(erased_epoch=table.c.erased_epoch + 1, version=table.c.version + 1))


def scopes(connection: Connection) -> list[Scope]:
    """Return every entity that the database shows: of a file, those of all tenants."""
    found = connection.execute(
        select(table.c.tenant_id, table.c.entity_id).order_by(table.c.tenant_id, table.c.entity_id)
    )
    return [Scope(row.tenant_id, row.entity_id) for row in found]


def time_zones(connection: Connection, scopes: Collection[Scope]) -> dict[Scope, str]:
    """Return the time zones of entities; unknown ones are left out."""
    wanted = {"ids": sorted({scope.entity_id for scope in scopes}), "tenants": sorted({s.tenant_id for s in scopes})}
    found = connection.execute(_ZONES, wanted) if scopes else ()
    return {Scope(row.tenant_id, row.entity_id): row.time_zone for row in found}


def names(connection: Connection, tenant_id: str) -> list[str]:
    """Return the ids of all entities of a tenant, in order."""
    return list(
        connection.execute(
            select(table.c.entity_id).where(table.c.tenant_id == tenant_id).order_by(table.c.entity_id)
        ).scalars()
    )


def _of(scope: Scope) -> dict[str, str]:
    return {"of_tenant": scope.tenant_id, "of_entity": scope.entity_id}


def _at(scope: Scope) -> Update:
    return update(table).where(table.c.tenant_id == scope.tenant_id, table.c.entity_id == scope.entity_id)
