"""Corrections by people: setting a value right, and undoing one change of the history."""

from __future__ import annotations

from typing import Any

from easy_data.pipeline.admitting import admit
from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.policy import CONFIRMED
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.checking import checked_model
from easy_data.schemas.errors import InputError, NotFound
from easy_data.schemas.ids import checked_record_id
from easy_data.schemas.records import (
    LIVE_STATUSES,
    Bucket,
    EventRecord,
    MemoryRecord,
    ProfileRecord,
    Status,
    WorkspaceRecord,
)
from easy_data.stores.repositories import history, memories
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

_RECORDS: dict[Bucket, type[ProfileRecord | EventRecord | WorkspaceRecord]] = {
    Bucket.PROFILE: ProfileRecord,
    Bucket.EVENT: EventRecord,
    Bucket.WORKSPACE: WorkspaceRecord,
}
_FIXED = {"id", "entity_id", "version", "status", "updated_at", "conversation_id", "attr_name", "attr_type"}


def correct(runtime: Runtime, entity_id: str, memory_id: str, changes: dict[str, Any], *, by: str) -> MemoryRecord:
    """Set fields of a memory right; the old form becomes history and the new one is as sure as a confirmation.

    Raises ``NotFound`` or ``InputError`` (no such field, or one that cannot be changed).
    """
    memory_id = checked_record_id(memory_id)
    with entity_write(runtime, runtime.scope(entity_id)) as write:
        old = memories.find(write.connection, write.scope, memory_id)
        if old is None or old.status not in LIVE_STATUSES:
            raise NotFound("no live memory of this entity has this id")
        refused = sorted(set(changes) - (set(type(old).model_fields) - _FIXED))
        if refused or not changes:
            allowed = ", ".join(sorted(set(type(old).model_fields) - _FIXED))
            raise InputError(f"can be corrected: {allowed}; not {', '.join(refused) or 'nothing'}", field="changes")
        if changes.get("happened_at", write.now) is None:
            raise InputError("must not be empty", field="happened_at")
        given = changes | {"source": "corrected", "confidence": CONFIRMED}
        new = admit(checked_model(type(old), old.model_dump() | given), write.entity, runtime)
        if isinstance(new, ProfileRecord):
            new = new.model_copy(update={"valid_from": write.now})
        # The old row leaves first: a slot holds one live row at a time.
        write.change(old, _ended(old, write), Cause("supersede", by, {}))
        _make_room(write, new, Cause("supersede", by, {"for": old.id}), runtime)
        ground = Ground(quote="", said_at=write.now, extractor="correction")
        return write.create(new, ground, Cause("correct", by, {"corrects": old.id}))


def undo(runtime: Runtime, entity_id: str, revision_id: str, *, by: str) -> MemoryRecord | None:
    """Put a memory back to what it was before one revision; returns it, or None when that was not to exist.

    A value that becomes live again in a single-valued slot takes the place of the one that is there.
    Raises ``NotFound``; ``InputError`` when the memory changed again since, or its content was erased.
    """
    revision_id = checked_record_id(revision_id)
    with entity_write(runtime, runtime.scope(entity_id)) as write:
        found = history.find(write.connection, write.scope, revision_id)
        if found is None:
            raise NotFound("no revision of this entity has this id")
        now = memories.find(write.connection, write.scope, found.memory_id)
        if now is None or found.after is None or now.version != found.after.get("version"):
            raise InputError("the memory changed after this revision; undo the newer one first", field="revision_id")
        cause = Cause("undo", by, {"revision": found.id})
        if found.before is None:
            ended: dict[str, object] = {"status": Status.RETIRED}
            if isinstance(now, ProfileRecord):
                ended["conflict_with"] = None
            return write.change(now, ended, cause)
        before = _RECORDS[found.bucket].model_validate(found.before)
        if before.status in LIVE_STATUSES and now.status not in LIVE_STATUSES:
            _make_room(write, before, cause, runtime)
        kept = ("id", "version", "entity_id", "updated_at")
        return write.change(now, {name: value for name, value in before if name not in kept}, cause)


def _ended(record: MemoryRecord, write: EntityWrite) -> dict[str, object]:
    ended: dict[str, object] = {"status": Status.SUPERSEDED}
    return ended | ({"valid_to": write.now, "conflict_with": None} if isinstance(record, ProfileRecord) else {})


def _make_room(write: EntityWrite, record: MemoryRecord, cause: Cause, runtime: Runtime) -> None:
    """Close the other live values of a single-valued slot; raise ``InputError`` where the same is live already."""
    if isinstance(record, WorkspaceRecord):
        if memories.tasks(write.connection, write.scope, task_id=record.task_id, limit=1):
            raise InputError("another task has this id; change that one", field="task_id")
        return
    if not isinstance(record, ProfileRecord):
        return
    if runtime.registry.get(record.attr_name).cardinality == "one":
        for rival in memories.facts_of_slot(write.connection, write.scope, record.attr_name):
            if rival.id != record.id:
                write.change(rival, _ended(rival, write), cause)
        return
    same = memories.facts_with_key(write.connection, write.scope, record.attr_name, record.attr_value)
    if any(fact.id != record.id and fact.polarity == record.polarity for fact in same):
        raise InputError("this value is kept already, as another memory; change or forget that one", field="attr_value")
