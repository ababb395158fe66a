"""From a judged candidate to the record it would become."""

from __future__ import annotations

from easy_data.schemas.candidates import Certainty, Classified
from easy_data.schemas.records import Bucket, EventRecord, MemoryRecord, ProfileRecord, WorkspaceRecord
from easy_data.schemas.registry import Registry

REMARK = "remark"


def record_of(judged: Classified, entity_id: str, registry: Registry | None = None) -> MemoryRecord:
    """Return the record of a candidate, without id. What is no registered attribute becomes a remark at most."""
    candidate = judged.candidate
    source = "user_confirmed" if candidate.certainty is Certainty.CONFIRMED else candidate.certainty.value
    if candidate.bucket is Bucket.PROFILE and judged.verdict != "event_only":
        attribute = registry.get(candidate.attr_name) if registry and candidate.attr_name in registry else None
        return ProfileRecord(
            entity_id=entity_id,
            attr_name=candidate.attr_name,
            attr_value=candidate.value,
            attr_type=attribute.type if attribute else "",
            polarity=candidate.polarity,
            source=source,
            confidence=judged.confidence,
        )
    if candidate.bucket is Bucket.WORKSPACE:
        return WorkspaceRecord(
            entity_id=entity_id,
            task_id=candidate.task_id,
            state=candidate.state,
            summary=candidate.summary,
            closed=candidate.closed,
            source=source,
            confidence=judged.confidence,
        )
    return EventRecord(
        entity_id=entity_id,
        event_type=candidate.event_type or REMARK,
        summary=candidate.summary or candidate.quote,
        payload=candidate.payload,
        happened_at=candidate.happened_at,
        happened_until=candidate.happened_until,
        time_phrase=candidate.time_phrase,
        turn=candidate.turn,
        source=source,
        confidence=judged.confidence,
    )
