"""Alembic's environment: runs on the connection that ``stores.migrate`` hands over."""

from __future__ import annotations

from alembic import context

from easy_data.stores.columns import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    # SQLite cannot alter most things in place; batch mode rebuilds the table.
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
