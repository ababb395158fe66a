"""How an event meets the timeline: repeated, contradicted by a later statement, or new."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from easy_data.pipeline import policy
from easy_data.pipeline.entity_write import EntityWrite
from easy_data.pipeline.sameness import relation
from easy_data.schemas.candidates import Fate, Relation
from easy_data.schemas.records import Bucket, EventRecord, MemoryRecord, Status
from easy_data.schemas.registry import DERIVED_EVENTS
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

# Types that say how things stand: a later statement with another figure or a negation takes the earlier one's place.
# Things done ("ran 5 km") merely happened again.
STANDING = ("plan", "decision_made", "info_learned", "remark")
# Turns of a conversation are kept one by one, whatever they repeat.
VERBATIM = ("conversation_turn",)
ONE_DAY = timedelta(days=1)


def apply_event(
    write: EntityWrite, record: EventRecord, ground: Ground, cause: Cause, nominees: Sequence[MemoryRecord]
) -> tuple[Fate, str]:
    """Write an event; return its fate and the memory that holds it now."""
    event = record.model_copy(update={"happened_at": record.happened_at or ground.said_at})
    if event.event_type in VERBATIM:
        return Fate.WRITTEN, write.create(event, ground, cause).id
    exact = write.memory.events_with_summary(event.summary)
    others = [n for n in nominees if isinstance(n, EventRecord) and n.id not in {e.id for e in exact}]
    older: EventRecord | None = None
    for stored in [*exact, *others]:
        if stored.event_type in DERIVED_EVENTS and event.event_type not in DERIVED_EVENTS:
            continue
        found = Relation.SAME if stored in exact else relation(event.summary, stored.summary)
        if found in (Relation.SAME, Relation.REFINES) and _one_occurrence(event, stored):
            return Fate.MERGED, _merge(write, stored, event, ground, cause)
        if found is Relation.CONTRADICTS and stored.event_type in STANDING and event.event_type in STANDING:
            older = stored
            break
    if older is None:
        return Fate.WRITTEN, write.create(event, ground, cause).id
    # Which statement is current goes by when it was said, not by when it came in.
    said = write.last_said(older.id) or ground.said_at
    if ground.said_at < said:
        past = event.model_copy(update={"status": Status.SUPERSEDED})
        return Fate.HISTORY, write.create(past, ground, cause).id
    made = write.create(event, ground, cause)
    write.change(
        older,
        {"status": Status.SUPERSEDED},
        Cause("supersede", cause.actor, cause.ids | {"superseded_by": made.id}),
    )
    return Fate.WRITTEN, made.id


def _one_occurrence(new: EventRecord, stored: EventRecord) -> bool:
    """Tell if two equal statements are of one occurrence: things done count once a day, what stands counts once."""
    if new.event_type in STANDING and stored.event_type in STANDING:
        return True
    if new.happened_at is None or stored.happened_at is None:
        return True
    return abs(new.happened_at - stored.happened_at) < ONE_DAY


def _merge(write: EntityWrite, stored: EventRecord, event: EventRecord, ground: Ground, cause: Cause) -> str:
    counted = bool(write.memory.grounds(stored.id, ground.conversation_id))
    added = write.add_evidence(stored.id, Bucket.EVENT, ground)
    changes: dict[str, object] = {}
    if not counted:
        changes["confidence"] = policy.grown(stored.confidence, event.confidence)
    if event.time_phrase and not stored.time_phrase:
        # The first mention named no time; this one does.
        changes |= {"happened_at": event.happened_at, "happened_until": event.happened_until}
        changes["time_phrase"] = event.time_phrase
    if added or changes:
        write.change(stored, changes, Cause("merge", cause.actor, cause.ids))
    return stored.id
