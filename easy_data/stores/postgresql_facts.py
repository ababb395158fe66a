"""What a PostgreSQL server and its user are, for those who look after the system."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text

_FACTS = text(
    "SELECT current_setting('server_version') AS version, current_user AS user_name, clock_timestamp() AS now,"
    " rolsuper OR rolbypassrls AS sees_all FROM pg_roles WHERE rolname = current_user"
)


@dataclass(frozen=True, slots=True)
class PostgresqlFacts:
    """``sees_all``: row-level security does not hold for this user. ``now``: the server's clock."""

    version: str
    user: str
    now: datetime
    sees_all: bool


def postgresql_facts(connection: Connection) -> PostgresqlFacts:
    """Ask the server."""
    row = connection.execute(_FACTS).one()
    return PostgresqlFacts(str(row.version).partition(" ")[0], row.user_name, row.now, bool(row.sees_all))
