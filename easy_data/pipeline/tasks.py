"""How a suspended task meets the workspace: resumed, closed, or new."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from easy_data.pipeline.entity_write import EntityWrite
from easy_data.schemas.candidates import Fate
from easy_data.schemas.records import Bucket, MemoryRecord, WorkspaceRecord
from easy_data.stores.keywords import terms
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

# Share of the shorter name's terms that must recur for two names to mean one task.
SAME_TASK = 0.6
CLOSES_ONLY_TASK = 0.2
OPEN_LOOKED_AT = 20


def apply_task(
    write: EntityWrite, record: WorkspaceRecord, ground: Ground, cause: Cause, nominees: Sequence[MemoryRecord]
) -> tuple[Fate, str, str] | None:
    """Write a task; return (fate, reason, memory id), or None when it closes a task that was never open."""
    stored = find_task(write, record, nominees)
    if stored is None:
        if record.closed:
            return None
        return Fate.WRITTEN, "", write.create(record, ground, cause).id
    said = write.last_said(stored.id) or ground.said_at
    write.add_evidence(stored.id, Bucket.WORKSPACE, ground)
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
    by_name = write.memory.tasks(task_id=record.task_id, limit=1)
    if by_name:
        return by_name[0]
    if record.source == "direct":
        # A caller's names are exact.
        return None
    known = {t.id: t for t in nominees if isinstance(t, WorkspaceRecord) and not t.closed}
    known |= {t.id: t for t in write.memory.tasks(closed=False, limit=OPEN_LOOKED_AT)}
    shares = sorted(((_share(record, task), task.updated_at, task) for task in known.values()), key=itemgetter(0, 1))
    if not shares:
        return None
    share, _, best = shares[-1]
    # What closes a task names it more loosely than what opens one; of several, the words must tell which is meant.
    enough = CLOSES_ONLY_TASK if record.closed and len(shares) == 1 else SAME_TASK
    return best if share >= enough else None


def _share(new: WorkspaceRecord, stored: WorkspaceRecord) -> float:
    """Return how far the names of two tasks overlap: goals are compared with goals, else all words."""
    return max(_overlap(_goal(new), _goal(stored)), _overlap(_words(new), _words(stored)))


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _goal(task: WorkspaceRecord) -> set[str]:
    goal = task.state.get("goal")
    return set(terms(f"{task.task_id} {goal if isinstance(goal, str) else ''}"))


def _words(task: WorkspaceRecord) -> set[str]:
    return set(terms(f"{task.task_id} {task.summary}"))
