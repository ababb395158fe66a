"""Everything that was said or noted about an entity, besides its memories: read and written over in place."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, select, update

from easy_data.schemas.ids import Scope
from easy_data.stores.repositories.scoping import owned
from easy_data.stores.tables import candidates, conversations, evidence, review_items, revisions

# The columns that hold words, by table; all else holds names, figures and times.
_COLUMNS: dict[Table, tuple[str, ...]] = {
    conversations: ("payload",),
    candidates: ("content",),
    evidence: ("quote",),
    review_items: ("proposed", "question", "quote", "note"),
    revisions: ("before", "after"),
}
_TABLES = {table.name: table for table in _COLUMNS}
KINDS: tuple[str, ...] = tuple(_TABLES)


def page(connection: Connection, kind: str, scope: Scope, *, after: str, limit: int) -> list[dict[str, Any]]:
    """Return id and words of an entity's rows of one of ``KINDS``, in the order of ids behind ``after``, locked."""
    table = _TABLES[kind]
    found = connection.execute(
        select(table.c.id, *(table.c[name] for name in _COLUMNS[table]))
        .where(*owned(table, scope), table.c.id > after)
        .order_by(table.c.id)
        .limit(limit)
        .with_for_update()
    )
    return [dict(row) for row in found.mappings()]


def rewrite(connection: Connection, kind: str, row_id: str, words: dict[str, Any]) -> None:
    """Put other words into a row."""
    table = _TABLES[kind]
    connection.execute(update(table).where(table.c.id == row_id).values(**words))
