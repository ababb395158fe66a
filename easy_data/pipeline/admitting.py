"""What a record from outside must be before it is written: clean texts, known names, times that have a zone."""

from __future__ import annotations

import json
import math
from datetime import datetime
from zoneinfo import ZoneInfo

from easy_data.pipeline.normalise import clean_text
from easy_data.pipeline.redaction import redact
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.checking import MAX_INTEGER, checked_instant
from easy_data.schemas.errors import InputError
from easy_data.schemas.ids import MAX_ID_CHARS, checked_name
from easy_data.schemas.records import Entity, EventRecord, MemoryRecord, ProfileRecord, Status, WorkspaceRecord
from easy_data.schemas.zones import in_utc, zone_of

MAX_PAYLOAD_CHARS = 100_000
MAX_PAYLOAD_DEPTH = 50
MAX_TURN = 2**31 - 1


def admit(record: MemoryRecord, entity: Entity, runtime: Runtime) -> MemoryRecord:
    """Return the record as it may be written: without id and as a live one, whatever the caller put there.

    Secrets in its texts become marks. Raises ``InputError`` or ``UnknownAttribute``.
    """
    checked_name(record.entity_id, field="entity_id")
    if record.conversation_id is not None:
        checked_name(record.conversation_id, field="conversation_id")
    changes: dict[str, object] = {
        "id": "",
        "status": Status.ACTIVE,
        "source": checked_name(record.source, field="source"),
    }
    if isinstance(record, ProfileRecord):
        changes |= _fact(record, runtime)
    elif isinstance(record, WorkspaceRecord):
        changes |= _task(record, runtime)
    else:
        changes |= _event(record, entity, runtime)
    return record.model_copy(update=changes)


def _fact(record: ProfileRecord, runtime: Runtime) -> dict[str, object]:
    return {
        "attr_type": runtime.registry.get(record.attr_name).type,
        "attr_value": clean_value(record.attr_value, "attr_value", runtime.settings.max_value_chars),
        "valid_from": checked_instant(record.valid_from, field="valid_from"),
        "valid_to": None,
        "conflict_with": None,
    }


def _task(record: WorkspaceRecord, runtime: Runtime) -> dict[str, object]:
    checked_name(record.task_id, field="task_id")
    if redact(record.task_id).counts:
        raise InputError("holds a secret; name the task in other words", field="task_id")
    return {
        "summary": clean_value(record.summary, "summary", runtime.settings.max_value_chars, empty=True),
        "state": _json(record.state, "state"),
    }


def _event(record: EventRecord, entity: Entity, runtime: Runtime) -> dict[str, object]:
    runtime.registry.checked_event_type(record.event_type)
    if record.turn is not None and not 0 <= record.turn <= MAX_TURN:
        raise InputError(f"must be between 0 and {MAX_TURN:,}", field="turn")
    zone = zone_of(entity.time_zone)
    return {
        "happened_at": _instant(record.happened_at, zone, "happened_at"),
        "happened_until": _instant(record.happened_until, zone, "happened_until"),
        "summary": clean_value(record.summary, "summary", runtime.settings.max_value_chars),
        "payload": _json(record.payload, "payload"),
        "time_phrase": clean_value(record.time_phrase, "time_phrase", MAX_ID_CHARS, empty=True),
    }


def _instant(moment: datetime | None, zone: ZoneInfo, field: str) -> datetime | None:
    if moment is None:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    checked_instant(aware, field=field)
    return in_utc(aware, zone)


def clean_value(text: object, field: str, limit: int, *, empty: bool = False) -> str:
    """Return a text as it may be kept, without secrets. Raises ``InputError`` when it is empty or too long."""
    if not isinstance(text, str):
        raise InputError("must be text", field=field)
    cleaned = redact(clean_text(text)).text.strip()
    if not cleaned and not empty:
        raise InputError("must not be empty", field=field)
    if len(cleaned) > limit:
        raise InputError(
            f"{len(cleaned):,} characters, at most {limit:,} are kept; shorten it or raise max_value_chars", field=field
        )
    return cleaned


def _json(value: dict[str, object], field: str) -> dict[str, object]:
    """Return a JSON object with clean texts; refuse what is no JSON or too large."""
    cleaned = {clean_text(str(name)): _clean_json(item, field, 1) for name, item in value.items()}
    if len(json.dumps(cleaned, ensure_ascii=False)) > MAX_PAYLOAD_CHARS:
        raise InputError(
            f"is larger than {MAX_PAYLOAD_CHARS:,} characters; keep the data elsewhere and a link here", field=field
        )
    return cleaned


def _clean_json(value: object, field: str, depth: int) -> object:
    if depth > MAX_PAYLOAD_DEPTH:
        raise InputError(f"is nested more than {MAX_PAYLOAD_DEPTH} levels deep", field=field)
    if isinstance(value, str):
        return redact(clean_text(value)).text
    if isinstance(value, dict):
        return {clean_text(str(name)): _clean_json(item, field, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_json(item, field, depth + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("holds NaN or infinity, which JSON cannot keep", field=field)
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        raise InputError("holds a number of more than 64 bits; give it as text", field=field)
    if value is None or isinstance(value, bool | int | float):
        return value
    raise InputError(f"holds a {type(value).__name__}; use texts, numbers, lists and dictionaries", field=field)
