"""Forgetting: one memory, one conversation, or everything of an entity; effective for reads at the commit."""

from __future__ import annotations

from contextlib import suppress

from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.maintenance.archive import forget_sources
from easy_data.pipeline.maintenance.merge import merged_into
from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.steps.settle import content_key
from easy_data.schemas.errors import NotFound, StoreBusy
from easy_data.schemas.ids import checked_record_id
from easy_data.schemas.receipts import ErasureReceipt
from easy_data.schemas.records import Bucket
from easy_data.stores.repositories import (
    candidates,
    conversations,
    entities,
    erasure,
    evidence,
    history,
    memories,
    reviews,
)
from easy_data.stores.repositories.history import Cause
from easy_data.stores.repositories.rows import bucket_of

_BY_ENTITY = Cause("forget", "user")


def forget_memory(runtime: Runtime, entity_id: str, memory_id: str) -> ErasureReceipt:
    """Erase one memory, its evidence, what its history said and what waits to change it. Raises ``NotFound``."""
    with entity_write(runtime, runtime.scope(entity_id)) as write:
        memory_id = checked_record_id(memory_id)
        if memories.find(write.connection, write.scope, memory_id) is None:
            raise NotFound("no memory of this entity has this id")
        counts = erase_memories(write, [memory_id], _BY_ENTITY)
    return _finished(runtime, entity_id, counts)


def forget_conversation(runtime: Runtime, entity_id: str, conversation_id: str) -> ErasureReceipt:
    """Erase a conversation's text and everything that rests on it alone. Work in flight on it writes nothing.

    Memories that other conversations stand behind too stay, without this one's evidence.
    """
    with entity_write(runtime, runtime.scope(entity_id)) as write:
        rows = [
            row
            for row in conversations.of_entity(write.connection, write.scope)
            if row.conversation_id == conversation_id
        ]
        if not rows:
            raise NotFound("no conversation of this entity has this id")
        counts: dict[str, int] = {"conversations": len(rows)}
        orphans: list[str] = []
        for row in rows:
            conversations.cancel(write.connection, row.id, now=write.now)
            gone, alone = evidence.remove_conversation(write.connection, write.scope, row.id)
            orphans += alone
            _add(counts, "evidence", gone)
            _add(counts, "candidates", candidates.forget(write.connection, row.id))
            _add(counts, "review_items", reviews.remove_conversation(write.connection, write.scope, row.id))
        for name, number in erase_memories(write, orphans, _BY_ENTITY).items():
            _add(counts, name, number)
    return _finished(runtime, entity_id, counts)


def forget_entity(runtime: Runtime, entity_id: str) -> ErasureReceipt:
    """Erase everything of an entity, in every table that has it and in the index."""
    with runtime.database.read() as connection:
        if entities.find(connection, runtime.scope(entity_id)) is None:
            return ErasureReceipt(entity_id=entity_id, erased_at=runtime.clock.now(), counts={})
    with entity_write(runtime, runtime.scope(entity_id)) as write:
        counts = erasure.erase(write.connection, write.scope)
    runtime.recalls.flush()
    scope = runtime.scope(entity_id)
    points = list(runtime.index.versions(scope.tenant_id, scope.entity_id))
    runtime.index.delete(points)
    runtime.summaries.drop(scope.tenant_id, scope.entity_id)
    with runtime.database.write() as connection:
        # What was recalled while this ran reached the log after the tables were emptied.
        erasure.erase(connection, scope)
    runtime.database.scrub()
    return ErasureReceipt(entity_id=entity_id, erased_at=runtime.clock.now(), counts={**counts, "points": len(points)})


def verify_erasure(runtime: Runtime, entity_id: str) -> dict[str, int]:
    """Count what each store still holds of an entity; all zero after ``forget_entity``."""
    scope = runtime.scope(entity_id)
    with runtime.database.read() as connection:
        counts = erasure.remains(connection, scope)
    counts["points"] = len(runtime.index.versions(scope.tenant_id, scope.entity_id))
    counts["summary"] = int(runtime.summaries.get(scope.tenant_id, scope.entity_id) is not None)
    return counts


def erase_memories(write: EntityWrite, memory_ids: list[str], cause: Cause) -> dict[str, int]:
    """Erase memories with all that rests on them or was made of them; return how many rows went, by kind."""
    counts = {bucket.value: 0 for bucket in Bucket}
    # What was merged into them says the same; what a job made of them says it too.
    memory_ids = [*memory_ids, *merged_into(write.connection, write.scope, memory_ids)]
    found = memories.load(write.connection, write.scope, memory_ids, statuses=())
    history.bury(write.connection, write.scope, [(content_key(r), r.id) for r in found], now=write.now)
    for record in found:
        write.remove(record, cause)
        counts[bucket_of(record).value] += 1
    ids = [record.id for record in found]
    forget_sources(write, ids)
    counts["evidence"] = evidence.remove_memories(write.connection, write.scope, ids)
    counts["review_items"] = reviews.remove_targets(write.connection, write.scope, ids)
    return counts


def _finished(runtime: Runtime, entity_id: str, counts: dict[str, int]) -> ErasureReceipt:
    scope = runtime.scope(entity_id)
    # A summary of the version before is never served, and the one made after this change takes its place.
    with suppress(StoreBusy):
        runtime.summaries.drop(scope.tenant_id, scope.entity_id)
    runtime.database.scrub()
    return ErasureReceipt(entity_id=entity_id, erased_at=runtime.clock.now(), counts=counts)


def _add(counts: dict[str, int], name: str, number: int) -> None:
    counts[name] = counts.get(name, 0) + number
