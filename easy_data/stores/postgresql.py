"""The PostgreSQL engine: limits on every wait, a tenant in every transaction, connections that survive no fork."""

from __future__ import annotations

import os
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from easy_data.schemas.errors import StoreBusy, StoreError

OLDEST_VERSION = (13,)
CONNECT_SECONDS = 5
# A statement that waits longer than this waits for something that is wrong; the work is taken up again later.
_LIMITS_MS = {"statement_timeout": 30_000, "lock_timeout": 10_000, "idle_in_transaction_session_timeout": 30_000}
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_TENANT = "SELECT set_config('app.tenant', %(tenant)s, true)"
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
    address = make_url(url).set(drivername="postgresql+psycopg2")
    engine = create_engine(
        address,
        pool_pre_ping=True,
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
        write = connection.get_execution_options().get("easy_data_write", False)
        statements = [] if write else [_SNAPSHOT]
        if tenant_id is not None:
            statements.append(_TENANT)
        if statements:
            connection.exec_driver_sql("; ".join(statements), {"tenant": tenant_id})

    _drop_inherited(engine)
    return engine


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
    text, where = str(error.orig).lower(), f"PostgreSQL at {engine.url.host}:{engine.url.port or 5432}"
    if isinstance(error, OperationalError):
        for sign, remedy in _REFUSALS.items():
            if sign in text:
                return StoreError(f"{where} {remedy}")
    if error.connection_invalidated or any(sign in text for sign in _AWAY):
        return StoreBusy(f"{where} does not answer; is it running, and does database_url name it?")
    return None


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
