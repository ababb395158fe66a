"""Decisions on waiting changes, by a person or by the user's own answer. Both go through the one write function."""

from __future__ import annotations

from easy_data.pipeline.admitting import clean_value
from easy_data.pipeline.apply import Incoming, Written, apply
from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.policy import CONFIRMED
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Candidate, Change, Fate, ReviewReason
from easy_data.schemas.errors import InputError, NotFound, StaleReview
from easy_data.schemas.ids import Scope, checked_name, checked_record_id
from easy_data.schemas.records import (
    LIVE_STATUSES,
    Bucket,
    EventRecord,
    MemoryRecord,
    ProfileRecord,
    Status,
    WorkspaceRecord,
)
from easy_data.schemas.review import PENDING, Decision, ReviewItem, ReviewStatus
from easy_data.stores.database import Connection
from easy_data.stores.repositories import memories, reviews
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

MAX_NOTE_CHARS = 2_000
_RECORDS: dict[Bucket, type[ProfileRecord | EventRecord | WorkspaceRecord]] = {
    Bucket.PROFILE: ProfileRecord,
    Bucket.EVENT: EventRecord,
    Bucket.WORKSPACE: WorkspaceRecord,
}


def pending(runtime: Runtime, entity_id: str | None, *, limit: int = 200) -> list[ReviewItem]:
    """Return what waits, the oldest first, each with the memory it would change as it is now."""
    with runtime.database.read() as connection:
        if entity_id is None:
            items = reviews.pending_of_tenant(connection, runtime.settings.tenant_id, limit=limit)
        else:
            items = reviews.pending(connection, runtime.scope(entity_id), limit=limit)
        shown = {
            item.id: item
            for name in {item.entity_id for item in items}
            for item in with_current(connection, runtime.scope(name), [i for i in items if i.entity_id == name])
        }
    return [shown[item.id] for item in items]


def with_current(connection: Connection, scope: Scope, items: list[ReviewItem]) -> list[ReviewItem]:
    """Return an entity's items, each with the memory it would change as it is now."""
    ids = {item.target_memory_id for item in items if item.target_memory_id}
    buckets = {item.bucket for item in items}
    found = memories.load(connection, scope, ids, statuses=(), buckets=buckets)
    targets = {m.id: m.model_dump(mode="json") for m in found}
    return [item.model_copy(update={"current": targets.get(item.target_memory_id or "")}) for item in items]


def decide(
    runtime: Runtime,
    item_id: str,
    decision: Decision,
    *,
    value: str | None = None,
    by: str = "reviewer",
    note: str = "",
) -> Written:
    """Approve, edit (with ``value``) or reject a waiting change.

    Raises ``NotFound``; ``InputError`` when it was decided already or ``value`` does not fit; ``StaleReview`` when
    the memory changed after the proposal: then nothing is applied, the item stays listed as ``needs_decision`` and
    shows the present memory, and the next decision is made on that.
    """
    item_id = checked_record_id(item_id)
    if value is not None and not isinstance(value, str):
        raise InputError("must be text", field="value")
    if (decision == "edit") != bool(value and value.strip()):
        raise InputError("is needed with edit, and only there", field="value")
    checked_name(by, field="by")
    note = clean_value(note, "note", MAX_NOTE_CHARS, empty=True)
    with runtime.database.read() as connection:
        owner = reviews.owner(connection, runtime.settings.tenant_id, item_id)
    if owner is None:
        raise NotFound("no review item has this id")
    stale = ""
    with entity_write(runtime, runtime.scope(owner)) as write:
        found = reviews.find(write.connection, write.scope, item_id)
        if found is None or found[0].status not in PENDING:
            raise InputError("this item was decided already; the pending ones are listed", field="item_id")
        item, ground = found
        stale = "" if decision == "reject" else _staleness(write, item, runtime) or _changed_since(write, item)
        if stale:
            _show_present(write, item, stale)
            written = Written(Fate.QUEUED, stale, review_id=item.id)
        elif decision == "reject":
            written = _reject(write, item, by=by, note=note)
        else:
            status = ReviewStatus.APPROVED if decision == "approve" else ReviewStatus.EDITED
            cause = Cause("review", by, {"review": item.id})
            written = _accept(write, item, [ground], cause, status, runtime, value=value, note=note)
    if stale:
        raise StaleReview(f"{stale}; the item now shows both texts: decide again")
    return written


def settle_answer(write: EntityWrite, answer: Candidate, ground: Ground, cause: Cause, runtime: Runtime) -> Written:
    """Settle a waiting change by what the user answered; the answer becomes evidence."""
    found = reviews.find(write.connection, write.scope, answer.answers_review)
    if found is None or found[0].status not in PENDING:
        return Written(Fate.REJECTED, "answered_before")
    item, first = found
    if answer.denied:
        return _reject(write, item, by="user", note="the user said no")
    stale = _staleness(write, item, runtime)
    if stale:
        _show_present(write, item, stale)
        return Written(Fate.QUEUED, stale, review_id=item.id)
    by_user = Cause("review", "user", cause.ids | {"review": item.id})
    return _accept(write, item, [ground, first], by_user, ReviewStatus.APPROVED, runtime)


def _accept(  # noqa: PLR0913 - the decision and what it rests on
    write: EntityWrite,
    item: ReviewItem,
    grounds: list[Ground],
    cause: Cause,
    status: ReviewStatus,
    runtime: Runtime,
    *,
    value: str | None = None,
    note: str = "",
) -> Written:
    reviews.decide(write.connection, write.scope, item.id, status, by=cause.actor, note=note, now=write.now)
    record, change = _proposal(item, value, runtime)
    if isinstance(record, ProfileRecord):
        runtime.registry.get(record.attr_name)
    if item.reason is ReviewReason.CONFLICT:
        _clear_conflict(write, item, record, cause)
    incoming = Incoming(record=record, ground=grounds[0], cause=cause, change=change, confirmed=True)
    written = apply(write, incoming, runtime)
    if written.memory_id is not None:
        for ground in grounds[1:]:
            write.add_evidence(written.memory_id, item.bucket, ground)
    return Written(written.fate, "confirmed", written.memory_id, item.id)


def _proposal(item: ReviewItem, value: str | None, runtime: Runtime) -> tuple[MemoryRecord, Change]:
    fields = {name: field for name, field in item.proposed.items() if name != "change"}
    fields |= {"source": "user_confirmed", "confidence": CONFIRMED}
    change = Change(item.proposed.get("change", Change.NONE))
    if value is not None:
        text = clean_value(value, "value", runtime.settings.max_value_chars)
        fields["attr_value" if item.bucket is Bucket.PROFILE else "summary"] = text
        change = Change.CHANGED
    return _RECORDS[item.bucket].model_validate(fields), change


def _reject(write: EntityWrite, item: ReviewItem, *, by: str, note: str) -> Written:
    reviews.decide(write.connection, write.scope, item.id, ReviewStatus.REJECTED, by=by, note=note, now=write.now)
    if item.reason is ReviewReason.CONFLICT:
        cause = Cause("review", by, {"review": item.id})
        target = _target(write, item)
        rival = _proposed(write, item)
        if rival is not None:
            write.change(rival, {"status": Status.RETIRED, "valid_to": write.now, "conflict_with": None}, cause)
        if target is not None:
            write.change(target, {"status": Status.ACTIVE, "conflict_with": None}, cause)
    return Written(Fate.REJECTED, "denied", review_id=item.id)


def _clear_conflict(write: EntityWrite, item: ReviewItem, record: MemoryRecord, cause: Cause) -> None:
    """End the flagged pair: the side that lost becomes history, the other one is confirmed by ``apply``."""
    target = _target(write, item)
    if target is None or not isinstance(record, ProfileRecord):
        return
    ended = {"status": Status.SUPERSEDED, "valid_to": write.now, "conflict_with": None}
    write.change(target, ended, Cause("supersede", cause.actor, cause.ids))


def _staleness(write: EntityWrite, item: ReviewItem, runtime: Runtime) -> str:
    """Return why a proposal can no longer be applied as it stands, or nothing."""
    if item.target_memory_id is not None and _target(write, item) is None:
        return "the memory was replaced or removed after this was proposed"
    if item.target_memory_id is None and item.bucket is Bucket.PROFILE and item.attr_name in runtime.registry:
        single = runtime.registry.get(item.attr_name).cardinality == "one"
        if single and memories.facts_of_slot(write.connection, write.scope, item.attr_name):
            return "a value was written after this was proposed"
    return ""


def _changed_since(write: EntityWrite, item: ReviewItem) -> str:
    """Return why a reviewer should look again: what the change is about is not what was shown.

    The user's own answer needs no second look: it is newer than both.
    """
    target = _target(write, item)
    return (
        "" if target is None or target.version == item.target_version else "the memory changed after this was proposed"
    )


def _show_present(write: EntityWrite, item: ReviewItem, note: str) -> None:
    live = memories.facts_of_slot(write.connection, write.scope, item.attr_name) if item.attr_name else []
    now = live[0] if live else None
    memory_id, version = (now.id, now.version) if now else (None, None)
    reviews.retarget(write.connection, write.scope, item.id, memory_id=memory_id, version=version)
    reviews.mark_stale(write.connection, write.scope, item.id, note=note)


def _target(write: EntityWrite, item: ReviewItem) -> MemoryRecord | None:
    if item.target_memory_id is None:
        return None
    found = memories.find(write.connection, write.scope, item.target_memory_id)
    return found if found is not None and found.status in LIVE_STATUSES else None


def _proposed(write: EntityWrite, item: ReviewItem) -> ProfileRecord | None:
    """Return the live fact that a conflict's proposal became."""
    value, polarity = str(item.proposed.get("attr_value") or ""), item.proposed.get("polarity", 1)
    found = memories.facts_with_key(write.connection, write.scope, item.attr_name, value)
    return next((fact for fact in found if fact.polarity == polarity and fact.id != item.target_memory_id), None)
