"""Corrections by people: setting a value right, and undoing one change of the history."""

from __future__ import annotations

from typing import Any

from easy_data.pipeline.entity_write import entity_write
from easy_data.pipeline.policy import CONFIRMED
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import InputError, NotFound
from easy_data.schemas.ids import checked_record_id
from easy_data.schemas.records import (
    LIVE_STATUSES,
    Bucket,
    EventRecord,
    MemoryRecord,
    ProfileRecord,
    Revision,
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
        fields = old.model_dump() | changes | {"source": "corrected", "confidence": CONFIRMED, "id": ""}
        fields |= {"status": Status.ACTIVE}
        if isinstance(old, ProfileRecord):
            fields |= {"valid_from": write.now, "valid_to": None, "conflict_with": None}
        cause = Cause("correct", by, {"corrects": old.id})
        ended: dict[str, object] = {"status": Status.SUPERSEDED}
        if isinstance(old, ProfileRecord):
            ended |= {"valid_to": write.now, "conflict_with": None}
        # The old row leaves first: a slot holds one live row at a time.
        write.change(old, ended, Cause("supersede", by, {}))
        ground = Ground(quote="", said_at=write.now, extractor="correction")
        return write.create(type(old).model_validate(fields), ground, cause)


def undo(runtime: Runtime, entity_id: str, revision_id: str, *, by: str) -> MemoryRecord | None:
    """Put a memory back to what it was before one revision; returns it, or None when that was not to exist.

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
        return write.change(now, _as_before(found), cause)


def _as_before(revision: Revision) -> dict[str, object]:
    before = _RECORDS[revision.bucket].model_validate(revision.before)
    return {name: value for name, value in before if name not in ("id", "version", "entity_id", "updated_at")}
