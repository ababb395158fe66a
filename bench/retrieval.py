"""Does recall find the memories that hold the answer? Through the product's own writes and searches.

    python bench/retrieval.py locomo --data ../shared/data/locomo/locomo_dev.json [--out x.json]
    python bench/retrieval.py longmemeval --data ../shared/data/longmemeval/longmemeval_s_dev.jsonl.gz [--limit 20]
    python bench/retrieval.py madial --data ../shared/data/madial [--store folder]

prints recall at k beside plain BM25 over the same texts in the same run. One entity a conversation (LoCoMo), a question
(LongMemEval) or a user (MADial), one event a turn or memory, an image by its caption; the offline embedder; no model is
asked. LoCoMo: categories 1 to 4 with evidence; recall@k is the share of the evidence turns in the top k, averaged.
LongMemEval: the evidence are the turns marked as holding the answer; ``any@1`` is how often the first is one of them,
``session_any@1`` how often it is of their session, ``newer_above_older`` how often the newest evidence of a knowledge
update stands above the older. A question is asked at its date, or a day after the last memory; ``--now`` asks today.
``--store`` keeps the filled store, so that the next run only asks.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from bm25 import PlainBM25
from report import finish, percentiles
from sets import LANGUAGE, SETS, Asked, Case

from easy_data import EasyMemory, EventRecord

DEPTHS = (5, 10, 20)
TURN = "conversation_turn"


class SetClock:
    """The instant a question is asked at; None is the present."""

    def __init__(self) -> None:
        self.at: datetime | None = None

    def now(self) -> datetime:
        return self.at or datetime.now(UTC)


def records(case: Case) -> list[EventRecord]:
    return [
        EventRecord(
            entity_id=case.entity,
            event_type=TURN,
            summary=turn.text,
            payload=turn.payload,
            happened_at=turn.at,
            conversation_id=f"{case.entity}/{turn.conversation}" if turn.conversation else None,
            turn=turn.turn,
        )
        for turn in case.turns
    ]


def fill(memory: EasyMemory, case: Case, kept: Path) -> dict[str, str]:
    """Write a case's memories, unless ``kept`` says that they are there; return the set's name of each memory id."""
    known: dict[str, dict[str, str]] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if case.entity not in known:
        written = memory.write_events(records(case))
        known[case.entity] = {
            fate.memory_id: turn.name for fate, turn in zip(written, case.turns, strict=True) if fate.memory_id
        }
        memory.flush(600)
        kept.write_text(json.dumps(known), encoding="utf-8")
    return known[case.entity]


class Scores:
    """What one ranking of the data set found, question by question."""

    def __init__(self) -> None:
        self.shares: list[list[float]] = []
        self.first: list[bool] = []
        self.session_first: list[bool] = []
        self.newer: list[bool] = []

    def add(self, found: list[str], asked: Asked) -> None:
        gold = asked.gold
        self.shares.append([len(gold.intersection(found[:depth])) / len(gold) for depth in DEPTHS])
        self.first.append(bool(gold.intersection(found[:1])))
        sessions = {name.partition("#")[0] for name in gold}
        self.session_first.append(bool(found) and found[0].partition("#")[0] in sessions)
        if asked.older and asked.newer:
            place = {name: rank for rank, name in reversed(list(enumerate(found)))}
            newest, older = (
                min((place.get(n, len(found)) for n in names), default=0) for names in (asked.newer, asked.older)
            )
            self.newer.append(newest < older)

    def figures(self, name: str) -> dict[str, Any]:
        rows = self.shares
        means: dict[str, Any] = {
            f"R@{depth}": round(sum(row[i] for row in rows) / len(rows), 4) for i, depth in enumerate(DEPTHS)
        }
        if name == "longmemeval":
            means |= {"any@1": _mean(self.first), "session_any@1": _mean(self.session_first)}
            means |= {"newer_above_older": _mean(self.newer), "updates": len(self.newer)}
        return means


def run(name: str, cases: Iterable[Case], limit: int | None, folder: Path, *, present: bool) -> dict[str, Any]:
    ours, plain, taken, memories = Scores(), Scores(), [], 0
    started, clock = time.perf_counter(), SetClock()
    with EasyMemory(path=folder / f"{name}.db", language=LANGUAGE[name], clock=clock) as memory:
        for case in islice(cases, limit):
            names = fill(memory, case, folder / f"{name}.json")
            baseline = PlainBM25([turn.text for turn in case.turns])
            memories += len(case.turns)
            for asked in case.questions:
                clock.at = None if present else asked.at
                begun = time.perf_counter()
                context = memory.recall(case.entity, asked.query, top_k=max(DEPTHS))
                taken.append(time.perf_counter() - begun)
                clock.at = None
                ours.add([names.get(hit.id, "") for hit in context.memories], asked)
                plain.add([case.turns[n].name for n in baseline.best(asked.query, max(DEPTHS))], asked)
            print(f"\r{case.entity}: {len(taken)} questions", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {
        "memories": memories,
        "questions": len(taken),
        "asked": "today" if present else "at the date of the question",
        "easy_data": ours.figures(name),
        "plain_bm25": plain.figures(name),
        "recall_ms": percentiles(taken),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _mean(values: list[bool]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("set", choices=tuple(SETS))
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--limit", type=int, help="only so many cases")
    arguments.add_argument("--store", type=Path, help="folder to keep the store in and to reuse it from")
    arguments.add_argument("--now", action="store_true", help="ask every question today")
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.store or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases = SETS[given.set](given.data)
        figures = run(given.set, cases, given.limit, folder, present=given.now)
    finish(f"retrieval.{given.set}", figures, out=given.out)


if __name__ == "__main__":
    main()
