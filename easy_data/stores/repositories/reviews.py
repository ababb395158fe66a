"""Review items: changes that wait for a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, select, update

from easy_data.schemas.ids import Scope
from easy_data.schemas.review import PENDING, ReviewItem, ReviewStatus
from easy_data.stores.database import insert_ignoring
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.scoping import BY_SCOPE, bound, owned
from easy_data.stores.tables import review_items as table

_PENDING = (
    select(table)
    .where(table.c.tenant_id == BY_SCOPE[0], table.c.entity_id == BY_SCOPE[1], table.c.status.in_(PENDING))
    .order_by(table.c.created_at, table.c.id)
    .limit(bindparam("limit"))
)


def add(connection: Connection, scope: Scope, item: ReviewItem, *, slot_key: str, ground: Ground) -> str:
    """Store a waiting change and return its id; the id of the one that waits already when it is the same proposal."""
    values = {
        "id": item.id,
        "tenant_id": scope.tenant_id,
        "entity_id": scope.entity_id,
        "bucket": item.bucket,
        "reason": item.reason,
        "status": item.status,
        "attr_name": item.attr_name,
        "slot_key": slot_key,
        "proposed": item.proposed,
        "target_memory_id": item.target_memory_id,
        "target_version": item.target_version,
        "question": item.question,
        "quote": item.quote,
        "turn": ground.turn,
        "conversation_row_id": ground.conversation_row_id,
        "conversation_id": ground.conversation_id,
        "said_at": ground.said_at,
        "extractor": ground.extractor,
        "created_at": item.created_at,
        "decided_by": "",
        "note": item.note,
    }
    statement = insert_ignoring(connection, table).returning(table.c.id)
    added = connection.execute(statement, values).scalar_one_or_none()
    if added is not None:
        return str(added)
    return str(
        connection.execute(
            select(table.c.id).where(*owned(table, scope), table.c.slot_key == slot_key, table.c.status.in_(PENDING))
        ).scalar_one()
    )


def find(connection: Connection, scope: Scope, item_id: str) -> tuple[ReviewItem, Ground] | None:
    """Return an item and the words behind it, or None."""
    row = connection.execute(select(table).where(*owned(table, scope), table.c.id == item_id)).one_or_none()
    return None if row is None else (_item(row), _ground(row))


def owner(connection: Connection, tenant_id: str, item_id: str) -> str | None:
    """Return the entity an item is about, or None."""
    return connection.execute(
        select(table.c.entity_id).where(table.c.tenant_id == tenant_id, table.c.id == item_id)
    ).scalar_one_or_none()


def pending(connection: Connection, scope: Scope, *, limit: int = 200) -> list[ReviewItem]:
    """Return what waits for one entity, the oldest first."""
    found = connection.execute(_PENDING, bound(scope) | {"limit": limit})
    return [_item(row) for row in found]


def pending_of_tenant(connection: Connection, tenant_id: str, *, limit: int) -> list[ReviewItem]:
    """Return what waits for any entity of a tenant, the oldest first."""
    found = connection.execute(
        select(table)
        .where(table.c.tenant_id == tenant_id, table.c.status.in_(PENDING))
        .order_by(table.c.created_at, table.c.id)
        .limit(limit)
    )
    return [_item(row) for row in found]


def decide(
    connection: Connection, scope: Scope, item_id: str, status: ReviewStatus, *, by: str, note: str, now: datetime
) -> bool:
    """Close a pending item; False when it was decided meanwhile."""
    done = connection.execute(
        update(table)
        .where(*owned(table, scope), table.c.id == item_id, table.c.status.in_(PENDING))
        .values(status=status, decided_by=by, note=note, decided_at=now)
    )
    return done.rowcount == 1


def mark_stale(connection: Connection, scope: Scope, item_id: str, *, note: str) -> None:
    """Say that a pending item can no longer be applied as it stands; it stays listed."""
    connection.execute(
        update(table)
        .where(*owned(table, scope), table.c.id == item_id, table.c.status.in_(PENDING))
        .values(status=ReviewStatus.NEEDS_DECISION, note=note)
    )


def retarget(connection: Connection, scope: Scope, item_id: str, *, memory_id: str | None, version: int | None) -> None:
    """Point a pending item at the memory as it is now, so that the next decision is made on what was seen."""
    connection.execute(
        update(table)
        .where(*owned(table, scope), table.c.id == item_id, table.c.status.in_(PENDING))
        .values(target_memory_id=memory_id, target_version=version)
    )


def remove_conversation(connection: Connection, scope: Scope, conversation_row_id: str) -> int:
    """Delete the items a conversation caused."""
    return connection.execute(
        delete(table).where(*owned(table, scope), table.c.conversation_row_id == conversation_row_id)
    ).rowcount


def remove_targets(connection: Connection, scope: Scope, memory_ids: Sequence[str]) -> int:
    """Delete the items that would change these memories."""
    return connection.execute(
        delete(table).where(*owned(table, scope), table.c.target_memory_id.in_(list(memory_ids)))
    ).rowcount


def _item(row: Row[Any]) -> ReviewItem:
    names = [name for name in ReviewItem.model_fields if name != "current"]
    return ReviewItem.model_validate({name: row._mapping[name] for name in names})


def _ground(row: Row[Any]) -> Ground:
    found = row._mapping
    return Ground(
        quote=found["quote"],
        said_at=found["said_at"],
        extractor=found["extractor"],
        conversation_row_id=found["conversation_row_id"],
        conversation_id=found["conversation_id"],
        turn=found["turn"],
    )
