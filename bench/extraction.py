"""Extraction on labelled dialogues, through the product: each dialogue ends as one entity's conversation.

    python bench/extraction.py --cases ../shared/cases/dialogues_dev.jsonl --out pred.jsonl

writes one prediction line a dialogue in the form that ``score.py`` beside the cases reads. What is live afterwards
counts: facts, events, open tasks, and what waits in review. Sensitive attributes are kept, for the labels ask for them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from easy_data import EasyMemory, EventRecord, ProfileRecord, WorkspaceRecord
from easy_data.schemas.review import ReviewItem

NOT = {"zh": "不喜欢", "en": "not "}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=Path, required=True, help="dialogues as JSON lines")
    arguments.add_argument("--out", type=Path, required=True, help="where the predictions go")
    given = arguments.parse_args()
    dialogues = [json.loads(line) for line in given.cases.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        given.out.open("w", encoding="utf-8") as out,
        EasyMemory(path=Path(folder) / "bench.db", keep_sensitive=True) as memory,
    ):
        for dialogue in dialogues:
            memory.end_conversation(
                dialogue["id"],
                dialogue["messages"],
                conversation_id=dialogue["id"],
                ended_at=dialogue["ended_at"],
                time_zone=dialogue["timezone"],
            )
        if not memory.flush(600):
            raise SystemExit("not every dialogue was settled within ten minutes")
        for dialogue in dialogues:
            out.write(json.dumps(prediction(memory, dialogue["id"]), ensure_ascii=False) + "\n")
    print(f"{len(dialogues)} dialogues in {time.perf_counter() - started:.1f} s -> {given.out}")


def prediction(memory: EasyMemory, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "profile": [fact(record) for record in memory.profile(name)],
        "events": [event(record) for record in memory.events(name)],
        "workspace": [task(record) for record in memory.open_tasks(name)],
        "review": [waiting(item) for item in memory.pending_review(name)],
    }


def fact(record: ProfileRecord) -> dict[str, Any]:
    return {
        "attr_name": record.attr_name,
        "attr_value": said(record.attr_value, record.polarity),
        "confidence": record.confidence,
    }


def said(value: str, polarity: int) -> str:
    if polarity > 0:
        return value
    return NOT["zh" if any("\u4e00" <= char <= "\u9fff" for char in value) else "en"] + value


def event(record: EventRecord) -> dict[str, Any]:
    happened_at = record.happened_at.isoformat() if record.happened_at else None
    return {"event_type": record.event_type, "summary": record.summary, "happened_at": happened_at}


def task(record: WorkspaceRecord) -> dict[str, Any]:
    return {"task_id": f"{record.task_id} {record.summary}", "state": record.state}


def waiting(item: ReviewItem) -> dict[str, Any]:
    value = item.proposed.get("attr_value") or item.proposed.get("summary") or ""
    return {"attr_name": item.attr_name, "attr_value": said(value, item.proposed.get("polarity", 1))}


if __name__ == "__main__":
    main()
