"""The command line, and memories that run embedded or as the service, for every acceptance test that wants them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import structlog

from easy_data import EasyMemory
from easy_data.pipeline.runtime import Runtime, build_queue, build_runtime
from easy_data.schemas.ports import Embedder
from easy_data.schemas.settings import Settings
from easy_data.stores.database import Database
from easy_data.stores.migrate import ensure_schema
from tests.fixtures.celery_worker import CeleryWorker
from tests.fixtures.command_line import CommandLine
from tests.fixtures.engines import PostgresServer
from tests.fixtures.memories import Build, Open
from tests.fixtures.modes import EMBEDDED, Over
from tests.fixtures.service import Service

# What is handed over as it is; everything else that opens a memory is a setting.
PARTS = ("attributes", "event_types", "extractor", "embedder", "clock", "reached")


@pytest.fixture
def command_line(tmp_path: Path) -> Iterator[CommandLine]:
    yield CommandLine(tmp_path / "memory.db")
    structlog.reset_defaults()


@pytest.fixture
def service_line(service: Service, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line of a process that has a service, without workers yet, in its environment."""
    for name, value in service.settings.items():
        monkeypatch.setenv(f"EASY_DATA_{name.upper()}", str(value))
    return command_line


@dataclass(frozen=True)
class SharedService:
    """The service that tests share, each as a tenant of its own: its settings and its worker."""

    settings: dict[str, Any]
    worker: CeleryWorker


@pytest.fixture(scope="session")
def shared_service(
    postgres_server: PostgresServer, redis_server_url: str, shared_qdrant: str
) -> Iterator[SharedService]:
    """PostgreSQL, Redis, vector server and worker. Row-level security holds for the user of the database."""
    name = f"easy_data_{uuid.uuid4().hex}"
    postgres_server.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'secret'")
    postgres_server.execute(f"CREATE DATABASE {name} OWNER {name} TEMPLATE template0")
    address = postgres_server.url.set(username=name, password="secret", database=name, drivername="postgresql")
    settings = {
        "backend": "postgresql",
        "database_url": address.render_as_string(hide_password=False),
        "broker_url": redis_server_url,
        "cache_url": redis_server_url,
        "qdrant_url": shared_qdrant,
        "deployment": f"t{uuid.uuid4().hex[:12]}",
    }
    database = Database(settings["database_url"])
    ensure_schema(database)
    database.close()
    worker = CeleryWorker(Settings(**settings))
    worker.start()
    yield SharedService(settings, worker)
    worker.stop()
    postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    postgres_server.execute(f"DROP ROLE {name}")


@pytest.fixture
def mode() -> str:
    """How memories run: ``embedded``, or ``service`` where a module asks for both."""
    return EMBEDDED


@pytest.fixture
def tenant(mode: str, request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """The settings of the test's tenant of the service; none in embedded mode."""
    if mode == EMBEDDED:
        yield {}
        return
    shared: SharedService = request.getfixturevalue("shared_service")
    yield shared.settings | {"tenant_id": f"t{uuid.uuid4().hex[:12]}"}
    shared.worker.rest()


@pytest.fixture
def open_memory(
    tenant: dict[str, Any], embedder: Embedder, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Open a memory on the test's store; settings and parts as keywords. In service mode a worker has the same."""
    with ExitStack() as opened:

        def open_one(**given: Any) -> EasyMemory:
            parts = {"embedder": embedder} | {name: given.pop(name) for name in PARTS if name in given}
            if tenant:
                settings = tenant | {"retry_seconds": 0.01} | given
                shared: SharedService = request.getfixturevalue("shared_service")
                build = partial(build_runtime, Settings(**settings), **parts)
                shared.worker.serve(build, tenant_id=settings["tenant_id"])
            else:
                settings = {"path": tmp_path / "memory.db", "retry_seconds": 0.01} | given
            memory = EasyMemory(**settings, **parts)
            opened.callback(memory.close)
            return memory

        yield open_one


@pytest.fixture
def build(tenant: dict[str, Any], embedder: Embedder, tmp_path: Path) -> Iterator[Build]:
    """Build the parts alone, with nobody at work behind them, for tests that take the steps themselves."""
    where = {name: value for name, value in tenant.items() if name != "broker_url"} or {"path": tmp_path / "memory.db"}
    with ExitStack() as built:

        def build_one(*, settings: dict[str, Any] | None = None, **parts: Any) -> Runtime:
            runtime = build_runtime(Settings(**where | (settings or {})), **{"embedder": embedder} | parts)
            built.callback(runtime.close)
            return runtime

        yield build_one


@pytest.fixture
def over(tenant: dict[str, Any], request: pytest.FixtureRequest) -> Over:
    """Return a memory over parts that a test has built, as ``EasyMemory.over``; in service mode the worker has them."""

    def attach(runtime: Runtime) -> EasyMemory:
        if tenant:
            runtime = replace(runtime, queue=build_queue(Settings(**tenant)))
            shared: SharedService = request.getfixturevalue("shared_service")
            shared.worker.serve(lambda: runtime, tenant_id=tenant["tenant_id"])
        return EasyMemory.over(runtime)

    return attach
