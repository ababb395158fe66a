"""Evidence: the quotes that memories rest on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.records import Bucket, Evidence
from easy_data.stores.repositories.scoping import BY_SCOPE, bound, checked, checked_by
from easy_data.stores.tables import evidence as table


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a memory comes from: the words, who read them, and the conversation (None for a direct write)."""

    quote: str
    said_at: datetime
    extractor: str
    conversation_row_id: str | None = None
    conversation_id: str | None = None
    turn: int | None = None


_WORDS = select(table.c.memory_id, table.c.turn, table.c.quote).where(
    *checked(table, *BY_SCOPE), table.c.memory_id.in_(bindparam("ids", expanding=True)), table.c.live
)
_SAID_THERE = _WORDS.where(table.c.conversation_id == bindparam("conversation"))
_SAID_NOWHERE = _WORDS.where(table.c.conversation_id.is_(None))


def add(connection: Connection, scope: Scope, memory_id: str, bucket: Bucket, ground: Ground) -> bool:
    """Add evidence; False when these very words of this conversation already stand behind the memory."""
    said = words_of(connection, scope, [memory_id], ground.conversation_id)
    if (ground.turn, ground.quote) in said.get(memory_id, ()):
        return False
    add_new(connection, scope, [(memory_id, bucket, ground)])
    return True


def add_new(connection: Connection, scope: Scope, grounds: Sequence[tuple[str, Bucket, Ground]]) -> None:
    """Add evidence that is known to be new: (memory id, bucket, ground) items."""
    if not grounds:
        return
    connection.execute(
        insert(table),
        [
            {
                "id": new_id(),
                "tenant_id": scope.tenant_id,
                "entity_id": scope.entity_id,
                "memory_id": memory_id,
                "bucket": bucket,
                "conversation_row_id": ground.conversation_row_id,
                "conversation_id": ground.conversation_id,
                "turn": ground.turn,
                "quote": ground.quote,
                "said_at": ground.said_at,
                "extractor": ground.extractor,
                "live": True,
            }
            for memory_id, bucket, ground in grounds
        ],
    )


def words_of(
    connection: Connection, scope: Scope, memory_ids: Collection[str], conversation_id: str | None
) -> dict[str, set[tuple[int | None, str]]]:
    """Return the (turn, quote) pairs of this conversation that stand behind each of these memories, if any do.

    Without a conversation they are those of direct writes.
    """
    found: dict[str, set[tuple[int | None, str]]] = {}
    if not memory_ids:
        return found
    values = bound(scope) | {"ids": list(memory_ids)}
    if conversation_id is None:
        rows = connection.execute(_SAID_NOWHERE, values)
    else:
        rows = connection.execute(_SAID_THERE, values | {"conversation": conversation_id})
    for memory_id, turn, quote in rows:
        found.setdefault(memory_id, set()).add((turn, quote))
    return found


def last_said(connection: Connection, scope: Scope, memory_id: str) -> datetime | None:
    """Return when the newest words behind a memory were said."""
    return connection.execute(
        select(func.max(table.c.said_at, type_=table.c.said_at.type)).where(
            *checked_by(table, scope), table.c.memory_id == memory_id
        )
    ).scalar_one_or_none()


def of_memory(connection: Connection, scope: Scope, memory_id: str) -> list[Evidence]:
    """Return the evidence of a memory, the oldest first."""
    return of_memories(connection, scope, [memory_id]).get(memory_id, [])


def of_memories(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> dict[str, list[Evidence]]:
    """Return the evidence of several memories by memory, each the oldest first."""
    rows = connection.execute(
        select(table)
        .where(
            *checked_by(table, scope),
            table.c.memory_id.in_(list(memory_ids)),
        )
        .order_by(table.c.said_at, table.c.id)
    )
    found: dict[str, list[Evidence]] = {}
    for row in rows:
        item = Evidence.model_validate({name: row._mapping[name] for name in Evidence.model_fields})
        found.setdefault(item.memory_id, []).append(item)
    return found


def grounds(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> set[tuple[str, int]]:
    """Return the (conversation, turn) pairs that stand behind these memories."""
    found = connection.execute(
        select(table.c.conversation_id, table.c.turn).where(
            *checked_by(table, scope),
            table.c.memory_id.in_(list(memory_ids)),
            table.c.conversation_id.is_not(None),
            table.c.turn.is_not(None),
        )
    )
    return {(str(name), int(turn)) for name, turn in found}


def copy(connection: Connection, scope: Scope, from_id: str, to_id: str) -> None:
    """Put the live evidence of one memory behind another too.

    The first keeps its own: it is erased with the conversation it came from like any other, and can be put back.
    """
    found = connection.execute(
        select(table).where(*checked_by(table, scope), table.c.memory_id == from_id, table.c.live)
    ).all()
    for row in found:
        ground = Ground(
            quote=row.quote,
            said_at=row.said_at,
            extractor=row.extractor,
            conversation_row_id=row.conversation_row_id,
            conversation_id=row.conversation_id,
            turn=row.turn,
        )
        add(connection, scope, to_id, Bucket(row.bucket), ground)


def remove_conversation(connection: Connection, scope: Scope, conversation_row_id: str) -> tuple[int, list[str]]:
    """Delete a conversation's evidence; return how much, and the memories that have none left."""
    mine = checked_by(table, scope)
    touched = list(
        connection.execute(
            select(table.c.memory_id).where(*mine, table.c.conversation_row_id == conversation_row_id).distinct()
        ).scalars()
    )
    gone = connection.execute(delete(table).where(*mine, table.c.conversation_row_id == conversation_row_id)).rowcount
    alive = set(
        connection.execute(
            select(table.c.memory_id).where(*mine, table.c.memory_id.in_(touched), table.c.live)
        ).scalars()
    )
    return gone, [memory_id for memory_id in touched if memory_id not in alive]


def remove_memories(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> int:
    """Delete all evidence of these memories."""
    return connection.execute(
        delete(table).where(
            *checked_by(table, scope),
            table.c.memory_id.in_(list(memory_ids)),
        )
    ).rowcount


def counts(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> dict[str, int]:
    """Return how much live evidence each memory has."""
    found = connection.execute(
        select(table.c.memory_id, func.count())
        .where(
            *checked_by(table, scope),
            table.c.memory_id.in_(list(memory_ids)),
            table.c.live,
        )
        .group_by(table.c.memory_id)
    )
    return {str(memory_id): int(number) for memory_id, number in found}
