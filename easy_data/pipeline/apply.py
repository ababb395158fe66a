"""The one write function: what arrives meets what is stored, and policy's decision is carried out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from easy_data.pipeline import policy, wording
from easy_data.pipeline.entity_write import EntityWrite
from easy_data.pipeline.policy import Action, Decision, Statement
from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.tasks import apply_task
from easy_data.pipeline.timeline import apply_event
from easy_data.schemas.candidates import Change, Fate, RejectReason, ReviewReason
from easy_data.schemas.ids import new_id
from easy_data.schemas.keys import bare_value, slot_key, text_key
from easy_data.schemas.records import (
    Bucket,
    EventRecord,
    MemoryRecord,
    ProfileRecord,
    Status,
)
from easy_data.schemas.review import ReviewItem, ReviewStatus
from easy_data.stores.repositories import reviews
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause
from easy_data.stores.repositories.rows import bucket_of


@dataclass(frozen=True, slots=True)
class Incoming:
    """One memory on its way in: the record (without id), the words behind it, and who writes."""

    record: MemoryRecord
    ground: Ground
    cause: Cause
    change: Change = Change.NONE
    # the value of the same attribute that the words say this one takes the place of
    replaces: str = ""
    confirmed: bool = False
    nominees: tuple[str, ...] = ()
    # an open question to put instead of writing, when policy said so before the store was looked at
    review: ReviewReason | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """How an incoming memory ended."""

    fate: Fate
    reason: str = ""
    memory_id: str | None = None
    review_id: str | None = None


def apply(write: EntityWrite, incoming: Incoming, runtime: Runtime) -> Written:
    """Write one memory inside an open transaction, or queue it for review, or say why not."""
    if incoming.review is not None:
        return queue(write, incoming, incoming.review, None, runtime)
    if isinstance(incoming.record, ProfileRecord):
        return _apply_fact(write, incoming, incoming.record, runtime)
    nominees = write.memory.load(incoming.nominees)
    if isinstance(incoming.record, EventRecord):
        fate, memory_id = apply_event(write, incoming.record, incoming.ground, incoming.cause, nominees)
        return Written(fate, memory_id=memory_id)
    task = apply_task(write, incoming.record, incoming.ground, incoming.cause, nominees)
    return Written(Fate.REJECTED, RejectReason.NOT_ASSERTED) if task is None else Written(*task)


def queue(
    write: EntityWrite, incoming: Incoming, reason: ReviewReason, target: MemoryRecord | None, runtime: Runtime
) -> Written:
    """Put a change aside as a question; the same proposal waits only once."""
    record = incoming.record
    fact = record if isinstance(record, ProfileRecord) else None
    proposed = record.model_dump(mode="json") | {"change": incoming.change.value}
    current = target.attr_value if isinstance(target, ProfileRecord) else None
    item = ReviewItem(
        id=new_id(),
        entity_id=write.scope.entity_id,
        bucket=bucket_of(record),
        reason=reason,
        status=ReviewStatus.OPEN,
        attr_name=fact.attr_name if fact else "",
        proposed=proposed,
        target_memory_id=target.id if target else None,
        target_version=target.version if target else None,
        question=wording.question(incoming.record, incoming.change, current, runtime.registry, write.entity.language),
        quote=incoming.ground.quote,
        created_at=write.now,
    )
    if fact:
        key = slot_key(fact.attr_name, fact.attr_value, fact.polarity, single=False) + incoming.change.value[:1]
    else:
        key = text_key(item.bucket, wording.plain(record))
    review_id = reviews.add(write.locked, write.scope, item, slot_key=key[-64:], ground=incoming.ground)
    return Written(Fate.QUEUED, reason, memory_id=target.id if target else None, review_id=review_id)


def _apply_fact(write: EntityWrite, incoming: Incoming, record: ProfileRecord, runtime: Runtime) -> Written:
    attribute = runtime.registry.get(record.attr_name)
    if attribute.cardinality == "one":
        live = write.memory.facts_of_slot(record.attr_name)
    else:
        live = write.memory.facts_with_key(record.attr_name, record.attr_value)
    name = incoming.ground.conversation_id
    statement = Statement(
        record=record,
        said_at=incoming.ground.said_at,
        change=incoming.change,
        confirmed=incoming.confirmed,
        same_conversation=name is not None and any(fact.conversation_id == name for fact in live),
    )
    decision = policy.decide_fact(statement, live, attribute, runtime.settings)
    written = _carry_out(write, incoming, record, decision, runtime)
    if incoming.replaces and attribute.cardinality == "many" and written.fate in (Fate.WRITTEN, Fate.MERGED):
        _end_replaced(write, incoming, record, written, runtime)
    return written


def _end_replaced(
    write: EntityWrite, incoming: Incoming, record: ProfileRecord, written: Written, runtime: Runtime
) -> None:
    """Let the value end that the words name as the one before; policy decides, as if they had said only that."""
    live = [f for f in write.memory.facts_of_slot(record.attr_name) if f.id != written.memory_id]
    named = [f for f in live if policy.says(f, incoming.replaces)] or [f for f in live if _names(f, incoming.replaces)]
    if len(named) != 1:
        return
    (old,) = named
    said = Statement(
        record=old.model_copy(update={"confidence": record.confidence}),
        said_at=incoming.ground.said_at,
        change=Change.ENDED,
        confirmed=incoming.confirmed,
    )
    decision = policy.decide_fact(said, [old], runtime.registry.get(old.attr_name), runtime.settings)
    if decision.action is Action.CLOSE:
        _close(write, old, said.said_at, incoming.cause, successor=written.memory_id)
    elif decision.action is Action.REVIEW:
        ended = replace(incoming, record=said.record, change=Change.ENDED, replaces="")
        queue(write, ended, ReviewReason(decision.reason), old, runtime)


def _names(stored: ProfileRecord, value: str) -> bool:
    """Tell if one of the two is a part of the other: "Harbour" names "the Harbour project"."""
    a, b = f" {bare_value(stored.attr_value)} ", f" {bare_value(value)} "
    return a in b or b in a


def _carry_out(
    write: EntityWrite, incoming: Incoming, record: ProfileRecord, decision: Decision, runtime: Runtime
) -> Written:
    target = decision.target
    if target is None:
        if decision.action is Action.INSERT:
            made = write.create(_fresh(record, incoming.ground.said_at), incoming.ground, incoming.cause)
            return Written(Fate.WRITTEN, memory_id=made.id)
        if decision.action is Action.HISTORY:
            return _keep_as_history(write, incoming, record, decision)
        return Written(Fate.REJECTED, decision.reason)
    match decision.action:
        case Action.MERGE:
            written = Written(Fate.MERGED, memory_id=merge(write, target, record, incoming).id)
        case Action.SUPERSEDE:
            written = _supersede(write, incoming, record, decision, runtime)
        case Action.CLOSE:
            _close(write, target, incoming.ground.said_at, incoming.cause)
            write.add_evidence(target.id, Bucket.PROFILE, incoming.ground)
            written = Written(Fate.HISTORY, decision.reason, memory_id=target.id)
        case Action.CONFLICT:
            written = _flag(write, incoming, record, target, runtime)
        case Action.REVIEW:
            written = queue(write, incoming, ReviewReason(decision.reason), target, runtime)
        case Action.WEAKEN:
            written = _weaken(write, target, incoming, runtime)
        case _:
            written = _keep_as_history(write, incoming, record, decision)
    return written


def _keep_as_history(write: EntityWrite, incoming: Incoming, record: ProfileRecord, decision: Decision) -> Written:
    said_at = incoming.ground.said_at
    ends = decision.target.valid_from if decision.target is not None else said_at
    past = _fresh(record, said_at).model_copy(update={"status": Status.SUPERSEDED, "valid_to": ends})
    made = write.create(past, incoming.ground, incoming.cause)
    return Written(Fate.HISTORY, decision.reason, memory_id=made.id)


def _supersede(
    write: EntityWrite, incoming: Incoming, record: ProfileRecord, decision: Decision, runtime: Runtime
) -> Written:
    """Let the new fact take the place of its target and, in a single slot, of every other live one."""
    said_at = incoming.ground.said_at
    rivals = [decision.target] if decision.target is not None else []
    if runtime.registry.get(record.attr_name).cardinality == "one":
        rivals = write.memory.facts_of_slot(record.attr_name)
    made = write.create(_fresh(record, said_at), incoming.ground, incoming.cause)
    for rival in rivals:
        _close(write, rival, said_at, incoming.cause, successor=made.id)
    return Written(Fate.WRITTEN, decision.reason, memory_id=made.id)


def merge(write: EntityWrite, stored: ProfileRecord, record: ProfileRecord, incoming: Incoming) -> ProfileRecord:
    """Put new evidence behind a stored fact; a conversation raises its confidence once, whatever it repeats."""
    counted = bool(write.memory.grounds(stored.id, incoming.ground.conversation_id))
    added = write.add_evidence(stored.id, Bucket.PROFILE, incoming.ground)
    changes: dict[str, object] = {}
    if not counted:
        confidence = policy.grown(stored.confidence, record.confidence)
        changes["confidence"] = max(confidence, policy.CONFIRMED) if incoming.confirmed else confidence
    if stored.valid_from is not None and incoming.ground.said_at < stored.valid_from:
        changes["valid_from"] = incoming.ground.said_at
    if incoming.confirmed:
        changes |= {"source": record.source, "status": Status.ACTIVE, "conflict_with": None}
    if not added and not changes:
        return stored
    cause = Cause("merge", incoming.cause.actor, incoming.cause.ids)
    after = write.change(stored, changes, cause)
    return after if isinstance(after, ProfileRecord) else stored


def _fresh(record: ProfileRecord, said_at: datetime) -> ProfileRecord:
    return record.model_copy(update={"valid_from": record.valid_from or said_at})


def _close(
    write: EntityWrite, fact: ProfileRecord, at: datetime, cause: Cause, *, successor: str | None = None
) -> None:
    ids = cause.ids | ({"superseded_by": successor} if successor else {})
    changes: dict[str, object] = {"status": Status.SUPERSEDED, "valid_to": at, "conflict_with": None}
    write.change(fact, changes, Cause("supersede" if successor else "close", cause.actor, ids))


def _flag(
    write: EntityWrite, incoming: Incoming, record: ProfileRecord, target: ProfileRecord, runtime: Runtime
) -> Written:
    """Let both values stand, marked, and ask."""
    flagged = _fresh(record, incoming.ground.said_at).model_copy(
        update={"status": Status.CONFLICT, "conflict_with": target.id}
    )
    made = write.create(flagged, incoming.ground, incoming.cause)
    cause = Cause("conflict", incoming.cause.actor, incoming.cause.ids)
    marked = write.change(target, {"status": Status.CONFLICT, "conflict_with": made.id}, cause)
    asked = queue(write, incoming, ReviewReason.CONFLICT, marked, runtime)
    return Written(Fate.WRITTEN, ReviewReason.CONFLICT, memory_id=made.id, review_id=asked.review_id)


def _weaken(write: EntityWrite, target: ProfileRecord, incoming: Incoming, runtime: Runtime) -> Written:
    """Halve the confidence of what the user denies; below the floor it expires."""
    confidence = target.confidence / 2
    changes: dict[str, object] = {"confidence": confidence}
    if confidence < runtime.settings.review_floor:
        changes |= {"status": Status.EXPIRED, "valid_to": incoming.ground.said_at}
    write.change(target, changes, Cause("deny", incoming.cause.actor, incoming.cause.ids))
    return Written(Fate.MERGED, "denied", memory_id=target.id)
