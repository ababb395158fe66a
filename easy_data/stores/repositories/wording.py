"""Everything that was said or noted about an entity, besides its memories: read and written over in place."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, select, update

from easy_data.schemas.ids import Scope
from easy_data.stores.repositories.scoping import owned
from easy_data.stores.tables import candidates, conversations, evidence, review_items, revisions

# The columns that hold words, by table; all else holds names, figures and times.
COLUMNS: dict[Table, tuple[str, ...]] = {
    conversations: ("payload",),
    candidates: ("content",),
    evidence: ("quote",),
    review_items: ("proposed", "question", "quote", "note"),
    revisions: ("before", "after"),
}


def page(connection: Connection, table: Table, scope: Scope, *, after: str, limit: int) -> list[dict[str, Any]]:
    """Return id and words of an entity's rows in the order of ids, behind the id ``after``, locked."""
    found = connection.execute(
        select(table.c.id, *(table.c[name] for name in COLUMNS[table]))
        .where(*owned(table, scope), table.c.id > after)
        .order_by(table.c.id)
        .limit(limit)
        .with_for_update()
    )
    return [dict(row) for row in found.mappings()]


def rewrite(connection: Connection, table: Table, row_id: str, words: dict[str, Any]) -> None:
    """Put other words into a row."""
    connection.execute(update(table).where(table.c.id == row_id).values(**words))
