"""Writes that come without a conversation, through the same transaction and the same policy."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.admitting import admit
from easy_data.pipeline.apply import Incoming, Written, apply
from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.nominating import nominate, waiting
from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.timeline import VERBATIM
from easy_data.schemas.candidates import Fate
from easy_data.schemas.errors import IndexUnavailable, InputError, ModelUnavailable
from easy_data.schemas.ids import Scope
from easy_data.schemas.records import Entity, EventRecord, MemoryRecord, ProfileRecord
from easy_data.schemas.registry import DERIVED_EVENTS
from easy_data.stores.repositories import entities
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause


def write_records(
    runtime: Runtime, records: Sequence[MemoryRecord], *, actor: str = "application", action: str = "write"
) -> list[Written]:
    """Write records, one transaction an entity, and return their fates in order.

    Everything is checked before anything is written. Raises ``InputError`` or ``UnknownAttribute``.
    """
    known: dict[str, Entity] = {}
    with runtime.database.read() as connection:
        for name in {record.entity_id for record in records}:
            known[name] = entities.find(connection, runtime.scope(name)) or runtime.newcomer(name)
    if any(isinstance(record, EventRecord) and record.event_type in DERIVED_EVENTS for record in records):
        raise InputError(f"{', '.join(DERIVED_EVENTS)} is made by the system's own jobs", field="event_type")
    clean = [admit(record, known[record.entity_id], runtime) for record in records]
    fates: list[Written | None] = [None] * len(clean)
    for name in dict.fromkeys(record.entity_id for record in clean):
        mine = [(i, record) for i, record in enumerate(clean) if record.entity_id == name]
        scope = runtime.scope(name)
        nominees = _nominees([record for _, record in mine], scope, runtime)
        with entity_write(runtime, scope) as write:
            cause = Cause(action, actor)
            turns = [(i, r) for i, r in mine if isinstance(r, EventRecord) and _is_verbatim(r)]
            for (i, _), made in zip(turns, _keep(write, [r for _, r in turns], cause), strict=True):
                fates[i] = Written(Fate.WRITTEN, memory_id=made.id)
            earlier: list[str] = []
            for (i, record), nominated in zip(mine, nominees, strict=True):
                if fates[i] is None:
                    incoming = Incoming(record, _ground(record, write), cause, nominees=(*nominated, *earlier))
                    written = fates[i] = apply(write, incoming, runtime)
                    earlier += [written.memory_id] if written.memory_id else []
    return [fate for fate in fates if fate is not None]


def _keep(write: EntityWrite, records: Sequence[EventRecord], cause: Cause) -> list[MemoryRecord]:
    """Insert turns as they are, in few statements: they are never compared with what is there."""
    dated = [r.model_copy(update={"happened_at": r.happened_at or write.now}) for r in records]
    return write.create_many([(r, _ground(r, write)) for r in dated], cause) if dated else []


def _ground(record: MemoryRecord, write: EntityWrite) -> Ground:
    said_at = (record.valid_from if isinstance(record, ProfileRecord) else None) or write.now
    turn = record.turn if isinstance(record, EventRecord) else None
    return Ground(quote="", said_at=said_at, extractor="direct", conversation_id=record.conversation_id, turn=turn)


def _nominees(records: Sequence[MemoryRecord], scope: Scope, runtime: Runtime) -> list[tuple[str, ...]]:
    """Return each record's nominees; while the index or the model is away, only what waits to be indexed.

    A write is never refused for that: exact repeats are still found in SQL.
    """
    asked = [r for r in records if not isinstance(r, ProfileRecord) and not _is_verbatim(r)]
    try:
        nominated = nominate(asked, scope, runtime)
    except (IndexUnavailable, ModelUnavailable):
        nominated = [waiting(scope, runtime)] * len(asked)
    found = iter(nominated)
    return [() if isinstance(r, ProfileRecord) or _is_verbatim(r) else next(found) for r in records]


def _is_verbatim(record: MemoryRecord) -> bool:
    return isinstance(record, EventRecord) and record.event_type in VERBATIM
