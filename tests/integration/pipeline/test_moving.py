"""A store moved from SQLite to PostgreSQL and back: everything arrives, whatever stops the move, and nothing twice."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from easy_data import EasyMemory
from easy_data.pipeline import moving
from easy_data.pipeline.inbox import drain
from easy_data.pipeline.indexing import drift, relay
from easy_data.pipeline.moving import Moved, move_store
from easy_data.providers.clock import SystemClock
from easy_data.schemas.errors import (
    InputError,
    MigrationNeeded,
    NotFound,
    StoreBusy,
    StoreError,
    StoreLocked,
)
from easy_data.stores import copying
from easy_data.stores.database import Database
from easy_data.stores.tables import entities, events, index_outbox
from tests.fixtures.engines import PostgresServer
from tests.fixtures.filled_store import LARGE, embedded, fill
from tests.fixtures.service import Service
from tests.fixtures.small_embedder import SmallEmbedder
from tests.fixtures.talk import user

ROOT = Path(__file__).parents[3]
QUERIES = ("我住在哪里？", "What do I eat?", "报告写到哪了", "the launch 🚀", "猫", "")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with something in every table, of two tenants, and a conversation nobody has read yet."""
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    fill(path)
    return path


@pytest.fixture
def source(filled: Path, tmp_path: Path) -> Path:
    """A copy of it of this test alone."""
    path = tmp_path / "memory.db"
    shutil.copy(filled, path)
    return path


@pytest.fixture
def owner_url(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty database of an ordinary user, for whom row-level security holds."""
    name = f"mover_{uuid.uuid4().hex[:12]}"
    postgres_server.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'secret'")
    postgres_server.execute(f"CREATE DATABASE {name} OWNER {name} TEMPLATE template0")
    address = postgres_server.url.set(username=name, password="secret", database=name, drivername="postgresql")
    yield address.render_as_string(hide_password=False)
    postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    postgres_server.execute(f"DROP ROLE {name}")


def sqlite(path: Path) -> str:
    return f"sqlite:///{path}"


def move(source: str, target: str, **more: Any) -> Moved:
    return move_store(source, target, clock=SystemClock(), **more)


def exported(memory: EasyMemory) -> list[dict[str, Any]]:
    return list(memory.export())


def recalled(memory: EasyMemory) -> list[list[str]]:
    return [[hit.id for hit in memory.recall(e, q, top_k=5).memories] for e in ("ann", "bob") for q in QUERIES]


def queued(url: str) -> list[str]:
    database = Database(url, tenant_id="default")
    with database.read() as connection:
        found = list(connection.execute(sa.select(index_outbox.c.memory_id)).scalars())
    database.close()
    return found


def test_everything_arrives_and_recall_says_the_same(owner_url: str, service: Service, source: Path) -> None:
    with embedded(source) as memory:
        expected, hits, history = exported(memory), recalled(memory), memory.pending_review()
    phases: list[tuple[str, int, int]] = []
    moved = move(sqlite(source), owner_url, progress=lambda *step: phases.append(step))
    assert moved.tenants == ("default", "other")
    assert all(moved.rows.values()), moved.rows
    assert [done for phase, done, total in phases if phase == "copying" and done == total]
    assert {phase for phase, _, _ in phases} == {"reading", "copying", "verifying"}

    service.settings["database_url"] = owner_url
    runtime = service.runtime()
    relay(runtime)
    assert drift(runtime) == 0
    memory = service.memory()
    assert exported(memory) == expected
    assert recalled(memory) == hits
    assert memory.pending_review() == history
    (event,) = [e for e in memory.events("ann") if "🚀" in e.summary]
    assert event.payload == LARGE
    # Row-level security keeps tenants apart as before.
    assert [p.attr_value for p in service.memory(tenant_id="other").profile("ann")] == ["Oslo"]
    assert service.memory(tenant_id="third").profile("ann") == []
    with runtime.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(entities)).scalar_one() == 3


def test_work_goes_on_after_the_move_where_it_stopped(owner_url: str, service: Service, source: Path) -> None:
    move(sqlite(source), owner_url)
    service.settings["database_url"] = owner_url
    memory = service.memory(tenant_id="other")
    drain(service.runtime({"tenant_id": "other"}))
    (fact,) = memory.profile("zoe")
    assert fact.attr_value == "Bonn"
    ours = service.memory()
    repeated = ours.end_conversation("ann", [user("我搬到北京了，现在住在北京。")], conversation_id="c2")
    assert repeated.duplicate
    new = ours.end_conversation("ann", [user("我会弹钢琴。")], conversation_id="c9")
    drain(service.runtime())
    status = new.status()
    assert status.settled
    assert status.entity_seq == repeated.status().entity_seq + 1


def test_the_way_back_gives_the_same_store(source: Path, owner_url: str, tmp_path: Path) -> None:
    with embedded(source) as memory:
        expected, hits = exported(memory), recalled(memory)
    there = move(sqlite(source), owner_url)
    with pytest.raises(InputError, match="name each tenant"):
        move(owner_url, sqlite(tmp_path / "back.db"))
    back = move(owner_url, sqlite(tmp_path / "back.db"), tenants=["default", "other"])
    assert back.rows == there.rows
    with embedded(tmp_path / "back.db") as memory:
        assert memory.flush()
        assert exported(memory) == expected
        assert recalled(memory) == hits


def test_a_whole_copy_is_recognised(source: Path, owner_url: str) -> None:
    first = move(sqlite(source), owner_url)
    again = move(sqlite(source), owner_url)
    assert (first.already, again.already) == (False, True)
    assert again.rows == first.rows
    assert len(queued(owner_url)) == len(set(queued(owner_url)))


@pytest.mark.parametrize(
    ("point", "passing"),
    [("move.begun", 1), ("move.copied", 1), ("move.copied", 9), ("move.queued", 2), ("move.verified", 1)],
)
def test_a_move_that_is_killed_goes_on(source: Path, owner_url: str, point: str, passing: int) -> None:
    command = [sys.executable, "-m", "tests.fixtures.moving_process", sqlite(source), owner_url, point, str(passing)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    with pytest.raises(MigrationNeeded, match="easy-data migrate-store"):
        EasyMemory(
            backend="postgresql", database_url=owner_url, qdrant_url="http://127.0.0.1:1", embedder=SmallEmbedder(8)
        )
    moved = move(sqlite(source), owner_url)
    assert moved.resumed
    waiting = queued(owner_url)
    assert len(waiting) == len(set(waiting)) > 0
    assert move(sqlite(source), owner_url).already


def test_batches_of_any_size_carry_everything(source: Path, owner_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "BATCH_ROWS", 2)
    monkeypatch.setattr(copying, "BATCH_CHARS", 1000)
    assert move(sqlite(source), owner_url).rows["conversations"] == 4


def test_a_half_moved_target_takes_no_other_source(source: Path, owner_url: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fixtures.moving_process", sqlite(source), owner_url, "move.copied", "5"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    with embedded(tmp_path / "new.db") as memory:
        memory.write_profile(entity_id="ann", attr_name="location", attr_value="Oslo")
    with pytest.raises(StoreError, match="another move"):
        move(sqlite(tmp_path / "new.db"), owner_url)
    with embedded(source) as memory:
        memory.write_profile(entity_id="ann", attr_name="name", attr_value="Ann")
    with pytest.raises(StoreError, match="source was changed"):
        move(sqlite(source), owner_url)


def test_a_target_with_other_rows_is_refused_and_keeps_them(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "other.db"
    with embedded(target) as memory:
        memory.write_profile(entity_id="ann", attr_name="location", attr_value="Oslo")
    with pytest.raises(StoreError, match="not empty"):
        move(sqlite(source), sqlite(target))
    with embedded(target) as memory:
        assert [p.attr_value for p in memory.profile("ann")] == ["Oslo"]


def test_a_store_that_is_in_use_is_not_moved(
    source: Path, owner_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_PAUSE_SECONDS", 0.01)
    target = sqlite(tmp_path / "target.db")
    with embedded(source), pytest.raises(StoreLocked, match="this very process"):
        move(sqlite(source), target)
    user_of_it = Database(owner_url)
    with user_of_it.read():
        with pytest.raises(StoreBusy, match="stop its workers") as caught:
            move(sqlite(source), owner_url)
        assert "secret" not in str(caught.value)
    user_of_it.close()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"source": "sqlite:///nowhere.db"}, NotFound),
        ({"target": "sqlite:///no/such/folder/x.db"}, NotFound),
        ({"source": "mysql://u:p@h/d"}, InputError),
        ({"target": "sqlite://"}, InputError),
        ({"target": "not a url"}, InputError),
        ({"target": "sqlite:///:memory:"}, InputError),
        ({"tenants": ["\n"]}, InputError),
    ],
)
def test_what_cannot_be_moved_is_named(source: Path, tmp_path: Path, wrong: dict[str, Any], error: type) -> None:
    given = {"source": sqlite(source), "target": sqlite(tmp_path / "target.db")} | wrong
    with pytest.raises(error):
        move(given.pop("source"), given.pop("target"), **given)
    with pytest.raises(InputError, match="source itself"):
        move(sqlite(source), sqlite(source))


def test_a_value_postgresql_cannot_hold_is_named_by_its_row_and_not_shown(source: Path, owner_url: str) -> None:
    database = Database.of_file(source)
    with database.write() as connection:
        row = connection.execute(sa.select(events.c.id)).scalars().first()
        connection.execute(sa.update(events).where(events.c.id == row).values(payload={"x": "private\0words"}))
    database.close()
    with pytest.raises(StoreError, match=f"events {row}: payload holds a NUL character") as caught:
        move(sqlite(source), owner_url)
    assert "private" not in str(caught.value)
    database = Database.of_file(source)
    with database.write() as connection:
        connection.execute(sa.update(events).where(events.c.id == row).values(payload={}, event_type="x" * 65))
    database.close()
    with pytest.raises(StoreError, match="event_type holds more than 64 characters"):
        move(sqlite(source), owner_url)


def test_a_target_that_is_written_to_meanwhile_is_noticed(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.db"

    def meddle(point: str) -> None:
        if point == "move.complete":
            with sqlite3.connect(target) as other:
                other.execute("UPDATE conversations SET reason = 'changed'")
            other.close()

    with pytest.raises(StoreError, match="conversations of tenant default did not arrive as it was"):
        move(sqlite(source), sqlite(target), reached=meddle)


def test_an_empty_store_is_moved_too(tmp_path: Path) -> None:
    with embedded(tmp_path / "empty.db"):
        pass
    moved = move(sqlite(tmp_path / "empty.db"), sqlite(tmp_path / "target.db"))
    assert set(moved.rows.values()) == {0}
    with embedded(tmp_path / "target.db") as memory:
        assert memory.profile("ann") == []
