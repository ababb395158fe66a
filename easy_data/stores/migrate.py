"""Brings a database to the schema this release needs. Alembic is loaded only when there is something to do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import ProgrammingError

from easy_data.schemas.errors import MigrationNeeded
from easy_data.stores.database import Database
from easy_data.stores.postgresql import refuse_old_server

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0005"
# In place of a revision while a store is moved into the database; no release opens it then, for it is above them all.
MOVING = "moving"
SCRIPTS = "easy_data.stores:migrations"
# Any number that no other program locks: "easy" in ASCII.
_LOCK_KEY = 0x65617379
_NO_RIGHT = ("permission denied", "must be owner")


def ensure_schema(database: Database) -> bool:
    """Upgrade to the newest schema if needed; return True when anything was done.

    Of several processes that start at once one does it and the others wait. Raises ``MigrationNeeded`` when the
    database was made by a newer release, or its user may not change the schema, and ``StoreError`` when the server is
    too old.
    """
    with database.write() as connection:
        refuse_old_server(connection)
        if current(connection) == HEAD:
            return False
        if database.dialect == "postgresql":
            connection.execute(text("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0"))
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
        found = current(connection)
        if found == HEAD:
            return False
        if found == MOVING:
            raise MigrationNeeded("a move of a store into this database was begun; end it with easy-data migrate-store")
        if found is not None and found > HEAD:
            raise MigrationNeeded(
                f"the database is at schema {found}, this release knows up to {HEAD}; install the newer easy-data again"
            )
        try:
            upgrade(connection)
        except ProgrammingError as error:
            if any(sign in str(error.orig) for sign in _NO_RIGHT):
                raise MigrationNeeded(
                    f"the database is at schema {found}, this release needs {HEAD}, and this user may not change it; "
                    "upgrade it once as the owner of its tables"
                ) from None
            raise
    return True


def current(connection: Connection) -> str | None:
    """Return the revision the database is at, None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the migrations up to ``revision``."""
    importlib.import_module("alembic.command").upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Run the migrations back down to ``revision``; ``base`` is an empty database."""
    importlib.import_module("alembic.command").downgrade(_config(connection), revision)


def _config(connection: Connection) -> Config:
    config: Config = importlib.import_module("alembic.config").Config()
    config.set_main_option("script_location", SCRIPTS)
    config.attributes["connection"] = connection
    return config
