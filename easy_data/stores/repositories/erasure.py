"""Erasure of an entity, driven from the schema: every table with an entity column is covered."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Table, delete, func, select, update

from easy_data.schemas.ids import Scope
from easy_data.stores.columns import metadata
from easy_data.stores.repositories.scoping import owned
from easy_data.stores.tables import entities


def erase(connection: Connection, scope: Scope) -> dict[str, int]:
    """Delete the entity's rows from every table and return how many each had.

    The entity's own row stays, bare, with a raised epoch: it is what stops work in flight from bringing anything back.
    """
    counts = {table.name: connection.execute(delete(table).where(*owned(table, scope))).rowcount for table in _tables()}
    connection.execute(
        update(entities)
        .where(*owned(entities, scope))
        .values(erased_epoch=entities.c.erased_epoch + 1, version=entities.c.version + 1, time_zone="UTC")
    )
    return counts


def remains(connection: Connection, scope: Scope) -> dict[str, int]:
    """Return how many rows of the entity each table has, its own bare row left out."""
    return {
        table.name: int(
            connection.execute(select(func.count()).select_from(table).where(*owned(table, scope))).scalar_one()
        )
        for table in _tables()
    }


def _tables() -> Iterable[Table]:
    # Children before parents.
    return (t for t in reversed(metadata.sorted_tables) if "entity_id" in t.c and t is not entities)
