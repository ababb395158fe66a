"""Memories: each rests on words somebody said, each word had its effect once, and in the order of intake."""

from __future__ import annotations

from collections import Counter, defaultdict

from bench.chaos.findings import Violation, Violations
from bench.chaos.stored import Row, Stored
from bench.chaos.told import Told

LIVE = ("active", "conflict")
SINGLE = ("location",)
DIRECT = "direct"
DERIVED = "monthly_review"
DECIDED = {"approve": "approved", "reject": "rejected"}


def grounded(stored: Stored, told: Told) -> Violations:
    """I2: each live memory has evidence, and each quote stands in the message it names."""
    behind = stored.by("evidence", "memory_id")
    keys = {row["id"]: row["conversation_id"] for row in stored.rows["conversations"]}
    for memory in stored.memories:
        if memory["status"] in LIVE and memory.get("event_type") != DERIVED and not behind.get(memory["id"]):
            yield Violation("I2", "unexpected", f"the memory {memory['id']} rests on nothing")
    for item in stored.ours("evidence"):
        if item["conversation_row_id"] is None:
            continue
        texts = told.attempted.get(keys.get(item["conversation_row_id"], ""), [])
        if item["turn"] >= len(texts) or item["quote"] not in texts[item["turn"]]:
            yield Violation("I2", "unexpected", f"evidence {item['id']} quotes what nobody said")


def effects(stored: Stored) -> Violations:
    """I3: a candidate made one memory at most, changed each memory once in each way, and is there."""
    known = {row["id"] for row in stored.rows["candidates"]}
    made: Counter[str] = Counter()
    changed: Counter[tuple[str, str, str]] = Counter()
    raised: Counter[tuple[str, str]] = Counter()
    for revision in stored.ours("revisions"):
        candidate, conversation = revision["cause"].get("candidate"), revision["cause"].get("conversation")
        if candidate is None:
            continue
        if candidate not in known:
            yield Violation("I2", "unexpected", f"revision {revision['id']} comes of a candidate that is not there")
        made[candidate] += revision["before"] is None and revision["action"] == "write"
        changed[candidate, revision["memory_id"], revision["action"]] += 1
        if _confidence(revision, "after") > _confidence(revision, "before") > 0:
            raised[conversation, revision["memory_id"]] += 1
    for each, number in (*made.items(), *changed.items(), *raised.items()):
        if number > 1:
            yield Violation("I3", "duplicate effect", f"{each} had its effect {number} times")


def evidence_once(stored: Stored) -> Violations:
    """I3: the same words of the same conversation stand behind a memory once."""
    seen = Counter(
        (row["memory_id"], row["conversation_row_id"], row["conversation_id"], row["turn"], row["quote"])
        for row in stored.ours("evidence")
    )
    for key, number in seen.items():
        if number > 1:
            yield Violation("I3", "duplicate effect", f"evidence {key[:2]} stands there {number} times")


def slots(stored: Stored) -> Violations:
    """I3: an attribute with one value has one, or values that are marked as being in conflict."""
    active: Counter[tuple[str, str, str]] = Counter()
    for memory in stored.memories:
        if memory["bucket"] == "profile" and memory["attr_name"] in SINGLE and memory["status"] == "active":
            active[memory["tenant_id"], memory["entity_id"], memory["attr_name"]] += 1
    for slot, number in active.items():
        if number > 1:
            yield Violation("I3", "duplicate effect", f"{slot} has {number} values")


def order(stored: Stored, told: Told, replayed: set[str]) -> Violations:
    """I4: versions of an entity have no gap, and conversations took effect in the order they came in."""
    sequence = {row["id"]: row["entity_seq"] for row in stored.rows["conversations"]}
    revisions: dict[str, list[Row]] = defaultdict(list)
    for revision in stored.ours("revisions"):
        revisions[revision["entity_id"]].append(revision)
    for entity in stored.ours("entities"):
        name, found = entity["entity_id"], revisions[entity["entity_id"]]
        if name in told.erased:
            continue
        versions = {revision["entity_version"] for revision in found}
        if versions != set(range(1, entity["version"] + 1)):
            yield Violation("I4", "order", f"{name} is at version {entity['version']} and has {len(versions)}")
        last = 0
        for revision in sorted(found, key=lambda each: each["entity_version"]):
            row_id = revision["cause"].get("conversation")
            if row_id is None or row_id in replayed or revision["cause"].get("review"):
                continue
            if sequence.get(row_id, last) < last:
                yield Violation("I4", "order", f"{name}: {row_id} took effect after a later conversation")
            last = max(last, sequence.get(row_id, last))


def reviews(stored: Stored, told: Told) -> Violations:
    """I6: what was queued is there, and what was decided stays decided."""
    items = {row["id"]: row for row in stored.rows["review_items"]}
    for candidate in stored.ours("candidates"):
        if candidate["fate"] == "queued" and candidate["review_id"] not in items:
            yield Violation("I6", "review", f"the question of candidate {candidate['id']} is gone")
    for item_id, decision in told.decisions.items():
        item = items.get(item_id)
        if item is None or item["status"] != DECIDED[decision]:
            yield Violation("I6", "review", f"{item_id} was decided ({decision}) and is {item and item['status']}")
    asked = Counter(
        (row["conversation_row_id"], row["turn"], row["quote"], row["reason"], str(row["proposed"]))
        for row in stored.ours("review_items")
    )
    for key, number in asked.items():
        if number > 1:
            yield Violation("I6", "duplicate effect", f"the same words of {key[0]} are asked about {number} times")


def _confidence(revision: Row, side: str) -> float:
    return float((revision[side] or {}).get("confidence", 0))
