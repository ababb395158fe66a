"""Direct writes: an application that knows a fact says so. They take the same way as conversations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from easy_data.client.part import Part
from easy_data.pipeline.apply import Written
from easy_data.pipeline.direct import write_records
from easy_data.schemas.checking import Record, checked_model
from easy_data.schemas.errors import InputError
from easy_data.schemas.ids import checked_name
from easy_data.schemas.records import EventRecord, MemoryRecord, ProfileRecord, WorkspaceRecord


class Writing(Part):
    """The write methods of ``EasyMemory``. Each takes a record or its fields as keywords."""

    def write_profile(self, record: ProfileRecord | None = None, /, **fields: Any) -> Written:
        """Write an attribute: ``entity_id``, ``attr_name``, ``attr_value``; returns its fate.

        A value that contradicts a trusted one is not written but queued, as with conversations; ``correct`` replaces
        it. Raises ``UnknownAttribute`` or ``InputError``.
        """
        return self._write(_made(ProfileRecord, record, fields))

    def write_event(self, record: EventRecord | None = None, /, **fields: Any) -> Written:
        """Write an event: ``entity_id``, ``event_type``, ``summary``, and ``happened_at`` if not now."""
        return self._write(_made(EventRecord, record, fields))

    def write_events(self, records: Iterable[EventRecord]) -> list[Written]:
        """Write many events, each with a fate, in one transaction an entity."""
        checked = [_made(EventRecord, record, {}) for record in records]
        written = write_records(self._runtime, checked)
        self._background.relay()
        return written

    def save_workspace(self, record: WorkspaceRecord | None = None, /, **fields: Any) -> Written:
        """Save the state of a task under ``task_id``; saving it again changes the fields given in ``state``."""
        return self._write(_made(WorkspaceRecord, record, fields))

    def _write(self, record: MemoryRecord) -> Written:
        written = write_records(self._runtime, [record])[0]
        self._background.relay()
        return written


def _made(kind: type[Record], record: Record | None, fields: dict[str, Any]) -> Record:
    if record is not None and fields:
        raise InputError("give a record or its fields, not both; fields are keywords: entity_id=...")
    if record is not None and not isinstance(record, kind):
        raise InputError(f"must be a {kind.__name__}, or its fields as keywords", field="record")
    # A record of the caller's is read again: it may have been changed since it was checked.
    made = checked_model(kind, fields if record is None else record.model_dump())
    checked_name(getattr(made, "entity_id", None), field="entity_id")
    return made
