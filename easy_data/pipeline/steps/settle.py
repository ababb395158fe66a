"""Step four: one transaction under the entity's lock writes everything, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from easy_data.pipeline.apply import Incoming, Written, apply
from easy_data.pipeline.entity_memory import Ahead
from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.records import record_of
from easy_data.pipeline.reviewing import settle_answer
from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.turns import wake
from easy_data.schemas.candidates import Candidate, Classified, Fate, RejectReason, ReviewReason
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.keys import fact_key, text_key
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.records import Bucket, EventRecord, MemoryRecord, ProfileRecord
from easy_data.stores.repositories import candidates, claims, history
from easy_data.stores.repositories.candidates import CandidateRow, End
from easy_data.stores.repositories.conversations import InboxRow
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

# How far the clocks of a user, an agent and this machine may lie apart.
CLOCK_DIFFERENCE = timedelta(days=1)
_WROTE = (Fate.WRITTEN, Fate.MERGED, Fate.EVENT_ONLY, Fate.HISTORY)


@dataclass(frozen=True, slots=True)
class _Case:
    """A candidate on its way to the store: its record, the words behind it, and the question to put instead, if any."""

    item: CandidateRow
    judged: Classified
    record: MemoryRecord
    ground: Ground
    review: ReviewReason | None


def settle(row: InboxRow, runtime: Runtime) -> bool:
    """Carry out the plan; False when it is not the conversation's turn, or another worker has taken it meanwhile."""
    conversation = row.conversation()
    with entity_write(runtime, row.scope) as write:
        if not claims.is_held(write.locked, row):
            return False
        if claims.is_blocked(write.locked, row):
            # Effects come in intake order. Whoever settles the one before sends for this one.
            claims.release(write.locked, row)
            return False
        if conversation is None or write.entity.erased_epoch != row.erased_epoch:
            outcome = Outcome.CANCELLED
        else:
            outcome = _settle_all(write, row, conversation, runtime)
        claims.settle(write.locked, row, outcome, now=write.now)
        following = claims.next_of_entity(write.locked, row.scope)
        write.finish()
        runtime.reached("settle.in_transaction")
    runtime.reached("settle.committed")
    wake(following, runtime)
    if write.changed:
        runtime.queue.index()
    return True


def _settle_all(write: EntityWrite, row: InboxRow, conversation: Conversation, runtime: Runtime) -> Outcome:
    found = candidates.of_conversation(write.locked, row.id)
    planned = [item.plan.entity_version for item in found if item.plan]
    # What changed since the plan was made is nominated too: the decision is always made on the present state.
    late: tuple[str, ...] = ()
    if planned and min(planned) != write.entity.version:
        late = tuple(history.changed_since(write.locked, write.scope, min(planned)))
    cases = [_case(row, conversation, item, runtime) for item in found]
    write.memory.read_ahead(_ahead(cases, late, runtime), conversation_id=row.conversation_id)
    buried = history.buried(write.locked, write.scope, {content_key(c.record) for c in cases if _is_written(c)})
    ends = []
    for case in cases:
        # What this conversation has written so far is nominated as well: it may say one thing several times.
        written = _settle_one(write, row, case, buried, late, runtime)
        ends.append(End(case.item.id, written.fate, written.reason, written.memory_id, written.review_id))
        if written.memory_id is not None:
            late = (*late, written.memory_id)
    candidates.end(write.locked, ends)
    fates = {end.fate for end in ends}
    if fates & set(_WROTE):
        return Outcome.WRITTEN
    return Outcome.REVIEW if Fate.QUEUED in fates else Outcome.EMPTY


def _case(row: InboxRow, conversation: Conversation, item: CandidateRow, runtime: Runtime) -> _Case:
    judged = item.classified()
    record = record_of(judged, row.scope.entity_id, runtime.registry)
    return _Case(
        item=item,
        judged=judged,
        record=record.model_copy(update={"conversation_id": row.conversation_id}),
        ground=_ground(row, conversation, item.candidate),
        review=ReviewReason(judged.reason) if judged.verdict == "review" else _unknown_target(item.candidate, item),
    )


def _is_written(case: _Case) -> bool:
    return case.judged.verdict != "reject" and not case.item.candidate.answers_review


def _ahead(cases: Sequence[_Case], late: Sequence[str], runtime: Runtime) -> Ahead:
    """Return what the cases will be compared with."""
    ahead = Ahead()
    for case in cases:
        if not _is_written(case) or case.review is not None:
            continue
        record = case.record
        if isinstance(record, ProfileRecord):
            if runtime.registry.get(record.attr_name).cardinality == "one":
                ahead.slots.add(record.attr_name)
            else:
                ahead.values.add((record.attr_name, record.attr_value))
            continue
        ahead.ids.update(case.item.plan.nominees if case.item.plan else (), late)
        if isinstance(record, EventRecord):
            ahead.summaries.add(record.summary)
    return ahead


def _settle_one(
    write: EntityWrite,
    row: InboxRow,
    case: _Case,
    buried: Mapping[str, datetime],
    late: tuple[str, ...],
    runtime: Runtime,
) -> Written:
    item, judged, candidate = case.item, case.judged, case.item.candidate
    if judged.verdict == "reject":
        return Written(Fate.REJECTED, judged.reason)
    cause = Cause("write", f"conversation:{candidate.extractor}", {"conversation": row.id, "candidate": item.id})
    if candidate.answers_review:
        return settle_answer(write, candidate, case.ground, cause, runtime)
    erased_at = buried.get(content_key(case.record))
    if erased_at is not None and row.received_at <= erased_at:
        # The user had this content erased after this conversation came in.
        return Written(Fate.REJECTED, RejectReason.TOMBSTONE)
    incoming = Incoming(
        record=case.record,
        ground=case.ground,
        cause=cause,
        change=candidate.change,
        replaces=candidate.replaces,
        nominees=(*(item.plan.nominees if item.plan else ()), *late),
        review=case.review,
    )
    written = apply(write, incoming, runtime)
    if judged.verdict == "event_only" and written.fate is Fate.WRITTEN:
        return Written(Fate.EVENT_ONLY, judged.reason, written.memory_id)
    return written


def _ground(row: InboxRow, conversation: Conversation, candidate: Candidate) -> Ground:
    said_at: datetime = conversation.messages[candidate.turn].said_at or conversation.ended_at
    if said_at > row.received_at + CLOCK_DIFFERENCE:
        # Nothing was said after it was handed over: a wrong clock must not make a statement the newest for years.
        said_at = row.received_at
    return Ground(
        quote=candidate.quote,
        said_at=said_at,
        extractor=candidate.extractor,
        conversation_row_id=row.id,
        conversation_id=row.conversation_id,
        turn=candidate.turn,
    )


def content_key(record: MemoryRecord) -> str:
    """Return the key under which a memory's content is buried."""
    if isinstance(record, ProfileRecord):
        return fact_key(record.attr_name, record.attr_value, record.polarity)
    text = record.summary or getattr(record, "task_id", "")
    return text_key(Bucket.EVENT if hasattr(record, "event_type") else Bucket.WORKSPACE, text)


def _unknown_target(candidate: Candidate, item: CandidateRow) -> ReviewReason | None:
    """A model may only name memories that were offered to it; anything else is for a person to look at."""
    offered = set(item.plan.nominees) if item.plan else set()
    return ReviewReason.UNKNOWN_TARGET if set(candidate.target_ids) - offered else None
