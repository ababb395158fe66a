"""How a suspended task meets the workspace: resumed, closed, or new."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.entity_write import EntityWrite
from easy_data.schemas.candidates import Fate
from easy_data.schemas.records import Bucket, MemoryRecord, WorkspaceRecord
from easy_data.stores.keywords import terms
from easy_data.stores.repositories import evidence, memories
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

# Share of the shorter name's terms that must recur for two names to mean one task.
SAME_TASK = 0.6


def apply_task(
    write: EntityWrite, record: WorkspaceRecord, ground: Ground, cause: Cause, nominees: Sequence[MemoryRecord]
) -> tuple[Fate, str, str] | None:
    """Write a task; return (fate, reason, memory id), or None when it closes a task that was never open."""
    stored = find_task(write, record, nominees)
    if stored is None:
        if record.closed:
            return None
        return Fate.WRITTEN, "", write.create(record, ground, cause).id
    said = max(
        (e.said_at for e in evidence.of_memory(write.connection, write.scope, stored.id)), default=ground.said_at
    )
    evidence.add(write.connection, write.scope, stored.id, Bucket.WORKSPACE, ground)
    if ground.said_at < said:
        return Fate.MERGED, "older", stored.id
    changes: dict[str, object] = {"state": stored.state | record.state, "closed": record.closed}
    if record.summary:
        changes["summary"] = record.summary
    if any(getattr(stored, name) != value for name, value in changes.items()):
        write.change(stored, changes, Cause("close" if record.closed else "resume", cause.actor, cause.ids))
    return Fate.MERGED, "closed" if record.closed else "", stored.id


def find_task(write: EntityWrite, record: WorkspaceRecord, nominees: Sequence[MemoryRecord]) -> WorkspaceRecord | None:
    """Return the stored task that a record means: by its name, else by the words both share, open ones only."""
    by_name = memories.tasks(write.connection, write.scope, task_id=record.task_id, limit=1)
    if by_name:
        return by_name[0]
    if record.source == "direct":
        # A caller's names are exact.
        return None
    wanted = set(terms(f"{record.task_id} {record.summary}"))
    best: tuple[float, WorkspaceRecord] | None = None
    for stored in nominees:
        if not isinstance(stored, WorkspaceRecord) or stored.closed or not wanted:
            continue
        known = set(terms(f"{stored.task_id} {stored.summary}"))
        share = len(wanted & known) / max(1, min(len(wanted), len(known)))
        if share >= SAME_TASK and (best is None or share > best[0]):
            best = (share, stored)
    return best[1] if best else None
