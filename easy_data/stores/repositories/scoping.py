"""The scope of every statement: tenant and entity, as the way to the rows or as a check on rows found by id."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Table, bindparam, func

from easy_data.schemas.ids import Scope

# For statements that are built once, because recall runs them for every query; ``bound`` gives the values.
BY_SCOPE: tuple[BindParameter[str], BindParameter[str]] = (bindparam("tenant_id"), bindparam("entity_id"))


def owned(table: Table, scope: Scope) -> tuple[Any, Any]:
    """Return the conditions that lead to an entity's rows through an index on tenant and entity."""
    return table.c.tenant_id == scope.tenant_id, table.c.entity_id == scope.entity_id


def checked(table: Table, tenant: object, entity: object) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the same conditions in a form no index serves, for statements that name their rows by id.

    SQLite without statistics prefers an index on two equal columns to the primary key and an IN list, and then reads
    every row of the entity. PostgreSQL takes the primary key either way.
    """
    return func.coalesce(table.c.tenant_id, "") == tenant, func.coalesce(table.c.entity_id, "") == entity


def bound(scope: Scope) -> dict[str, str]:
    """Return the values of ``BY_SCOPE`` in a statement that was built once."""
    return {"tenant_id": scope.tenant_id, "entity_id": scope.entity_id}


def checked_by(table: Table, scope: Scope) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return ``checked`` for a scope."""
    return checked(table, scope.tenant_id, scope.entity_id)
