"""Step four: one transaction under the entity's lock writes everything, or nothing."""

from __future__ import annotations

from datetime import datetime

from easy_data.pipeline.apply import Incoming, Written, apply
from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.records import record_of
from easy_data.pipeline.reviewing import settle_answer
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Candidate, Fate, RejectReason, ReviewReason
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.keys import fact_key, text_key
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.records import Bucket, MemoryRecord, ProfileRecord
from easy_data.stores.repositories import candidates, claims, history
from easy_data.stores.repositories.candidates import CandidateRow
from easy_data.stores.repositories.conversations import InboxRow
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

_WROTE = (Fate.WRITTEN, Fate.MERGED, Fate.EVENT_ONLY, Fate.HISTORY)


class Superseded(Exception):
    """Another worker has taken this conversation; nothing of this transaction may stay."""


def settle(row: InboxRow, runtime: Runtime) -> bool:
    """Carry out the plan; False when another worker has taken the conversation meanwhile."""
    conversation = row.conversation()
    with entity_write(runtime, row.scope) as write:
        if not claims.is_held(write.connection, row):
            return False
        if conversation is None or write.entity.erased_epoch != row.erased_epoch:
            outcome = Outcome.CANCELLED
        else:
            outcome = _settle_all(write, row, conversation, runtime)
        claims.settle(write.connection, row, outcome, now=write.now)
        runtime.reached("settle.in_transaction")
    runtime.reached("settle.committed")
    return True


def _settle_all(write: EntityWrite, row: InboxRow, conversation: Conversation, runtime: Runtime) -> Outcome:
    found = candidates.of_conversation(write.connection, row.id)
    planned = [item.plan.entity_version for item in found if item.plan]
    # What changed since the plan was made is nominated too: the decision is always made on the present state.
    late: tuple[str, ...] = ()
    if planned and min(planned) != write.entity.version:
        late = tuple(history.changed_since(write.connection, write.scope, min(planned)))
    fates = set()
    for item in found:
        # What this conversation has written so far is nominated as well: it may say one thing several times.
        written = _settle_one(write, row, conversation, item, late, runtime)
        candidates.end(
            write.connection,
            item.id,
            written.fate,
            reason=written.reason,
            memory_id=written.memory_id,
            review_id=written.review_id,
        )
        fates.add(written.fate)
        if written.memory_id is not None:
            late = (*late, written.memory_id)
    if fates & set(_WROTE):
        return Outcome.WRITTEN
    return Outcome.REVIEW if Fate.QUEUED in fates else Outcome.EMPTY


def _settle_one(
    write: EntityWrite,
    row: InboxRow,
    conversation: Conversation,
    item: CandidateRow,
    late: tuple[str, ...],
    runtime: Runtime,
) -> Written:
    judged, candidate = item.classified(), item.candidate
    if judged.verdict == "reject":
        return Written(Fate.REJECTED, judged.reason)
    cause = Cause("write", f"conversation:{candidate.extractor}", {"conversation": row.id, "candidate": item.id})
    ground = _ground(row, conversation, candidate)
    if candidate.answers_review:
        return settle_answer(write, candidate, ground, cause, runtime)
    record = record_of(judged, write.scope.entity_id, runtime.registry).model_copy(
        update={"conversation_id": row.conversation_id}
    )
    if _is_buried(write, row, record):
        return Written(Fate.REJECTED, RejectReason.TOMBSTONE)
    incoming = Incoming(
        record=record,
        ground=ground,
        cause=cause,
        change=candidate.change,
        replaces=candidate.replaces,
        nominees=(*(item.plan.nominees if item.plan else ()), *late),
        review=ReviewReason(judged.reason) if judged.verdict == "review" else _unknown_target(candidate, item),
    )
    written = apply(write, incoming, runtime)
    if judged.verdict == "event_only" and written.fate is Fate.WRITTEN:
        return Written(Fate.EVENT_ONLY, judged.reason, written.memory_id)
    return written


def _ground(row: InboxRow, conversation: Conversation, candidate: Candidate) -> Ground:
    said_at: datetime = conversation.messages[candidate.turn].said_at or conversation.ended_at
    return Ground(
        quote=candidate.quote,
        said_at=said_at,
        extractor=candidate.extractor,
        conversation_row_id=row.id,
        conversation_id=row.conversation_id,
        turn=candidate.turn,
    )


def _is_buried(write: EntityWrite, row: InboxRow, record: MemoryRecord) -> bool:
    """Tell if the user had this content erased after this conversation came in."""
    erased_at = history.buried_at(write.connection, write.scope, content_key(record))
    return erased_at is not None and row.received_at <= erased_at


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
