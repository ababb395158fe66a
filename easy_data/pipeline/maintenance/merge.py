"""Merge: facts of one slot that say the same in other words become one.

Adding finds a repeated fact by its exact words; what differs in inflection or filling words ("play tennis", "playing
tennis") comes in beside it. Two facts are one here only when they have the same words in the same order, both for or
both against. Contradictions, flagged facts, facts that a question is waiting about, and what a person has separated
again are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from easy_data.pipeline import policy
from easy_data.pipeline.entity_write import EntityWrite
from easy_data.pipeline.maintenance.effect import Effect, cause_of, taken_back
from easy_data.pipeline.maintenance.windows import Window
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope
from easy_data.schemas.keys import bare_value
from easy_data.schemas.maintenance import Job
from easy_data.schemas.records import Evidence, ProfileRecord, Status
from easy_data.stores.database import Connection
from easy_data.stores.keywords import terms
from easy_data.stores.repositories import evidence, history, memories, reviews

# What a merged fact's revision names the fact by that went into it.
MERGED = "merged"
MOST_FACTS = 10_000
_FILLERS = frozenset(("a", "an", "the", "my", "some"))
_CHINESE_FILLERS = re.compile("[的了吧呢啊呀]")


def merge(write: EntityWrite, window: Window, runtime: Runtime) -> Effect:
    """Make one fact of those that say the same; the surest one's words stay, all evidence stands behind it."""
    del runtime
    effect = Effect()
    facts = memories.profile(write.connection, write.scope, statuses=(Status.ACTIVE,), limit=MOST_FACTS)
    slots: dict[tuple[str, int, tuple[str, ...]], list[ProfileRecord]] = {}
    for fact in facts:
        slots.setdefault((fact.attr_name, int(fact.polarity), wording_key(fact.attr_value)), []).append(fact)
    doubles = [found for found in slots.values() if len(found) > 1]
    if not doubles:
        return effect
    asked = {item.target_memory_id for item in reviews.pending(write.connection, write.scope, limit=MOST_FACTS)}
    apart = asked | taken_back(write, [fact.id for found in doubles for fact in found])
    for found in doubles:
        free = [fact for fact in found if fact.id not in apart]
        if len(free) > 1:
            _unite(write, free, window, effect)
    return effect


def wording_key(value: str) -> tuple[str, ...]:
    """Return the words of a value in order, stemmed, without articles and without particles that only fill."""
    key: list[str] = []
    for word in bare_value(value).split():
        if word.isascii():
            key += [] if word in _FILLERS else terms(word) or [word]
        else:
            key.append(_CHINESE_FILLERS.sub("", word) or word)
    return tuple(key) or (value,)


def merged_into(connection: Connection, scope: Scope, memory_ids: Collection[str]) -> list[str]:
    """Return the facts that went into these, directly or through others: they hold the same content."""
    found: list[str] = []
    ask = list(memory_ids)
    while ask:
        revisions = history.of_memories(connection, scope, ask)
        named = [r.cause[MERGED] for of_one in revisions.values() for r in of_one if MERGED in r.cause]
        ask = [
            memory_id for memory_id in dict.fromkeys(named) if memory_id not in found and memory_id not in memory_ids
        ]
        found += ask
    return found


def _unite(write: EntityWrite, facts: Sequence[ProfileRecord], window: Window, effect: Effect) -> None:
    behind = evidence.of_memories(write.connection, write.scope, [fact.id for fact in facts])
    kept, *others = sorted(facts, key=lambda f: (-f.confidence, -len(behind.get(f.id, ())), f.id))
    counted = _conversations(behind.get(kept.id, ()))
    for other in others:
        # The other one leaves first; what it rests on then stands behind both.
        cause = cause_of(Job.MERGE, window, merged_into=kept.id)
        write.change(other, {"status": Status.RETIRED, "updated_at": other.updated_at}, cause)
        evidence.copy(write.connection, write.scope, other.id, kept.id)
        named = _conversations(behind.get(other.id, ()))
        changes: dict[str, object] = {
            "valid_from": min(filter(None, (kept.valid_from, other.valid_from)), default=None),
            "updated_at": max(filter(None, (kept.updated_at, other.updated_at)), default=None),
        }
        if not named & counted:
            # A conversation raises confidence once, however many facts it left.
            changes["confidence"] = policy.grown(kept.confidence, other.confidence)
        counted |= named
        after = write.change(kept, changes, cause_of(Job.MERGE, window, **{MERGED: other.id}))
        kept = after if isinstance(after, ProfileRecord) else kept
        effect.add("merged", other.id)
    effect.memory_ids.append(kept.id)


def _conversations(items: Sequence[Evidence]) -> set[str | None]:
    return {item.conversation_id for item in items if item.live}
