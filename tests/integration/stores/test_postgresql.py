"""The PostgreSQL engine: limits, snapshots, forks, and errors that say what to do."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from easy_data.schemas.errors import EasyDataError, StoreBusy, StoreError
from easy_data.stores import migrate
from easy_data.stores.database import Database

ROOT = Path(__file__).parents[3]
FORKING = """
import os, sys
import sqlalchemy as sa
from easy_data.stores.database import Database

def backend(database):
    with database.read() as connection:
        return connection.execute(sa.select(sa.func.pg_backend_pid())).scalar_one()

database = Database(sys.argv[1])
mine = backend(database)
child = os.fork()
if child == 0:
    os._exit(0 if backend(database) != mine else 1)
_, status = os.waitpid(child, 0)
sys.exit(0 if status == 0 and backend(database) == mine else 1)
"""


@pytest.fixture
def database(postgresql_url: str) -> Iterator[Database]:
    database = Database(postgresql_url, tenant_id="t")
    yield database
    database.close()


def shown(database: Database, name: str) -> str:
    with database.read() as connection:
        return str(connection.exec_driver_sql(f"SHOW {name}").scalar_one())


def test_nothing_waits_for_ever(database: Database) -> None:
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    assert [shown(database, name) for name in names] == ["30s", "10s", "30s"]


def test_reading_sees_one_moment_and_writes_nothing(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE t AS SELECT 1 AS n")
    with database.read() as reading:
        assert reading.exec_driver_sql("SELECT count(*) FROM t").scalar_one() == 1
        with database.write() as connection:
            connection.exec_driver_sql("INSERT INTO t VALUES (2)")
        assert reading.exec_driver_sql("SELECT count(*) FROM t").scalar_one() == 1
    with pytest.raises(StoreError), database.read() as reading:
        reading.exec_driver_sql("INSERT INTO t VALUES (3)")


def test_a_forked_process_opens_connections_of_its_own(postgresql_url: str) -> None:
    done = subprocess.run([sys.executable, "-c", FORKING, postgresql_url], cwd=ROOT, timeout=50, check=False)
    assert done.returncode == 0


def backend(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute(sa.select(sa.func.pg_backend_pid())).scalar_one())


def test_a_connection_that_the_server_closed_meanwhile_is_replaced(database: Database, postgresql_url: str) -> None:
    closed, other = backend(database), Database(postgresql_url)
    with other.write() as connection:
        connection.execute(sa.select(sa.func.pg_terminate_backend(closed, 5000)))
    other.close()
    assert backend(database) != closed


def test_a_connection_lost_in_the_middle_is_an_outage(database: Database) -> None:
    def lose() -> None:
        with database.write() as connection:
            connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(StoreBusy, match="does not answer"):
        lose()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"port": 1, "host": "127.0.0.1"}, "does not answer; is it running, and does database_url name it"),
        ({"database": "nowhere"}, "does not have this database or user"),
        ({"username": "nobody_here"}, "database_url"),
    ],
)
def test_an_address_that_does_not_work_is_said_with_its_remedy(
    postgresql_url: str, changes: dict[str, object], said: str
) -> None:
    url = sa.make_url(postgresql_url).set(**changes)
    database = Database(url.render_as_string(hide_password=False))
    with pytest.raises(EasyDataError, match=said):
        migrate.ensure_schema(database)
    database.close()


def test_of_many_that_start_at_once_one_upgrades(postgresql_url: str) -> None:
    done: list[bool] = []

    def start() -> None:
        database = Database(postgresql_url)
        done.append(migrate.ensure_schema(database))
        database.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)
    assert sorted(done) == [False, False, False, True]


def test_the_time_of_leases_is_the_servers(database: Database, sqlite_url: str) -> None:
    with database.read() as connection:
        now = database.now(connection)
    assert now is not None
    assert now.utcoffset() is not None
    local = Database(sqlite_url)
    with local.read() as connection:
        assert local.now(connection) is None
    local.close()
