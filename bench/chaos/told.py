"""What the journals of all agents say: what they tried, what they were told, what they saw."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.chaos.journal import entries


@dataclass
class Told:
    """``attempted`` texts and ``acked`` receipt ids by the conversation's key."""

    attempted: dict[str, list[str]] = field(default_factory=dict)
    entity_of: dict[str, str] = field(default_factory=dict)
    acked: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    attempts: int = 0
    # receipts whose conversation was there already, though no receipt had come back for it before
    recovered: int = 0
    duplicates: int = 0
    intake_seconds: list[float] = field(default_factory=list)
    given_up: set[str] = field(default_factory=set)
    errors: Counter[str] = field(default_factory=Counter)
    violations: list[tuple[str, str]] = field(default_factory=list)
    decisions: dict[str, str] = field(default_factory=dict)
    forgotten: list[tuple[str, str, str]] = field(default_factory=list)
    erased: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    looked: int = 0
    wrote: int = 0

    def add(self, entry: dict[str, Any]) -> None:
        match entry["what"]:
            case "attempt":
                self.attempts += 1
                self.attempted[entry["key"]] = list(entry["texts"])
                self.entity_of[entry["key"]] = entry["entity"]
            case "ack":
                self._ack(entry)
            case "error":
                self.errors[entry["error"]] += 1
            case "give up":
                self.given_up.add(entry["key"])
            case "violation":
                self.violations.append((entry["invariant"], entry["detail"]))
            case "decided":
                self.decisions[entry["id"]] = entry["decision"]
            case "forgot":
                self.forgotten.append((entry["entity"], entry["id"], entry["word"]))
            case "erased":
                self.erased[entry["entity"]] = entry["word"]
            case "other ack":
                self.others.append(entry["id"])
            case "looked":
                self.looked += 1
            case "wrote":
                self.wrote += 1

    def _ack(self, entry: dict[str, Any]) -> None:
        key = entry["key"]
        if entry["duplicate"]:
            first = key not in self.acked
            self.recovered += first
            self.duplicates += not first
        self.acked[key].add(entry["id"])
        if entry["seconds"] is not None:
            self.intake_seconds.append(entry["seconds"])


def read_told(folder: Path) -> Told:
    told = Told()
    for path in sorted(folder.iterdir()):
        for entry in entries(path):
            told.add(entry)
    return told
