"""An entity's memory as one transaction reads it: each thing once, and again only when that transaction changed it.

Under the entity's lock nobody else changes it meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from easy_data.schemas.ids import Scope
from easy_data.schemas.keys import fact_key, text_key
from easy_data.schemas.records import LIVE_STATUSES, Bucket, EventRecord, MemoryRecord, ProfileRecord, WorkspaceRecord
from easy_data.stores.database import Connection
from easy_data.stores.repositories import batches, evidence, memories

# Facts are found by their slot, so these alone are ever nominated.
_NOMINATED = (Bucket.EVENT, Bucket.WORKSPACE)
# The turn and the quote of a piece of evidence.
Words = tuple[int | None, str]


@dataclass(slots=True)
class Ahead:
    """What the statements of a conversation will be compared with.

    ``values`` are (attribute, value) pairs, ``slots`` whole attributes, ``summaries`` the texts of events, ``ids``
    nominated memories.
    """

    slots: set[str] = field(default_factory=set)
    values: set[tuple[str, str]] = field(default_factory=set)
    summaries: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)


class EntityMemory:
    """What is read of an entity's memory. ``write_out`` is called before something is read that was changed here."""

    def __init__(self, connection: Connection, scope: Scope, *, write_out: Callable[[], None]) -> None:
        self._connection = connection
        self._scope = scope
        self._write_out = write_out
        self._slots: dict[str, list[ProfileRecord]] = {}
        self._values: dict[str, list[ProfileRecord]] = {}
        self._summaries: dict[str, list[EventRecord]] = {}
        self._records: dict[str, MemoryRecord | None] = {}
        self._grounds: dict[tuple[str, str | None], set[Words]] = {}
        self._created: set[str] = set()
        # Keys under which this transaction changed something: attributes, value keys, summary keys, or a bucket.
        self._touched: set[str] = set()

    def read_ahead(self, ahead: Ahead, *, conversation_id: str) -> None:
        """Read all this in few statements, with what the conversation already stands behind of it."""
        connection, scope = self._connection, self._scope
        self._slots |= batches.facts_of_slots(connection, scope, ahead.slots)
        values = {key for name, value in ahead.values for key in _keys(name, value)}
        self._values |= batches.facts_with_keys(connection, scope, {name for name, _ in ahead.values}, values)
        self._summaries |= batches.events_with_keys(connection, scope, {text_key(text) for text in ahead.summaries})
        self.load(ahead.ids)
        known = {record.id for record in self._records.values() if record is not None}
        for facts in (*self._slots.values(), *self._values.values()):
            known |= {fact.id for fact in facts}
        for events in self._summaries.values():
            known |= {event.id for event in events}
        words = evidence.words_of(connection, scope, known, conversation_id)
        self._grounds |= {(memory_id, conversation_id): words.get(memory_id, set()) for memory_id in known}

    def facts_of_slot(self, attr_name: str) -> list[ProfileRecord]:
        """Return the live facts of one attribute, the newest first, at most 500."""
        if attr_name not in self._slots:
            self._see([attr_name])
            self._slots[attr_name] = memories.facts_of_slot(self._connection, self._scope, attr_name)
        return list(self._slots[attr_name])

    def facts_with_key(self, attr_name: str, value: str) -> list[ProfileRecord]:
        """Return live facts that say this value of this attribute, for or against."""
        keys = _keys(attr_name, value)
        if not self._values.keys() >= set(keys):
            self._see(keys)
            self._values |= batches.facts_with_keys(self._connection, self._scope, {attr_name}, keys)
        return [fact for key in keys for fact in self._values[key]]

    def events_with_summary(self, summary: str) -> list[EventRecord]:
        """Return live events that say exactly this."""
        key = text_key(summary)
        if key not in self._summaries:
            self._see([key])
            self._summaries[key] = memories.events_with_summary(self._connection, self._scope, summary)
        return list(self._summaries[key])

    def tasks(self, *, task_id: str | None = None, closed: bool | None = None, limit: int) -> list[WorkspaceRecord]:
        """Return live workspaces, the last touched first."""
        self._see([Bucket.WORKSPACE])
        return memories.tasks(self._connection, self._scope, task_id=task_id, closed=closed, limit=limit)

    def load(self, ids: Collection[str]) -> list[EventRecord | WorkspaceRecord]:
        """Return the live events and workspaces with these ids, each once."""
        unknown = [each for each in dict.fromkeys(ids) if each not in self._records]
        if unknown:
            read = memories.load(self._connection, self._scope, unknown, statuses=(), buckets=_NOMINATED)
            self._records |= dict.fromkeys(unknown) | {record.id: record for record in read}
        found = (self._records[each] for each in dict.fromkeys(ids))
        return [r for r in found if isinstance(r, EventRecord | WorkspaceRecord) and r.status in LIVE_STATUSES]

    def grounds(self, memory_id: str, conversation_id: str | None) -> set[Words]:
        """Return what a conversation said that stands behind a memory. What is put into the set stands there too."""
        key = memory_id, conversation_id
        if key not in self._grounds:
            known = {memory_id} - self._created
            words = evidence.words_of(self._connection, self._scope, known, conversation_id)
            self._grounds[key] = words.get(memory_id, set())
        return self._grounds[key]

    def note(self, before: MemoryRecord | None, after: MemoryRecord | None) -> None:
        """Take in a change of this transaction; before is None for a new memory, after for one that is gone."""
        for record in (before, after):
            if record is not None:
                touched = _touched(record)
                self._touched |= touched
                for read in (self._slots, self._values, self._summaries):
                    for key in touched & read.keys():
                        del read[key]
                self._records[record.id] = after
        if before is None and after is not None:
            self._created.add(after.id)

    def _see(self, keys: Iterable[str]) -> None:
        if not self._touched.isdisjoint(keys):
            self._write_out()


def _keys(attr_name: str, value: str) -> tuple[str, str]:
    return fact_key(attr_name, value, 1), fact_key(attr_name, value, -1)


def _touched(record: MemoryRecord) -> set[str]:
    if isinstance(record, ProfileRecord):
        return {record.attr_name, *_keys(record.attr_name, record.attr_value)}
    return {text_key(record.summary)} if isinstance(record, EventRecord) else {Bucket.WORKSPACE}
