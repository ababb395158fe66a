"""Memories as rows: what a record's columns are, and the record a row is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Row

from easy_data.schemas.keys import fact_key, text_key
from easy_data.schemas.records import Bucket, EventRecord, MemoryRecord, ProfileRecord, Status, WorkspaceRecord

_ENDED = (Status.SUPERSEDED, Status.EXPIRED, Status.RETIRED)


def bucket_of(record: MemoryRecord) -> Bucket:
    """Return the bucket a record lives in."""
    if isinstance(record, ProfileRecord):
        return Bucket.PROFILE
    return Bucket.EVENT if isinstance(record, EventRecord) else Bucket.WORKSPACE


def columns_of(record: MemoryRecord, now: datetime) -> dict[str, Any]:
    """Return the columns of a record, the ones every row gets at its insertion left out."""
    values = {
        "status": record.status,
        "source": record.source,
        "confidence": record.confidence,
        "conversation_id": record.conversation_id,
        "version": record.version,
        "updated_at": record.updated_at or now,
        "retired_at": now if record.status in _ENDED else None,
    }
    if isinstance(record, ProfileRecord):
        return values | {
            "attr_type": record.attr_type,
            "attr_name": record.attr_name,
            "attr_value": record.attr_value,
            "value_key": fact_key(record.attr_name, record.attr_value, record.polarity),
            "polarity": int(record.polarity),
            "conflict_with": record.conflict_with,
            "valid_from": record.valid_from or now,
            "valid_to": record.valid_to,
        }
    if isinstance(record, EventRecord):
        return values | {
            "event_type": record.event_type,
            "summary": record.summary,
            "summary_key": text_key(record.summary),
            "payload": record.payload,
            "happened_at": record.happened_at or now,
            "happened_until": record.happened_until,
            "time_phrase": record.time_phrase,
            "turn": record.turn,
        }
    return values | {
        "task_id": record.task_id,
        "summary": record.summary,
        "state": record.state,
        "closed": record.closed,
    }


def record_of(bucket: Bucket, row: Row[Any]) -> MemoryRecord:
    """Return the record of a row of one bucket."""
    if bucket is Bucket.PROFILE:
        return fact_of(row)
    return event_of(row) if bucket is Bucket.EVENT else workspace_of(row)


_FACT = tuple(ProfileRecord.model_fields)
_EVENT = tuple(EventRecord.model_fields)
_WORKSPACE = tuple(WorkspaceRecord.model_fields)


def fact_of(row: Row[Any]) -> ProfileRecord:
    """Return the record of a profile row."""
    return ProfileRecord.model_validate({name: row._mapping[name] for name in _FACT})


def event_of(row: Row[Any]) -> EventRecord:
    """Return the record of an event row."""
    return EventRecord.model_validate({name: row._mapping[name] for name in _EVENT})


def workspace_of(row: Row[Any]) -> WorkspaceRecord:
    """Return the record of a workspace row."""
    return WorkspaceRecord.model_validate({name: row._mapping[name] for name in _WORKSPACE})
