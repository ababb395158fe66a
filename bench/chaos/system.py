"""The parts of a run that faults are done to, put up and taken down in one place."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from bench.chaos.deployment import EMBEDDER_SIZE, Deployment
from bench.chaos.engines import Postgres, Valkey
from bench.chaos.model import Model
from bench.chaos.processes import Processes
from bench.chaos.proxy import Proxy
from easy_data.pipeline.runtime import Runtime, build_runtime
from easy_data.schemas.settings import Settings
from tests.fixtures.qdrant_server import QdrantProcess
from tests.fixtures.small_embedder import SmallEmbedder
from tests.fixtures.waiting import wait_until

LEASE_SECONDS = 16.0
LIMIT_OF_ATTEMPTS = 3
# One worker's clock is ahead and one's is behind by this much.
SKEW_SECONDS = 600
WORKERS = 3


@dataclass
class System:
    """``runtime`` is the harness's own way into the service: to make the schema, and to send messages."""

    deployment: Deployment
    postgres: Postgres
    broker: Valkey
    cache: Valkey
    index: QdrantProcess
    model: Model
    proxy: Proxy
    processes: Processes
    runtime: Runtime
    numbers: Iterator[int]

    def start_hosts(self) -> None:
        """Start workers, beat, agents and the bystander, and let them begin when all are up."""
        for i in range(WORKERS):
            skew = (0, SKEW_SECONDS, -SKEW_SECONDS)[i % 3]
            self.processes.add(f"w{i}", "bench.chaos.worker", "worker", f"w{i}", str(skew), lasting=True)
        self.start_beat("beat")
        for i in range(self.deployment.producers):
            self.processes.add(f"producer{i}", "bench.chaos.producer", str(i), lasting=False)
        self.processes.add("bystander", "bench.chaos.bystander", lasting=False)
        ready = WORKERS + self.deployment.producers + 1
        wait_until(lambda: len(list(self.deployment.ready.iterdir())) >= ready, seconds=90, what="all hosts are up")
        self.deployment.begin()

    def start_beat(self, name: str) -> None:
        self.processes.add(name, "bench.chaos.worker", "beat", name, lasting=True)


@contextmanager
def system(deployment: Deployment) -> Iterator[System]:
    """Put everything up but the hosts; take it all down at the end, whatever happened."""
    folder = deployment.path
    with ExitStack() as stack:
        postgres = Postgres(folder)
        stack.callback(postgres.stop)
        broker, cache = Valkey(folder / "broker", durable=True), Valkey(folder / "cache", durable=False)
        stack.callback(broker.stop)
        stack.callback(cache.stop)
        index = QdrantProcess(folder / "index")
        stack.callback(index.stop)
        index.start()
        model = Model()
        stack.enter_context(model.server)
        proxy = Proxy(broker.port)
        proxy.start()
        stack.callback(proxy.stop)
        settings: dict[str, Any] = {
            "backend": "postgresql",
            "database_url": postgres.url,
            "broker_url": broker.url,
            "cache_url": cache.url,
            "qdrant_url": index.url,
            "deployment": f"c{uuid.uuid4().hex[:8]}",
            "lease_seconds": LEASE_SECONDS,
            "retry_seconds": 0.2,
            "llm_base_url": model.server.base_url,
            "llm_model": "scripted",
            "llm_mode": "json_object",
            "llm_timeout_seconds": 1.0,
            "llm_attempts": 1,
            "max_attempts": LIMIT_OF_ATTEMPTS,
        }
        deployment = replace(
            deployment,
            settings=settings,
            proxied_broker_url=f"redis://127.0.0.1:{proxy.port}/0",
        )
        for each in (deployment.journals, deployment.traps, deployment.sprung, deployment.ready):
            each.mkdir()
        deployment.save()
        runtime = build_runtime(Settings(**settings), embedder=SmallEmbedder(EMBEDDER_SIZE))
        stack.callback(runtime.close)
        processes = Processes(deployment)
        stack.callback(processes.end)
        yield System(deployment, postgres, broker, cache, index, model, proxy, processes, runtime, itertools.count(1))
