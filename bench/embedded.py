"""Speed and memory of embedded mode.

    python bench/embedded.py [--memories 100000] [--conversations 300] [--out figures.json]

measures, on one entity: the time until ``end_conversation`` returns and until a 10-message conversation is settled with
patterns; then, with so many memories, recall with the query's embedding, the time to open the store, and the memory
the process holds. Beside wall time stands the processor's time, which other work on the machine does not lengthen much.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from report import finish, percentiles, read

from easy_data import EasyMemory, EventRecord

SEED = 20260401
PLACES = ("Oslo", "Leeds", "Porto", "Kyoto", "Hull", "Gdynia", "Turin", "Lyon", "Cork", "杭州", "成都", "苏州", "昆明")
THINGS = (
    *("the backup script", "a kayak", "green tea", "the harbour project", "a violin lesson", "the tax form"),
    *("my brother's wedding", "a marathon plan", "sourdough bread", "the garden fence"),
    *("发票", "周末的徒步", "新来的同事", "书架", "英语考试"),
)
DEEDS = ("talked about", "finished", "postponed", "bought", "repaired", "聊了", "完成了", "推迟了", "买了", "修好了")
QUERIES = (
    "What did I say about the kayak?",
    "where did we leave the tax form",
    "Did I finish the backup script in Oslo?",
    "周末的徒步去哪儿",
    "我上次买了什么",
    "who is getting married",
    "violin lesson in Kyoto",
    "发票的事办完了吗",
)


def conversation(rng: random.Random) -> list[dict[str, str]]:
    said = [
        f"I live in {rng.choice(PLACES)} and I am learning the violin.",
        f"Yesterday I finished {rng.choice(THINGS)}.",
        "我不吃香菜，平时用 Python 写代码。",
        "ok thanks",
        f"Let's pick up {rng.choice(THINGS)} tomorrow.",
    ]
    return [
        message
        for text in said
        for message in ({"role": "user", "content": text}, {"role": "assistant", "content": "Noted, tell me more."})
    ]


def write_path(path: Path, number: int) -> dict[str, object]:
    rng = random.Random(SEED)
    accepted, settled = [], []
    with EasyMemory(path=path) as memory:
        memory.end_conversation("warm", conversation(rng)).wait()
        for i in range(number):
            messages = conversation(rng)
            started = time.perf_counter()
            receipt = memory.end_conversation(f"user_{i % 20}", messages)
            accepted.append(time.perf_counter() - started)
            receipt.wait()
            settled.append(time.perf_counter() - started)
    return {"intake_ms": percentiles(accepted), "settled_ms": percentiles(settled)}


def fill(path: Path, number: int) -> float:
    rng = random.Random(SEED)
    now = datetime(2026, 4, 1, tzinfo=UTC)
    started = time.perf_counter()
    with EasyMemory(path=path) as memory:
        for start in range(0, number, 5000):
            memory.write_events(
                EventRecord(
                    entity_id="one",
                    event_type="conversation_turn",
                    summary=f"{rng.choice(DEEDS)} {rng.choice(THINGS)} ({rng.choice(PLACES)}, {i})",
                    happened_at=now - timedelta(minutes=17 * i),
                    conversation_id=f"c{i // 20}",
                    turn=i % 20,
                )
                for i in range(start, min(number, start + 5000))
            )
            print(f"\r{min(number, start + 5000):,} memories written", end="", file=sys.stderr)
    print(file=sys.stderr)
    return time.perf_counter() - started


def read_path(path: Path) -> dict[str, object]:
    """Measured in a process of its own: opening, recall, and what it holds."""
    started = time.perf_counter()
    with EasyMemory(path=path) as memory:
        opened = time.perf_counter() - started
        for query in QUERIES:
            memory.recall("one", query)
        taken, worked = [], []
        for i in range(400):
            started, used = time.perf_counter(), time.process_time()
            memory.recall("one", f"{QUERIES[i % len(QUERIES)]} {i}")
            taken.append(time.perf_counter() - started)
            worked.append(time.process_time() - used)
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "open_s": round(opened, 3),
        "recall_ms": percentiles(taken),
        "recall_cpu_ms": percentiles(worked),
        "max_rss_mb": round(resident),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--memories", type=int, default=100_000)
    arguments.add_argument("--conversations", type=int, default=300)
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--store", type=Path, help="folder to keep the store in and to reuse it from")
    arguments.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.read:
        finish("embedded.read", read_path(given.read), seed=SEED, out=given.out)
        return
    with tempfile.TemporaryDirectory() as folder:
        store = (given.store or Path(folder)) / "large.db"
        figures = write_path(Path(folder) / "small.db", given.conversations)
        if not store.exists():
            figures["fill_s"] = round(fill(store, given.memories), 1)
        part = Path(folder) / "read.json"
        command = [sys.executable, __file__, "--read", str(store), "--out", str(part)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        figures |= read(part)
    finish("embedded", {"memories": given.memories, **figures}, seed=SEED, out=given.out)


if __name__ == "__main__":
    main()
