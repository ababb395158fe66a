"""The engine and its transactions. Nobody else calls ``commit``: ``read()`` and ``write()`` are the two ways in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, Insert, Table, create_engine, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from easy_data.schemas.errors import StoreBusy, StoreClosed, StoreError, StoreReadOnly
from easy_data.stores.postgresql import connection_error, postgresql_engine

__all__ = ["Connection", "Database", "insert_ignoring"]

BUSY_SECONDS = 10.0
_READ_ONLY = ("readonly", "read-only", "disk is full", "disk full", "disk i/o error", "unable to open database")
_BUSY = ("locked", "busy", "deadlock", "could not serialize", "lock timeout", "statement timeout")


class Database:
    """One SQL database, SQLite or PostgreSQL, by its SQLAlchemy URL.

    On PostgreSQL every transaction acts for ``tenant_id``, and row-level security hides the rows of others.
    """

    def __init__(self, url: str, *, tenant_id: str | None = None) -> None:
        self._closed = False
        self.engine = _sqlite_engine(url) if url.startswith("sqlite") else postgresql_engine(url, tenant_id=tenant_id)

    @classmethod
    def of_file(cls, path: Path) -> Database:
        """Return the SQLite database at ``path``."""
        return cls(f"sqlite:///{path}")

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self.engine.dialect.name

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a consistent snapshot for reading."""
        self._check_open()
        with self._translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that commits at the end of the block, or not at all.

        On SQLite it is BEGIN IMMEDIATE, so that a read that decides a write cannot be overtaken. Raises
        ``StoreBusy``, ``StoreReadOnly``, ``StoreClosed`` or another ``StoreError``.
        """
        self._check_open()
        with self._translated(), self.engine.connect() as connection:
            connection.execution_options(easy_data_write=True)
            with connection.begin():
                yield connection

    def now(self, connection: Connection) -> datetime | None:
        """Return the server's time, which all hosts agree on; None on SQLite, which has no clock of its own."""
        if self.dialect == "sqlite":
            return None
        found: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
        return found

    def close(self) -> None:
        """Release all connections; what comes later is refused."""
        self._closed = True
        self.engine.dispose()

    def _check_open(self) -> None:
        # The engine would open new connections, past the lock that was given back.
        if self._closed:
            raise StoreClosed

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn driver errors into ours. Statements and parameters stay out of the message: they hold users' text."""
        try:
            yield
        except DBAPIError as error:
            known = connection_error(error, self.engine)
            if known is not None:
                raise known from None
            text = str(error.orig).lower()
            if any(sign in text for sign in _READ_ONLY):
                raise StoreReadOnly from None
            if isinstance(error, OperationalError) and any(sign in text for sign in _BUSY):
                raise StoreBusy from None
            raise StoreError(f"the database refused a statement ({type(error.orig).__name__})") from error.orig
        except PoolTimeout:
            raise StoreBusy("all connections to the database are in use; try again") from None


def insert_ignoring(connection: Connection, table: Table) -> Insert:
    """Return INSERT ... ON CONFLICT DO NOTHING in the connection's dialect."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(url, connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS}, pool_size=20)

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        # The driver must not open transactions of its own: "begin" below does, in the mode that was asked for.
        connection.isolation_level = None
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "cache_size = -65536",
            "mmap_size = 1073741824",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("easy_data_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine
