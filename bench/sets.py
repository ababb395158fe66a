"""The public data sets that ``bench/retrieval.py`` reads, as memories and questions about them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

LONGEST_TEXT = 3_900


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
class Asked:
    """A question, the names of the memories that answer it, and when it is asked.

    ``older`` and ``newer`` are the evidence before and after a change, where the question is about one.
    """

    query: str
    gold: set[str]
    at: datetime
    kind: str = ""
    older: set[str] = field(default_factory=set)
    newer: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Case:
    """The memories of one entity and the questions asked about them."""

    entity: str
    turns: list[Turn]
    questions: list[Asked] = field(default_factory=list)


def locomo(path: Path) -> Iterator[Case]:
    """One entity a conversation, one memory a turn; categories 1 to 4 with evidence, asked a day later."""
    for sample in json.loads(path.read_text(encoding="utf-8")):
        turns = []
        dialogue = sample["conversation"]
        sessions = sorted(int(k.split("_")[1]) for k, v in dialogue.items() if re.fullmatch(r"session_\d+", k) and v)
        for number in sessions:
            began = _moment(dialogue[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
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
        asked_at = turns[-1].at + timedelta(days=1)
        for asked in sample["qa"]:
            if asked["category"] in (1, 2, 3, 4):
                # Some evidence strings hold several names, and some hold none.
                gold = {name for part in asked.get("evidence", []) for name in re.split(r"[;\s]+", part)} & known
                if gold:
                    case.questions.append(Asked(asked["question"], gold, asked_at, str(asked["category"])))
        yield case


def longmemeval(path: Path) -> Iterator[Case]:
    """One entity and one question a line, asked at its date; the evidence are the turns marked ``has_answer``."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            asked = json.loads(line)
            turns, gold = [], {}
            for name, date, said in zip(
                asked["haystack_session_ids"], asked["haystack_dates"], asked["haystack_sessions"], strict=True
            ):
                began = _dated(date)
                for position, message in enumerate(said):
                    turn = Turn(
                        name=f"{name}#{position}",
                        text=message["content"][:LONGEST_TEXT] or "-",
                        conversation=name,
                        turn=position,
                        at=began + timedelta(seconds=10 * position),
                        payload={"role": message["role"]},
                    )
                    turns.append(turn)
                    if message.get("has_answer"):
                        gold[turn.name] = began
            if gold:
                kind, newest = asked["question_type"], max(gold.values())
                question = Asked(asked["question"], set(gold), _dated(asked["question_date"]), kind)
                if kind == "knowledge-update":
                    question.newer = {name for name, began in gold.items() if began == newest}
                    question.older = set(gold) - question.newer
                yield Case(asked["question_id"], turns, [question])


def madial(folder: Path) -> Iterator[Case]:
    """One entity a user, one memory a record; the query is the dialogue up to the turn that is tested."""
    memories = {name: m for line in _lines(folder / "memories_zh.jsonl") for name, m in json.loads(line).items()}
    dialogues = [json.loads(line) for line in _lines(folder / "dialogues_zh_dev.jsonl")]
    for user in sorted({m["user-id"] for m in memories.values()}):
        mine = {name: m for name, m in memories.items() if m["user-id"] == user}
        turns = [Turn(name, m["event"], "", None, _moment(m["time"], "%Y-%m-%d"), {}) for name, m in mine.items()]
        case = Case(f"user-{user}", turns)
        asked_at = max(turn.at for turn in turns) + timedelta(days=1)
        for dialogue in dialogues:
            gold = {str(name) for name in dialogue["relevant-id"]} & mine.keys()
            if dialogue["user-id"] == user and gold:
                said = dialogue["dialogue"][1 : dialogue["test-turn"][0]]
                query = re.sub(r"<[^>]+>:|[\"\n]", " ", " ".join(said))
                case.questions.append(Asked(query, gold, asked_at))
        yield case


SETS = {"locomo": locomo, "longmemeval": longmemeval, "madial": madial}
LANGUAGE = {"locomo": "en", "longmemeval": "en", "madial": "zh"}


def _moment(text: str, form: str) -> datetime:
    return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)


def _dated(text: str) -> datetime:
    return _moment(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M")


def _lines(path: Path) -> Iterable[str]:
    return (line for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
