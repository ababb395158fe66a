"""One transaction over one entity's memory: the only way anything is written, whoever asks.

Pipeline, direct calls, review, corrections and imports all go through ``entity_write``. It holds the entity's lock,
raises the entity's version once, appends a revision for each change and queues each changed memory for the index.

Writes are gathered and go out together: before the first read that must see them, and at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from easy_data.pipeline.entity_memory import EntityMemory
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.records import LIVE_STATUSES, Bucket, Entity, Language, MemoryRecord, ProfileRecord, Status
from easy_data.stores.database import Connection
from easy_data.stores.repositories import entities, evidence, history, memories, outbox
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause, Changed
from easy_data.stores.repositories.rows import bucket_of


class EntityWrite:
    """The changes of one transaction over one entity. Reads through ``connection`` and ``memory`` see them at once."""

    def __init__(self, connection: Connection, entity: Entity, *, now: datetime) -> None:
        self.entity = entity
        self.scope = Scope(entity.tenant_id, entity.entity_id)
        self.now = now
        # What is read here once is not read again until it changes.
        self.memory = EntityMemory(connection, self.scope, write_out=self._flush)
        self._connection = connection
        self._version: int | None = None
        self._changed: dict[str, tuple[Bucket, int]] = {}
        # Facts that left, by the id of the one that conflicted with each.
        self._left: dict[str, str] = {}
        # Records to insert and to write over, by id, and what is appended with them.
        self._new: dict[str, MemoryRecord] = {}
        self._over: dict[str, MemoryRecord] = {}
        self._grounds: list[tuple[str, Bucket, Ground]] = []
        self._revisions: list[Changed] = []

    @property
    def connection(self) -> Connection:
        """The connection, on which everything that was written so far is to be seen."""
        self._flush()
        return self._connection

    @property
    def locked(self) -> Connection:
        """The same connection for statements on other tables than those of memories, evidence and revisions."""
        return self._connection

    @property
    def changed(self) -> bool:
        """Tell if this transaction changed any memory."""
        return self._version is not None

    def version(self) -> int:
        """Return the entity version of this transaction's changes; the first call raises it."""
        if self._version is None:
            self._version = entities.raise_version(self._connection, self.scope)
        return self._version

    def create(self, record: MemoryRecord, ground: Ground, cause: Cause) -> MemoryRecord:
        """Insert a new memory with its evidence and return it with its id."""
        return self.create_many([(record, ground)], cause)[0]

    def create_many(self, records: Sequence[tuple[MemoryRecord, Ground]], cause: Cause) -> list[MemoryRecord]:
        """Insert memories that are known to be new, each with its evidence."""
        made = [
            record.model_copy(update={"id": record.id or new_id(), "version": 1, "updated_at": self.now})
            for record, _ in records
        ]
        for record, (_, ground) in zip(made, records, strict=True):
            self._new[record.id] = record
            self._note(None, record, cause)
            self._put_behind(record.id, bucket_of(record), ground)
        return made

    def change(self, before: MemoryRecord, changes: dict[str, object], cause: Cause) -> MemoryRecord:
        """Change fields of a stored memory and return it as it is now."""
        update = {"updated_at": self.now, **changes, "version": before.version + 1}
        after = before.model_copy(update=update)
        waiting = self._new.get(before.id) or self._over.get(before.id)
        if waiting is not None and waiting.status != after.status:
            # Which rows live at one time is for the database to check, in the order of the changes.
            self._flush()
        (self._new if before.id in self._new else self._over)[before.id] = after
        self._note(before, after, cause)
        if after.status not in LIVE_STATUSES:
            self._leaves(before)
        return after

    def add_evidence(self, memory_id: str, bucket: Bucket, ground: Ground) -> bool:
        """Add evidence; False when these very words of this conversation already stand behind the memory."""
        if (ground.turn, ground.quote) in self.memory.grounds(memory_id, ground.conversation_id):
            return False
        self._put_behind(memory_id, bucket, ground)
        return True

    def last_said(self, memory_id: str) -> datetime | None:
        """Return when the newest words behind a memory were said."""
        stored = evidence.last_said(self._connection, self.scope, memory_id)
        gathered = [ground.said_at for name, _, ground in self._grounds if name == memory_id]
        return max([*gathered, *([stored] if stored else [])], default=None)

    def remove(self, record: MemoryRecord, cause: Cause) -> None:
        """Delete a memory; its revision keeps that it was there, not what it said."""
        connection, bucket = self.connection, bucket_of(record)
        memories.remove(connection, self.scope, [record.id])
        history.blank(connection, self.scope, [record.id])
        history.add_removal(
            connection, self.scope, record.id, bucket, entity_version=self.version(), cause=cause, now=self.now
        )
        self.memory.note(record, None)
        self._changed[record.id] = (bucket, record.version + 1)
        self._leaves(record)

    def finish(self) -> None:
        """Free what only conflicted with something that left, write what is left and queue it all for the index.

        Called before the commit.
        """
        for partner_id, gone_id in self._left.items():
            partner = memories.find(self.connection, self.scope, partner_id)
            if isinstance(partner, ProfileRecord) and partner.conflict_with == gone_id:
                freed: dict[str, object] = {"conflict_with": None}
                freed |= {"status": Status.ACTIVE} if partner.status is Status.CONFLICT else {}
                self.change(partner, freed, Cause("release", "system", {"without": gone_id}))
        self._left.clear()
        self._flush()
        items = [(memory_id, bucket, version) for memory_id, (bucket, version) in self._changed.items()]
        outbox.add(self._connection, self.scope, items, now=self.now)
        self._changed.clear()

    def _leaves(self, record: MemoryRecord) -> None:
        if isinstance(record, ProfileRecord) and record.conflict_with is not None:
            self._left[record.conflict_with] = record.id

    def _note(self, before: MemoryRecord | None, after: MemoryRecord, cause: Cause) -> None:
        self._revisions.append(Changed(before, after, self.version(), cause))
        self._changed[after.id] = (bucket_of(after), after.version)
        self.memory.note(before, after)

    def _put_behind(self, memory_id: str, bucket: Bucket, ground: Ground) -> None:
        self.memory.grounds(memory_id, ground.conversation_id).add((ground.turn, ground.quote))
        self._grounds.append((memory_id, bucket, ground))

    def _flush(self) -> None:
        # What ends goes first: of a value that must be the only live one, the new row comes after the old has gone.
        memories.replace_many(self._connection, self.scope, list(self._over.values()), now=self.now)
        memories.insert_many(self._connection, self.scope, list(self._new.values()), now=self.now)
        evidence.add_new(self._connection, self.scope, self._grounds)
        history.add(self._connection, self.scope, self._revisions, now=self.now)
        for gathered in (self._over, self._new, self._grounds, self._revisions):
            gathered.clear()


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
