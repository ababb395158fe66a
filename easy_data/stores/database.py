"""The engine and its transactions. Nobody else calls ``commit``: ``read()`` and ``write()`` are the two ways in."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, Insert, Table, create_engine, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, OperationalError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from easy_data.schemas.errors import InputError, StoreBusy, StoreClosed, StoreError, StoreReadOnly
from easy_data.stores.postgresql import BEGAN_AT, connection_error, postgresql_engine

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
        self._process = os.getpid()
        self.engine = _sqlite_engine(url) if url.startswith("sqlite") else postgresql_engine(url, tenant_id=tenant_id)

    @classmethod
    def of_file(cls, path: Path) -> Database:
        """Return the SQLite database at ``path``."""
        # Built, not written: "?" and "%" in a file's name mean nothing but themselves.
        return cls(URL.create("sqlite", database=str(path)).render_as_string(hide_password=False))

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self.engine.dialect.name

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a consistent snapshot for reading."""
        self._check_open()
        with self._translated(), self._begun() as connection:
            yield connection

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Connection]:
        """Open a transaction that commits at the end of the block, or not at all.

        One that is not ``durable`` is atomic and visible to all like any other, but the crash of the machine or of the
        database server, not that of this process, may take it back: for work that would then simply be done again.

        On SQLite it is BEGIN IMMEDIATE, so that a read that decides a write cannot be overtaken. Raises
        ``StoreBusy``, ``StoreReadOnly``, ``StoreClosed`` or another ``StoreError``.
        """
        self._check_open()
        with self._translated(), self._begun(easy_data_write=True, easy_data_durable=durable) as connection:
            yield connection

    def now(self, connection: Connection) -> datetime | None:
        """Return the server's time when the transaction began: all hosts agree on it. SQLite has no clock: None."""
        if self.dialect == "sqlite":
            return None
        found: datetime | None = connection.info.get(BEGAN_AT)
        return found or connection.execute(select(func.clock_timestamp())).scalar_one()

    def scrub(self) -> None:
        """Take what was erased out of SQLite's log as well, as far as no reader still needs it."""
        if self.dialect == "sqlite":
            with self._translated(), self.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Release all connections; what comes later is refused."""
        self._closed = True
        self.engine.dispose()

    @contextmanager
    def _begun(self, **options: bool) -> Iterator[Connection]:
        with ExitStack() as opened:
            try:
                connection = self._begin(opened, options)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                # The server closed this connection while nobody used it, and with it all others; now a new one is made.
                opened.close()
                connection = self._begin(opened, options)
            yield connection

    def _begin(self, opened: ExitStack, options: dict[str, bool]) -> Connection:
        connection = opened.enter_context(self.engine.connect())
        connection.execution_options(**options)
        opened.enter_context(connection.begin())
        return connection

    def _check_open(self) -> None:
        # The engine would open new connections, past the lock that was given back.
        if self._closed:
            raise StoreClosed
        # A child that was forked has its parent's file but not its lock. PostgreSQL gives each process its connections.
        if self._process != os.getpid() and self.dialect == "sqlite":
            raise StoreClosed("this memory was opened by the parent process; open one in each process after the fork")

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
        except (StatementError, OverflowError, UnicodeError) as error:
            # A value that could not be turned into SQL; the statement's and the driver's messages would quote it.
            cause = error.orig if isinstance(error, StatementError) and error.orig else error
            if not isinstance(cause, OverflowError | UnicodeError):
                raise cause from None
            raise InputError(f"a value is outside of what the database can hold ({type(cause).__name__})") from None
        except PoolTimeout:
            raise StoreBusy("all connections to the database are in use; try again") from None


def insert_ignoring(connection: Connection, table: Table) -> Insert:
    """Return INSERT ... ON CONFLICT DO NOTHING in the connection's dialect; the values are given where it is run."""
    return _ignoring(connection.dialect.name, table)


@cache
def _ignoring(dialect: str, table: Table) -> Insert:
    made = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    return made.on_conflict_do_nothing()


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
            "secure_delete = ON",  # what was erased is overwritten, not only left out
            "cache_size = -65536",
            "mmap_size = 1073741824",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("easy_data_write", False):
            # Without forcing, what a commit wrote is on disk at the next forced one.
            connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if options['easy_data_durable'] else 'NORMAL'}")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("BEGIN")

    return engine
