"""Compares what is stored with what the journals say, promise by promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bench.chaos import check_conversations, check_derived, check_memories
from bench.chaos.findings import Violation
from bench.chaos.stored import Stored, holding, read_stored
from bench.chaos.system import System
from bench.chaos.told import Told

# Counted even when there is none.
KINDS = ("lost", "unexpected", "duplicate effect", "order", "drift")


@dataclass
class Verdict:
    violations: list[Violation] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)

    def add(self, found: Iterable[Violation]) -> None:
        self.violations += [each for each in found if each not in self.violations]

    @property
    def by_kind(self) -> dict[str, int]:
        found = Counter(each.kind for each in self.violations)
        return {kind: found[kind] for kind in dict.fromkeys((*KINDS, *sorted(found)))}


def check(system: System, told: Told, *, replayed: set[str]) -> Verdict:
    """Check everything that must hold once nothing is left to do."""
    stored = read_stored(system)
    words = [*told.erased.values(), *(word for _, _, word in told.forgotten)]
    places = {word: holding(system, word) for word in words}
    verdict = Verdict()
    for found in (
        check_conversations.lost(stored, told),
        check_conversations.unexpected(stored, told),
        check_conversations.contained(stored, system.runtime.settings.max_attempts),
        check_memories.grounded(stored, told),
        check_memories.effects(stored),
        check_memories.evidence_once(stored),
        check_memories.slots(stored),
        check_memories.order(stored, told, replayed),
        check_memories.reviews(stored, told),
        check_derived.drift(stored),
        check_derived.cache(stored, told),
        check_derived.gone(stored, told, places),
        check_derived.isolation(stored, told),
        check_derived.windows(stored, datetime.now(UTC)),
        (Violation(invariant, "seen by a reader", detail) for invariant, detail in told.violations),
    ):
        verdict.add(found)
    verdict.counts = counts(stored, told)
    return verdict


def counts(stored: Stored, told: Told) -> dict[str, Any]:
    """Return how many conversations ended in which way, and what was recovered."""
    rows = stored.ours("conversations")
    ends = Counter(row["outcome"] or f"open ({row['state']})" for row in rows)
    keys = {row["conversation_id"] for row in rows}
    known = set(told.acked)
    return {
        "calls": told.attempts,
        "attempted": len(told.attempted),
        "acked": len(known),
        "erased with their entity": sum(told.entity_of[key] in told.erased for key in known),
        "outcomes": dict(sorted(ends.items())),
        "recovered by asking again": told.recovered,
        "recovered in SQL": len((set(told.attempted) - known) & keys),
        "never taken": len(set(told.attempted) - known - keys),
        "duplicate deliveries": sum(row["duplicates"] for row in rows),
        "conversations tried again": sum(row["fence"] > 4 for row in rows),
        "refused calls": dict(told.errors.most_common()),
        "memories": len(stored.memories),
        "reads of what was forgotten": told.looked,
        "decisions": len(told.decisions),
    }
