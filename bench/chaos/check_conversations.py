"""Conversations: none accepted is lost, none is there that nobody sent, none is tried for ever."""

from __future__ import annotations

from bench.chaos.findings import Violation, Violations
from bench.chaos.stored import Stored
from bench.chaos.told import Told

OUTCOMES = {"written", "review", "empty", "duplicate", "dead_letter", "cancelled"}
OUR_SOURCES = ("s", "doomed-")


def lost(stored: Stored, told: Told) -> Violations:
    """I1: each accepted conversation has ended in exactly one way, and each of its candidates too."""
    rows = {row["id"]: row for row in stored.ours("conversations")}
    fates = stored.by("candidates", "conversation_row_id")
    for key, ids in told.acked.items():
        if told.entity_of[key] in told.erased:
            continue
        if len(ids) > 1:
            yield Violation("I1", "duplicate effect", f"{key} was given {len(ids)} receipts")
        for row_id in ids:
            row = rows.get(row_id)
            if row is None:
                yield Violation("I1", "lost", f"{key}: its receipt names nothing")
            elif row["state"] != "settled" or row["outcome"] not in OUTCOMES:
                yield Violation("I1", "lost", f"{key} stands at {row['state']} with outcome {row['outcome']}")
            elif row["outcome"] in ("written", "review", "empty"):
                open_ones = [each for each in fates.get(row_id, []) if each["fate"] is None]
                if open_ones:
                    yield Violation("I1", "lost", f"{key}: {len(open_ones)} candidates have no fate")


def unexpected(stored: Stored, told: Told) -> Violations:
    """I2, of conversations: each was sent, as it stands there, and once."""
    seen: set[str] = set()
    for row in stored.ours("conversations"):
        key = row["conversation_id"]
        if key not in told.attempted:
            yield Violation("I2", "unexpected", f"the conversation {key} was never sent")
            continue
        if row["revision"] != 1 or key in seen:
            yield Violation("I3", "duplicate effect", f"{key} stands there twice")
        seen.add(key)
        texts = [message["content"] for message in (row["payload"] or {"messages": []})["messages"]]
        if row["payload"] is not None and texts != told.attempted[key]:
            yield Violation("I2", "unexpected", f"{key} does not say what was sent")


def contained(stored: Stored, max_attempts: int) -> Violations:
    """I7: no conversation is tried more often than the limit; every dead letter says why."""
    for row in stored.ours("conversations"):
        counted = row["attempts"] - row["outages"]
        if counted > max_attempts + 1:
            yield Violation("I7", "tried too often", f"{row['conversation_id']}: {counted} attempts")
        if row["outcome"] == "dead_letter" and not (row["reason"] and row["payload"]):
            yield Violation("I7", "dead letter", f"{row['conversation_id']} has no reason or no text")


def poisoned(stored: Stored, told: Told, words: tuple[str, ...]) -> Violations:
    """I7: what kills or breaks its reader ends as a dead letter."""
    outcomes = {row["conversation_id"]: row["outcome"] for row in stored.ours("conversations")}
    for key, texts in told.attempted.items():
        breaks = any(word in text for word in words for text in texts)
        if breaks and key in told.acked and outcomes.get(key) != "dead_letter":
            yield Violation("I7", "dead letter", f"{key} breaks its reader and ended as {outcomes.get(key)}")
