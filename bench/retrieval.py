"""Does recall find the memories that hold the answer? Through the product's own writes and searches.

    python bench/retrieval.py locomo --data ../shared/data/locomo/locomo_dev.json [--out x.json]
    python bench/retrieval.py longmemeval --data ../shared/data/longmemeval/longmemeval_s_dev.jsonl.gz [--limit 20]
    python bench/retrieval.py madial --data ../shared/data/madial

prints recall at k beside plain BM25 over the same texts in the same run. One entity a conversation (LoCoMo), a question
(LongMemEval) or a user (MADial), one event a turn or memory, an image by its caption; the offline embedder; no model is
asked. LoCoMo: categories 1 to 4 with evidence; recall@k is the share of the evidence turns in the top k, averaged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from bm25 import PlainBM25
from report import finish, percentiles

from easy_data import EasyMemory, EventRecord

DEPTHS = (5, 10, 20)
TURN = "conversation_turn"


@dataclass(slots=True)
class Turn:
    """One memory of a data set, under the set's own name for it."""

    name: str
    text: str
    conversation: str
    turn: int | None
    at: datetime
    payload: dict[str, str]


@dataclass(slots=True)
class Case:
    """The memories of one entity and the questions asked about them: (query, names of the memories that answer it)."""

    entity: str
    turns: list[Turn]
    questions: list[tuple[str, set[str]]] = field(default_factory=list)


def moment(text: str, form: str) -> datetime:
    return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)


def locomo(path: Path) -> Iterator[Case]:
    for sample in json.loads(path.read_text(encoding="utf-8")):
        turns = []
        dialogue = sample["conversation"]
        sessions = sorted(int(k.split("_")[1]) for k, v in dialogue.items() if re.fullmatch(r"session_\d+", k) and v)
        for number in sessions:
            began = moment(dialogue[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            for position, said in enumerate(dialogue[f"session_{number}"]):
                caption = f" [shares an image: {said['blip_caption']}]" if said.get("blip_caption") else ""
                turns.append(
                    Turn(
                        name=said["dia_id"],
                        text=f"{said['speaker']}: {said['text']}{caption}",
                        conversation=f"session_{number}",
                        turn=position,
                        at=began + timedelta(seconds=10 * position),
                        payload={"speaker": said["speaker"]},
                    )
                )
        known = {turn.name for turn in turns}
        case = Case(sample["sample_id"], turns)
        for asked in sample["qa"]:
            if asked["category"] in (1, 2, 3, 4):
                gold = {name for part in asked.get("evidence", []) for name in re.split(r"[;\s]+", part)} & known
                if gold:
                    case.questions.append((asked["question"], gold))
        yield case


def longmemeval(path: Path) -> Iterator[Case]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            asked = json.loads(line)
            turns, gold = [], set()
            for name, date, said in zip(
                asked["haystack_session_ids"], asked["haystack_dates"], asked["haystack_sessions"], strict=True
            ):
                began = moment(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M")
                for position, message in enumerate(said):
                    turn = f"{name}#{position}"
                    turns.append(
                        Turn(
                            turn,
                            message["content"][:3900] or "-",
                            name,
                            position,
                            began + timedelta(seconds=10 * position),
                            {"role": message["role"]},
                        )
                    )
                    if message.get("has_answer"):
                        gold.add(turn)
            if gold:
                yield Case(asked["question_id"], turns, [(asked["question"], gold)])


def madial(folder: Path) -> Iterator[Case]:
    memories = {name: m for line in _lines(folder / "memories_zh.jsonl") for name, m in json.loads(line).items()}
    dialogues = [json.loads(line) for line in _lines(folder / "dialogues_zh_dev.jsonl")]
    for user in sorted({m["user-id"] for m in memories.values()}):
        mine = {name: m for name, m in memories.items() if m["user-id"] == user}
        turns = [Turn(name, m["event"], "", None, moment(m["time"], "%Y-%m-%d"), {}) for name, m in mine.items()]
        case = Case(f"user-{user}", turns)
        for dialogue in dialogues:
            gold = {str(name) for name in dialogue["relevant-id"]} & mine.keys()
            if dialogue["user-id"] == user and gold:
                said = dialogue["dialogue"][1 : dialogue["test-turn"][0]]
                case.questions.append((re.sub(r"<[^>]+>:|[\"\n]", " ", " ".join(said)), gold))
        yield case


def _lines(path: Path) -> Iterable[str]:
    return (line for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def fill(memory: EasyMemory, case: Case) -> dict[str, str]:
    """Write a case's memories and return the set's name of each memory id."""
    records = [
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
    written = memory.write_events(records)
    return {fate.memory_id: turn.name for fate, turn in zip(written, case.turns, strict=True) if fate.memory_id}


def recall_at(found: list[str], gold: set[str]) -> list[float]:
    return [len(gold.intersection(found[:depth])) / len(gold) for depth in DEPTHS]


def run(cases: Iterable[Case], limit: int | None, language: str) -> dict[str, Any]:
    ours, plain, taken, memories, questions = [], [], [], 0, 0
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        EasyMemory(path=Path(folder) / "bench.db", language=language) as memory,
    ):
        for case in islice(cases, limit):
            names = fill(memory, case)
            baseline = PlainBM25([turn.text for turn in case.turns])
            memories += len(case.turns)
            for query, gold in case.questions:
                begun = time.perf_counter()
                context = memory.recall(case.entity, query, top_k=max(DEPTHS))
                taken.append(time.perf_counter() - begun)
                ours.append(recall_at([names.get(hit.id, "") for hit in context.memories], gold))
                plain.append(recall_at([case.turns[n].name for n in baseline.best(query, max(DEPTHS))], gold))
                questions += 1
            print(f"\r{case.entity}: {questions} questions", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {
        "memories": memories,
        "questions": questions,
        "easy_data": _means(ours),
        "plain_bm25": _means(plain),
        "recall_ms": percentiles(taken),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _means(rows: list[list[float]]) -> dict[str, float]:
    return {f"R@{depth}": round(sum(row[i] for row in rows) / len(rows), 4) for i, depth in enumerate(DEPTHS)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("set", choices=("locomo", "longmemeval", "madial"))
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--limit", type=int, help="only so many cases")
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    read = {"locomo": locomo, "longmemeval": longmemeval, "madial": madial}[given.set]
    finish(
        f"retrieval.{given.set}",
        run(read(given.data), given.limit, "zh" if given.set == "madial" else "en"),
        out=given.out,
    )


if __name__ == "__main__":
    main()
