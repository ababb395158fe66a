"""A database by its URL, as a command line names it: what kind it is, where its file lies, and who else is in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import ArgumentError

from easy_data.schemas.errors import InputError

_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND application_name = 'easy-data' AND pid <> pg_backend_pid()"
)


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """``path`` is the SQLite file, None for PostgreSQL. ``shown`` is the URL without its password."""

    url: str = field(repr=False)
    shown: str
    path: Path | None


def store_address(url: str, *, option: str) -> StoreAddress:
    """Read the URL of a store. Raises ``InputError``, naming the option, for one that is none."""
    try:
        found = make_url(url)
    except (ArgumentError, ValueError):
        raise InputError(
            "is no URL; write sqlite:///file.db or postgresql://user@host/database", field=option
        ) from None
    kind = found.get_backend_name()
    if kind not in ("sqlite", "postgresql") or not found.database or found.database == ":memory:":
        raise InputError("must be sqlite:///file.db or postgresql://user@host/database", field=option)
    path = Path(found.database) if kind == "sqlite" else None
    return StoreAddress(url, found.render_as_string(), path)


def other_users(connection: Connection) -> int:
    """Return how many other connections of Easy Data this PostgreSQL database has, as far as its user may know."""
    return int(connection.execute(_OTHERS).scalar_one())
