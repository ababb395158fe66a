"""The PostgreSQL engine: limits on every wait, a tenant in every transaction, connections that survive no fork."""

from __future__ import annotations

import os
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from easy_data.schemas.errors import SettingsError, StoreBusy, StoreError

OLDEST_VERSION = (13,)
CONNECT_SECONDS = 5
# A statement that waits longer than this waits for something that is wrong; the work is taken up again later.
_LIMITS_MS = {"statement_timeout": 30_000, "lock_timeout": 10_000, "idle_in_transaction_session_timeout": 30_000}
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_TENANT = "SELECT set_config('app.tenant', %(tenant)s, true), clock_timestamp()"
_UNFORCED = "SET LOCAL synchronous_commit = off"
# Where a connection keeps the server's time at the beginning of its transaction.
BEGAN_AT = "easy_data_began_at"
# What the server says to a connection that no retry makes better, and what to do about it.
_REFUSALS = {
    "password authentication failed": "refuses this user or password; correct database_url",
    "no password supplied": "wants a password; put it into database_url",
    "no pg_hba.conf entry": "does not let this user in from this host; change its pg_hba.conf or database_url",
    "does not exist": "does not have this database or user; create it or correct database_url",
}
_AWAY = (
    "connection to server",
    "could not connect",
    "could not translate host name",
    "could not receive data",
    "connection not open",
    "connection already closed",
    "server closed the connection",
    "terminating connection",
    "timeout expired",
    "too many clients",
    "remaining connection slots",
)


def postgresql_engine(url: str, *, tenant_id: str | None) -> Engine:
    """Return an engine whose transactions act for ``tenant_id``, which row-level security compares rows with.

    A transaction that is not opened for writing is a read-only snapshot.
    """
    address = _checked(url).set(drivername="postgresql+psycopg2")
    engine = create_engine(
        address,
        # No ping before each use: ``Database`` begins anew when the first statement finds a connection closed.
        pool_pre_ping=False,
        # Changes of many rows go out together, not each in a round trip of its own.
        executemany_mode="values_plus_batch",
        pool_size=5,
        max_overflow=10,
        pool_timeout=10,
        pool_recycle=1800,
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "easy-data",
            "options": " ".join(f"-c {name}={value}" for name, value in _LIMITS_MS.items()),
            "keepalives_idle": 30,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            # A dead link is noticed while data are on their way, too.
            "tcp_user_timeout": 30_000,
        },
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        statements = [] if options.get("easy_data_write", False) else [_SNAPSHOT]
        if not options.get("easy_data_durable", True):
            statements.append(_UNFORCED)
        if tenant_id is not None:
            statements.append(_TENANT)
        if statements:
            result = connection.exec_driver_sql("; ".join(statements), {"tenant": tenant_id})
            connection.info[BEGAN_AT] = result.one()[1] if tenant_id is not None else None

    _drop_inherited(engine)
    return engine


def _checked(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise SettingsError("database_url is not a URL; write it as postgresql://user:password@host/database") from None


def refuse_old_server(connection: Connection) -> None:
    """Raise ``StoreError`` when the server is older than what this release is tested with."""
    found = connection.dialect.server_version_info or ()
    if connection.dialect.name == "postgresql" and tuple(found) < OLDEST_VERSION:
        shown = ".".join(map(str, found))
        raise StoreError(f"PostgreSQL {shown} is too old; this release needs {OLDEST_VERSION[0]} or newer")


def connection_error(error: DBAPIError, engine: Engine) -> StoreError | None:
    """Return what a failed connection means, or None when the error is about a statement."""
    if engine.dialect.name != "postgresql":
        return None
    text, where = str(error.orig).lower(), f"PostgreSQL at {_address(engine.url)}"
    if isinstance(error, OperationalError):
        for sign, remedy in _REFUSALS.items():
            if sign in text:
                return StoreError(f"{where} {remedy}")
    if error.connection_invalidated or any(sign in text for sign in _AWAY):
        return StoreBusy(f"{where} does not answer; is it running, and does database_url name it?")
    return None


def _address(url: URL) -> str:
    """Return host and port, or the folder of the socket."""
    return f"{url.host}:{url.port or 5432}" if url.host else str(url.query.get("host", "the local socket"))


def _drop_inherited(engine: Engine) -> None:
    """Let a forked process open connections of its own: two processes on one socket corrupt both their streams."""

    @event.listens_for(engine, "connect")
    def _remember(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info["pid"] = os.getpid()

    @event.listens_for(engine, "checkout")
    def _check(_connection: object, record: ConnectionPoolEntry, proxy: PoolProxiedConnection) -> None:
        if record.info["pid"] != os.getpid():
            entry: Any = record
            checked_out: Any = proxy
            entry.dbapi_connection = checked_out.dbapi_connection = None
            raise DisconnectionError("this connection belongs to the process that was forked")
