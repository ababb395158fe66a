"""One transaction over one entity's memory: the only way anything is written, whoever asks.

Pipeline, direct calls, review, corrections and imports all go through ``entity_write``. It holds the entity's lock,
raises the entity's version once, appends a revision for each change and queues each changed memory for the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.records import Bucket, Entity, Language, MemoryRecord
from easy_data.stores.database import Connection
from easy_data.stores.repositories import entities, evidence, history, memories, outbox
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause
from easy_data.stores.repositories.rows import bucket_of


class EntityWrite:
    """The changes of one transaction over one entity. Reads through ``connection`` see them at once."""

    def __init__(self, connection: Connection, entity: Entity, *, now: datetime) -> None:
        self.connection = connection
        self.entity = entity
        self.scope = Scope(entity.tenant_id, entity.entity_id)
        self.now = now
        self._version: int | None = None
        self._changed: dict[str, tuple[Bucket, int]] = {}

    @property
    def changed(self) -> bool:
        """Tell if this transaction changed any memory."""
        return self._version is not None

    def version(self) -> int:
        """Return the entity version of this transaction's changes; the first call raises it."""
        if self._version is None:
            self._version = entities.raise_version(self.connection, self.scope)
        return self._version

    def create(self, record: MemoryRecord, ground: Ground, cause: Cause) -> MemoryRecord:
        """Insert a new memory with its evidence and return it with its id."""
        return self.create_many([(record, ground)], cause)[0]

    def create_many(self, records: Sequence[tuple[MemoryRecord, Ground]], cause: Cause) -> list[MemoryRecord]:
        """Insert memories that are known to be new, each with its evidence, in few statements."""
        made = [
            record.model_copy(update={"id": record.id or new_id(), "version": 1, "updated_at": self.now})
            for record, _ in records
        ]
        grounds = [(record.id, bucket_of(record), ground) for record, (_, ground) in zip(made, records, strict=True)]
        memories.insert_many(self.connection, self.scope, made, now=self.now)
        evidence.add_new(self.connection, self.scope, grounds)
        self._note([(None, record) for record in made], cause)
        return made

    def change(self, before: MemoryRecord, changes: dict[str, object], cause: Cause) -> MemoryRecord:
        """Change fields of a stored memory and return it as it is now."""
        update = {"updated_at": self.now, **changes, "version": before.version + 1}
        after = before.model_copy(update=update)
        memories.replace(self.connection, self.scope, after, now=self.now)
        self._note([(before, after)], cause)
        return after

    def remove(self, record: MemoryRecord, cause: Cause) -> None:
        """Delete a memory; its revision keeps that it was there, not what it said."""
        memories.remove(self.connection, self.scope, [record.id])
        bucket = bucket_of(record)
        history.blank(self.connection, self.scope, [record.id])
        history.add_removal(
            self.connection, self.scope, record.id, bucket, entity_version=self.version(), cause=cause, now=self.now
        )
        self._changed[record.id] = (bucket, record.version + 1)

    def finish(self) -> None:
        """Queue every changed memory for the index; called once, before the commit."""
        items = [(memory_id, bucket, version) for memory_id, (bucket, version) in self._changed.items()]
        outbox.add(self.connection, self.scope, items, now=self.now)

    def _note(self, changes: Sequence[tuple[MemoryRecord | None, MemoryRecord]], cause: Cause) -> None:
        version = self.version()
        history.add(self.connection, self.scope, changes, entity_version=version, cause=cause, now=self.now)
        for _, after in changes:
            self._changed[after.id] = (bucket_of(after), after.version)


@contextmanager
def entity_write(
    runtime: Runtime, scope: Scope, *, time_zone: str | None = None, language: Language | None = None
) -> Iterator[EntityWrite]:
    """Open the transaction, with the entity's row locked and made if it is new."""
    now = runtime.clock.now()
    with runtime.database.write() as connection:
        entity = entities.ensure(
            connection,
            scope,
            time_zone=time_zone,
            language=language,
            defaults=runtime.newcomer(scope.entity_id),
            now=now,
        )
        write = EntityWrite(connection, entity, now=now)
        yield write
        write.finish()
