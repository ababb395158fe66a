"""Tells if what a story shows is so, by looking at the memory itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from easy_data.cli.story import Check
from easy_data.client.embedded import EasyMemory
from easy_data.schemas.recall import Context
from easy_data.schemas.records import LIVE_STATUSES, Status


@dataclass(frozen=True, slots=True)
class Checked:
    """A named check and if it held."""

    language: str
    name: str
    ok: bool


def holds(check: Check, memory: EasyMemory, entity_id: str, recalled: Context) -> bool:
    """Tell if a check holds now; ``recalled`` is what the last recall returned.

    ``kept``: a live memory of this kind says the text. ``superseded``: one that is history says it. ``closed``: a
    closed task says it. ``resumable``: an open one does. ``refused``: no memory and no question says it. ``waiting``: a
    question proposes it for this attribute. ``settled``: none waits for this attribute. ``asked``: the recall offers a
    question that says it. ``recalled``, ``not_recalled``: the block has the text or not.
    """
    records, pending = list(_records(memory, entity_id)), memory.pending_review(entity_id)
    truth = {
        "kept": any(_fits(r, check) and r["status"] in LIVE_STATUSES for r in records),
        "superseded": any(_fits(r, check) and r["status"] == Status.SUPERSEDED for r in records),
        "closed": any(_fits(r, check) and r.get("closed") for r in records),
        "resumable": any(check.text in f"{t.summary} {t.state}" for t in memory.open_tasks(entity_id)),
        "refused": not any(
            check.text in said for said in [*map(_words, records), *(f"{i.quote} {i.proposed}" for i in pending)]
        ),
        "waiting": any(i.attr_name == check.kind and check.text in _words(i.proposed) for i in pending),
        "settled": not any(i.attr_name == check.kind for i in pending),
        "asked": any(check.text in i.question for i in recalled.questions),
        "recalled": check.text in recalled.text,
        "not_recalled": check.text not in recalled.text,
    }
    return truth[check.holds]


def _records(memory: EasyMemory, entity_id: str) -> Iterator[dict[str, Any]]:
    return (item["record"] for item in memory.export(entity_id) if item["type"] == "memory")


def _fits(record: dict[str, Any], check: Check) -> bool:
    kind = record.get("attr_name") or record.get("event_type") or "task"
    return check.kind == kind and check.text in _words(record)


def _words(record: dict[str, Any]) -> str:
    return " ".join(str(record.get(name, "")) for name in ("attr_value", "summary", "task_id", "state"))
