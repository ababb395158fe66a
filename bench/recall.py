"""How fast is recall, by path, store, size and threads? And do both indexes answer alike?

    python bench/recall.py [--sizes 1000 10000 100000] [--indexes edge server] [--threads 1 4 16] [--queries 200]
                           [--store folder] [--out figures.json]

One entity has so many events and a few facts, in SQLite; the index is the one in process (``edge``) or a Qdrant server
(``server``: the package's stand-in as a process of its own; ``--url`` names a real one). The hot path answers from the
summary, the full path searches. Each is measured with the query's embedding and, with a vector that is known already,
without. Beside wall time stands the processor's time of this process for one recall, which other work on the machine
does not lengthen much. ``same_top_10`` is the share of queries for which both indexes give the same ten, in order.

Stored vectors are those of the texts without their numbers, so that a store is filled in minutes.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from embedded import DEEDS, PLACES, QUERIES, SEED, THINGS
from report import finish, percentiles

from easy_data import EasyMemory, EventRecord
from easy_data.pipeline.runtime import build_runtime
from easy_data.providers.clock import SystemClock
from easy_data.providers.local_embedder import LocalEmbedder
from easy_data.schemas.ports import Embedder
from easy_data.schemas.settings import Settings
from easy_data.stores.edge_server import EdgeServer
from easy_data.stores.qdrant_index import QdrantIndex

HOT_QUERIES = ("Where do I live?", "What is my name?", "我住在哪里？", "我叫什么名字？")
BATCH = 5_000


class Remembered:
    """The local embedder; of texts that differ in numbers alone, or were asked before, the vector is known."""

    def __init__(self, *, with_numbers: bool) -> None:
        self._model, self._with_numbers = LocalEmbedder(), with_numbers
        self._vector = lru_cache(maxsize=100_000)(lambda text: self._model.embed([text])[0])

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def size(self) -> int:
        return self._model.size

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text if self._with_numbers else re.sub(r"\d+", "0", text)) for text in texts]


def opened(path: Path, embedder: Embedder, url: str) -> EasyMemory:
    runtime = build_runtime(Settings(path=path), clock=SystemClock(), embedder=embedder)
    if url:
        runtime.index.close()
        index = QdrantIndex(
            url, embedder_name=embedder.name, size=embedder.size, prefix=f"bench-{path.stem}", timeout=60
        )
        runtime = replace(runtime, index=index)
    return EasyMemory.over(runtime)


def fill(path: Path, number: int, url: str) -> None:
    if path.exists() and not url:
        return
    rng, now = random.Random(SEED), datetime(2026, 4, 1, tzinfo=UTC)
    with opened(path, Remembered(with_numbers=False), url) as memory:
        if url:
            memory.reindex()
            return
        memory.write_profile(entity_id="one", attr_name="location", attr_value="Oslo")
        memory.write_profile(entity_id="one", attr_name="name", attr_value="Ada")
        for start in range(0, number, BATCH):
            memory.write_events(
                EventRecord(
                    entity_id="one",
                    event_type="conversation_turn",
                    summary=f"{rng.choice(DEEDS)} {rng.choice(THINGS)} ({rng.choice(PLACES)}, {i})",
                    happened_at=now - timedelta(minutes=17 * i),
                    conversation_id=f"c{i // 20}",
                    turn=i % 20,
                )
                for i in range(start, min(number, start + BATCH))
            )
            print(f"\r{path.stem}: {min(number, start + BATCH):,} memories", end="", file=sys.stderr)
        memory.flush(3_600)
    print(file=sys.stderr)


def asked(memory: EasyMemory, queries: Sequence[str], threads: int) -> dict[str, Any]:
    """Ask all queries on so many threads; wall time of each, and processor time of all."""

    def ask(query: str) -> float:
        begun = time.perf_counter()
        memory.recall("one", query)
        return time.perf_counter() - begun

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, queries[: 2 * threads]))
        begun, used = time.perf_counter(), time.process_time()
        taken = list(pool.map(ask, queries))
        wall, worked = time.perf_counter() - begun, time.process_time() - used
    return {
        **percentiles(taken),
        "cpu_ms": round(1_000 * worked / len(queries), 3),
        "a_second": round(len(queries) / wall, 1),
    }


def measured(path: Path, url: str, threads: Sequence[int], number: int) -> dict[str, Any]:
    full = [f"{QUERIES[i % len(QUERIES)]} {i}" for i in range(number)]
    hot = [HOT_QUERIES[i % len(HOT_QUERIES)] for i in range(number)]
    figures: dict[str, Any] = {}
    for embedding, embedder in (("with_embedding", LocalEmbedder()), ("without", Remembered(with_numbers=True))):
        embedder.embed(full)
        with opened(path, embedder, url) as memory:
            paths = {"full": full, "hot": hot}
            served = {name: memory.recall("one", queries[0]).served_from for name, queries in paths.items()}
            if served != {"full": "full", "hot": "hot"}:
                raise SystemExit(f"the paths are not those that are to be measured: {served}")
            for (name, queries), each in product(paths.items(), threads):
                figures[f"{name}, {embedding}, {each} threads"] = asked(memory, queries, each)
    return figures | {"max_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def top_tens(path: Path, url: str, number: int) -> list[list[str]]:
    with opened(path, Remembered(with_numbers=True), url) as memory:
        queries = [f"{deed} {thing} {place}" for deed, thing, place in product(DEEDS, THINGS, PLACES)]
        chosen = random.Random(SEED).sample(queries, number)
        return [[hit.id for hit in memory.recall("one", query, top_k=10).memories] for query in chosen]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Run the stand-in for a Qdrant server as a process of its own and yield its URL."""
    command = [sys.executable, __file__, "--serve", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            if not url:
                raise SystemExit("the vector server did not start")
            yield url
        finally:
            process.terminate()


def serve(folder: Path) -> None:
    server = EdgeServer(folder)
    print(server.url, flush=True)
    server.serve_forever()


def run(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with ExitStack() as stack:
        urls = {"edge": "", "server": given.url}
        if "server" in given.indexes and not given.url:
            urls["server"] = stack.enter_context(served(folder / "qdrant"))
        for size in given.sizes:
            path = folder / f"recall-{size}.db"
            for index in given.indexes:
                fill(path, size, "")
                fill(path, size, urls[index])
                figures[f"{size} memories, {index}"] = measured(path, urls[index], given.threads, given.queries)
            if {"edge", "server"} <= set(given.indexes):
                pairs = zip(*(top_tens(path, urls[index], given.queries) for index in ("edge", "server")), strict=True)
                same = [one == other for one, other in pairs]
                figures[f"{size} memories, same_top_10"] = round(sum(same) / len(same), 4)
    return figures


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    arguments.add_argument("--indexes", nargs="+", choices=("edge", "server"), default=["edge", "server"])
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 4, 16])
    arguments.add_argument("--queries", type=int, default=200)
    arguments.add_argument("--url", default="", help="a Qdrant server, in place of the stand-in")
    arguments.add_argument("--store", type=Path, help="folder to keep the stores in and to reuse them from")
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.serve:
        serve(given.serve)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.store or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        figures = run(given, folder)
    finish("recall", figures, seed=SEED, out=given.out)


if __name__ == "__main__":
    main()
