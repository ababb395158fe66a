"""Extraction on labelled dialogues, through the product: each dialogue ends as one entity's conversation.

    python bench/extraction.py --cases ../shared/cases/dialogues_dev.jsonl [--errors] [--out pred.jsonl] [--json]

prints precision and recall by language and by kind of dialogue, with ``--errors`` a line for each miss and each wrong
item; ``extraction_score.py`` has the rules. ``--out`` writes one prediction line a dialogue. What is live afterwards
counts: facts, events, open tasks, and what waits in review. Sensitive attributes are kept, for the labels ask for them.
The settings are the usual ones: with ``EASY_DATA_LLM_BASE_URL`` and ``EASY_DATA_LLM_MODEL`` a chat model reads too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from extraction_score import Score

from easy_data import EasyMemory, EventRecord, ProfileRecord, WorkspaceRecord
from easy_data.schemas.review import ReviewItem

NOT = {"zh": "不喜欢", "en": "not "}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=Path, required=True, help="dialogues as JSON lines")
    arguments.add_argument("--out", type=Path, help="where the predictions go, as JSON lines")
    arguments.add_argument("--errors", action="store_true", help="also list every miss, wrong item and violation")
    arguments.add_argument("--json", action="store_true", help="print figures and errors as JSON")
    given = arguments.parse_args()
    dialogues = [json.loads(line) for line in given.cases.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    started = time.perf_counter()
    predictions = predict(dialogues)
    seconds = time.perf_counter() - started
    if given.out is not None:
        lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in predictions)
        given.out.write_text("".join(lines), encoding="utf-8")
    score = Score()
    for found, dialogue in zip(predictions, dialogues, strict=True):
        if "expect" in dialogue:
            score.add(found, dialogue)
    if given.json:
        groups = {name: dict(counts) for name, counts in score.groups.items()}
        print(json.dumps({"groups": groups, "errors": score.errors}, ensure_ascii=False, indent=1))
        return
    print(*score.table(), sep="\n")
    if given.errors:
        print(*(f"{name}\t{problem}" for name, problem in score.errors), sep="\n")
    print(f"{len(dialogues)} dialogues in {seconds:.1f} s" + (f" -> {given.out}" if given.out else ""))


def predict(dialogues: list[dict[str, Any]]) -> list[dict[str, Any]]:
    with (
        tempfile.TemporaryDirectory() as folder,
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
        return [prediction(memory, dialogue["id"]) for dialogue in dialogues]


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
