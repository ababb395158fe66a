"""Brings a database to the schema this release needs. Alembic is loaded only when there is something to do."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from easy_data.schemas.errors import MigrationNeeded
from easy_data.stores.database import Database

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0001"
SCRIPTS = "easy_data.stores:migrations"


def ensure_schema(database: Database) -> bool:
    """Upgrade to the newest schema if needed; return True when anything was done.

    Raises ``MigrationNeeded`` when the database was made by a newer release.
    """
    with database.write() as connection:
        found = current(connection)
        if found == HEAD:
            return False
        if found is not None and found > HEAD:
            raise MigrationNeeded(
                f"the database is at schema {found}, this release knows up to {HEAD}; install the newer easy-data again"
            )
        upgrade(connection)
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
