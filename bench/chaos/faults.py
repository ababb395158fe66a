"""What is done to the servers, the processes and the messages, by the kind's name in the plan."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import redis
import sqlalchemy as sa
from celery import Celery
from qdrant_client import QdrantClient

from bench.chaos import traps
from bench.chaos.deployment import OTHER_TENANT
from bench.chaos.plan import Fault
from bench.chaos.system import LEASE_SECONDS, WORKERS, System
from easy_data.schemas.receipts import State
from easy_data.stores.broker import broker_options

# How long what is down stays down.
DOWN_SECONDS = 3.0
FREEZE_SECONDS = 1.3 * LEASE_SECONDS
DOUBLED_ROWS = 60
STAGES = (State.RECEIVED, State.EXTRACTED, State.CLASSIFIED, State.PLANNED)


class Injector:
    """Carries a plan out, a lane in each thread. ``injected`` counts what was really done."""

    def __init__(self, system: System, plan: dict[str, list[Fault]]) -> None:
        self._system = system
        self._plan = plan
        self._rng = random.Random(f"{system.deployment.seed}/injector")
        self.injected: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._lane, args=(lane,), daemon=True) for lane in plan.values()]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    @property
    def at_work(self) -> bool:
        """Tell if any of the plan is still to come."""
        return any(thread.is_alive() for thread in self._threads)

    def heal(self) -> None:
        """Mend everything that may still be broken."""
        system = self._system
        self._stopping.set()
        system.proxy.silent = False
        system.model.trouble = None
        for server in (system.broker, system.cache):
            server.start()
            server.empty()
        with suppress(OSError):
            system.index.trouble()
        if "beat" not in system.processes.hosts:
            system.start_beat("beat")
        traps.disarm(system.deployment.traps)
        system.processes.thaw_all()
        for caught in traps.sprung(system.deployment.sprung):
            self.injected[f"{caught.action} at {caught.point}"] += 1

    def _lane(self, faults: list[Fault]) -> None:
        start = self._system.deployment.start.timestamp()
        for fault in faults:
            if self._stopping.wait(max(0.0, start + fault.at - time.time())):
                return
            if fault.kind == "trap":
                traps.arm(self._system.deployment.traps, fault.point, fault.action, next(self._system.numbers))
                continue
            try:
                self._doing(fault.kind)()
            except (sa.exc.DBAPIError, redis.RedisError, OSError) as error:
                # Another fault was in the way, such as a server that is down.
                self.failed[f"{fault.kind}: {type(error).__name__}"] += 1
            else:
                self.injected[fault.kind] += 1

    def _doing(self, kind: str) -> Callable[[], None]:
        if kind.startswith("model "):
            return lambda: self._trouble_model(kind.removeprefix("model "))
        method: Callable[[], None] = getattr(self, "_" + kind.replace(" ", "_").replace("-", "_"))
        return method

    def _pause(self, seconds: float = DOWN_SECONDS) -> None:
        self._stopping.wait(seconds)

    # --- the broker and the cache

    def _broker_restarted(self) -> None:
        self._system.broker.kill()
        self._pause(1)
        self._system.broker.start()

    def _broker_wiped(self) -> None:
        self._system.broker.kill()
        self._system.broker.wipe()
        self._pause(1)
        self._system.broker.start()

    def _broker_emptied(self) -> None:
        self._system.broker.client.flushall()

    def _broker_full(self) -> None:
        self._system.broker.fill()
        self._pause()
        self._system.broker.empty()

    def _bindings_evicted(self) -> None:
        client = self._system.broker.client
        client.delete(*client.keys("*_kombu.binding.*"))

    def _clients_killed(self) -> None:
        self._system.broker.client.client_kill_filter(_type="normal", skipme=True)

    def _link_half_open(self) -> None:
        self._system.proxy.silent = True
        self._pause(2 * DOWN_SECONDS)
        self._system.proxy.silent = False

    def _cache_down(self) -> None:
        self._system.cache.kill()
        self._pause()
        self._system.cache.start()

    def _cache_emptied(self) -> None:
        self._system.cache.client.flushall()

    # --- the database

    def _postgres_crashed(self) -> None:
        self._system.postgres.restart("immediate")

    def _postgres_restarted(self) -> None:
        self._system.postgres.restart("fast")

    def _backends_killed(self) -> None:
        self._system.postgres.kill_backends()

    def _entities_locked(self) -> None:
        holding = self._system.postgres.engine.execution_options(isolation_level="READ COMMITTED")
        with holding.begin() as connection:
            connection.exec_driver_sql("SELECT 1 FROM entities FOR UPDATE").all()
            self._pause(2 * DOWN_SECONDS)

    # --- the index

    def _index_killed(self) -> None:
        self._system.index.kill()
        self._pause(1)
        self._system.index.start()

    def _index_slow(self) -> None:
        self._system.index.trouble(delay=1.5)
        self._pause()
        self._system.index.trouble()

    def _index_failing(self) -> None:
        self._system.index.trouble(status=503)
        self._pause()
        self._system.index.trouble()

    def _index_dropped(self) -> None:
        client = QdrantClient(url=self._system.index.url, check_compatibility=False, timeout=5)
        for each in client.get_collections().collections:
            client.delete_collection(each.name)
        client.close()

    # --- the model

    def _trouble_model(self, trouble: str) -> None:
        self._system.model.trouble = trouble
        self._pause(DOWN_SECONDS / 2)
        self._system.model.trouble = None

    # --- processes

    def _worker(self) -> str:
        return f"w{self._rng.randrange(WORKERS)}"

    def _child_killed(self) -> None:
        children = self._system.processes.children(self._worker())
        if children:
            with suppress(ProcessLookupError):
                os.kill(self._rng.choice(children), signal.SIGKILL)

    def _worker_killed(self) -> None:
        """End the parent alone: its children go on for a moment with what they have in hand."""
        self._signal(signal.SIGKILL)

    def _worker_terminated(self) -> None:
        self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        host = self._system.processes.hosts[self._worker()]
        if host.alive and host.process is not None:
            host.process.send_signal(number)

    def _worker_frozen(self) -> None:
        self._system.processes.freeze(self._worker(), FREEZE_SECONDS)

    def _two_beats(self) -> None:
        self._system.start_beat("second beat")
        self._pause(2 * DOWN_SECONDS)
        self._system.processes.remove("second beat")

    def _no_beat(self) -> None:
        self._system.processes.remove("beat")
        self._pause(2 * DOWN_SECONDS)
        self._system.start_beat("beat")

    def _clocks_believed(self) -> None:
        """Let two hosts' wrong clocks reach the broker, which then delivers again what is being worked on."""
        self._system.deployment.believed.touch()
        self._pause()
        self._system.deployment.believed.unlink()

    # --- messages

    def _wake_ups_doubled(self) -> None:
        """Send messages for conversations in any state, several times, the newest first."""
        with self._system.postgres.engine.connect() as connection:
            ids = connection.exec_driver_sql(
                f"SELECT id FROM conversations ORDER BY received_at DESC LIMIT {DOUBLED_ROWS}"
            ).scalars()
            wakes = [(state, row_id) for row_id in ids for state in STAGES]
        self._rng.shuffle(wakes)
        for state, row_id in wakes:
            self._system.runtime.queue.wake(state, row_id)

    def _strange_messages(self) -> None:
        """Send what is not ours: another tenant's, of other fields, with code for a payload, of an unknown name."""
        settings = self._system.runtime.settings
        tenant = settings.tenant_id
        options = broker_options(
            self._system.broker.url, deployment=settings.deployment, lease_seconds=LEASE_SECONDS, wait_seconds=1
        )
        app = Celery("stranger", set_as_current=False)
        app.conf.update(**options, task_ignore_result=True, accept_content=["json"])
        with self._system.postgres.engine.connect() as connection:
            theirs = connection.exec_driver_sql(
                f"SELECT id FROM conversations WHERE tenant_id = '{OTHER_TENANT}' LIMIT 5"
            ).scalars()
            messages = [({"tenant_id": name, "row_id": row_id}) for row_id in theirs for name in (tenant, OTHER_TENANT)]
        for fields in (*messages, {"tenant_id": tenant, "row_id": "x", "sql": "DROP TABLE entities"}, {}):
            app.send_task("easy_data.extract", kwargs=fields, queue="extract")
        app.send_task("easy_data.settle", args=[tenant, 1], queue="write")
        app.send_task("os.system", args=["true"], queue="write")
        app.close()
