"""What follows from SQL or stands beside it: index, cache, broker, windows, tenants; and what is erased is gone."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

from bench.chaos.check_memories import DERIVED, LIVE
from bench.chaos.deployment import OTHER_TENANT
from bench.chaos.findings import Violation, Violations
from bench.chaos.stored import Stored
from bench.chaos.told import Told

# A host's clock may be wrong by this, so a day may be taken to have ended this much early or late.
CLOCK_TOLERANCE = timedelta(minutes=15)
IDLE_LIMIT_SECONDS = 35
# Words that only conversations and memories hold.
_SAID = re.compile(r"Canary\d|Rex\d|Wrote\d|harbour report \d")


def drift(stored: Stored) -> Violations:
    """I10: the index holds the live memories of SQL, each in its present version, and nothing else."""
    live = {m["id"]: m["version"] for m in stored.memories if m["status"] in LIVE}
    points = Counter(point_id for point_id, _ in stored.points)
    versions = {point_id: payload.get("version") for point_id, payload in stored.points}
    for memory_id, version in live.items():
        if memory_id not in versions:
            yield Violation("I10", "drift", f"{memory_id} is not in the index")
        elif versions[memory_id] != version:
            yield Violation("I10", "drift", f"{memory_id} is at {version}, in the index at {versions[memory_id]}")
    for point_id in points.keys() - live.keys():
        yield Violation("I10", "drift", f"{point_id} is only in the index")


def cache(stored: Stored, told: Told) -> Violations:
    """I9: a summary of the present version shows nothing that was forgotten. I16: every key has a lifetime."""
    versions = {row["entity_id"]: row["version"] for row in stored.ours("entities")}
    for key, (ttl, value) in stored.cache.items():
        if ttl < 0:
            yield Violation("I16", "resources", f"{key} has no lifetime")
        entity = key.rsplit(":", 1)[-1]
        if json.loads(value).get("version") != versions.get(entity):
            continue  # it is not served
        for name, _, word in told.forgotten:
            if name == entity and word in value:
                yield Violation("I9", "stale", f"the summary of {entity} shows {word}")


def gone(stored: Stored, told: Told, places: dict[str, list[str]]) -> Violations:
    """I11: of what was erased nothing is left. ``places`` are the tables that hold each erased word."""
    for entity, word in told.erased.items():
        where = [f"SQL {table}" for table in places[word]]
        where += ["the cache" for key, (_, value) in stored.cache.items() if entity in key or word in value]
        for place in where:
            yield Violation("I11", "erasure", f"{entity} is erased and in {place}")
    for _, memory_id, word in told.forgotten:
        if places[word]:
            yield Violation("I8", "erasure", f"{word} of {memory_id} is forgotten and in {places[word]}")
    shown = sorted(set(_SAID.findall(stored.logs)))
    if shown:
        yield Violation("I11", "erasure", f"logs hold what users said: {shown[:3]}")


def isolation(stored: Stored, told: Told) -> Violations:
    """I13: another tenant's messages moved nothing, and no memory is in the wrong tenant."""
    theirs = {row["id"]: row for row in stored.rows["conversations"] if row["tenant_id"] == OTHER_TENANT}
    for row_id in told.others:
        row = theirs.get(row_id)
        if row is None or row["state"] != "received" or row["attempts"]:
            yield Violation("I13", "isolation", f"another tenant's {row_id} was worked on here")
    for memory in stored.memories:
        text = str(memory.get("attr_value", ""))
        other = memory["tenant_id"] == OTHER_TENANT
        if ("Other" in text) != other or memory["tenant_id"] not in (stored.tenant, OTHER_TENANT):
            yield Violation("I13", "isolation", f"{memory['id']} is in tenant {memory['tenant_id']}")
    owners = {m["id"]: m["tenant_id"] for m in stored.memories}
    for point_id, payload in stored.points:
        owner = owners.get(point_id)
        scopes = json.dumps(payload.get("scope"))
        if owner is not None and (OTHER_TENANT in scopes) != (owner == OTHER_TENANT):
            yield Violation("I13", "isolation", f"the point {point_id} is in another tenant's scope")


def windows(stored: Stored, now: datetime) -> Violations:
    """I14: the days and months that lie behind each entity with memories were kept, each once, with no gap."""
    starts: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    for row in stored.ours("windows"):
        starts[row["entity_id"], row["job"]].append(row["window_start"].astimezone(UTC))
    remembered = {m["entity_id"] for m in stored.memories if m["tenant_id"] == stored.tenant}
    for entity in stored.ours("entities"):
        name = entity["entity_id"]
        if name not in remembered:
            continue
        for job in ("roll", "merge", "archive"):
            first = entity["created_at"].astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            if job == "archive":
                first = first.replace(day=1)
            found = sorted(starts[name, job])
            for skew in (timedelta(), -CLOCK_TOLERANCE, CLOCK_TOLERANCE):
                if found == _ended(first, job, now + skew):
                    break
            else:
                yield Violation("I14", "windows", f"{name}, {job}: {len(found)} windows from {found[:1]}")
    reviews = Counter(
        (m["entity_id"], f"{m['happened_at']:%Y-%m}") for m in stored.memories if m.get("event_type") == DERIVED
    )
    for (name, month), number in reviews.items():
        if number > 1:
            yield Violation("I14", "duplicate effect", f"{name} has {number} reviews of {month}")


def resources(*, longest_idle: float, longest_queue: int, full: int) -> Violations:
    """I16: queues are bounded, and nobody sat in a transaction."""
    if longest_queue > full:
        yield Violation("I16", "resources", f"a queue grew to {longest_queue} messages")
    if longest_idle > IDLE_LIMIT_SECONDS:
        yield Violation("I16", "resources", f"a transaction sat idle for {longest_idle:.0f} s")


def _ended(first: datetime, job: str, now: datetime) -> list[datetime]:
    found, start = [], first
    while True:
        following = start + timedelta(days=1)
        if job == "archive":
            following = (start.replace(day=28) + timedelta(days=4)).replace(day=1)
        if following > now:
            return found
        found.append(start)
        start = following
