"""The publisher's journal: what was handed over and has no receipt yet, in a file of its own, on disk before anything.

Standard library alone: an agent that publishes needs no database.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from easy_data.schemas.errors import StoreBusy, StoreClosed, StoreError, StoreReadOnly
from easy_data.schemas.publishing import Publication, PublishState, SubmissionReceipt

BUSY_SECONDS = 10.0
# Of accepted conversations nobody asked after, only ids are left, and of so many alone.
KEPT_RECEIPTS = 10_000
# "easy" in ASCII: marks the file as ours.
_APPLICATION_ID = 0x65617379
_FORMAT = 1
_TABLE = """
CREATE TABLE IF NOT EXISTS publications (
    id TEXT PRIMARY KEY,
    entity_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    state TEXT NOT NULL,
    published_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at REAL NOT NULL,
    receipt_id TEXT,
    duplicate INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    body TEXT
) WITHOUT ROWID
"""
_INDEX = "CREATE INDEX IF NOT EXISTS ix_publications_state ON publications (state, next_at)"
_ADD = (
    "INSERT INTO publications (id, entity_id, conversation_id, state, published_at, next_at, body)"
    " VALUES (?, ?, ?, ?, ?, 0, ?)"
)
_DUE = (
    "SELECT id, body, attempts FROM publications WHERE state IN ('kept', 'sent') AND (next_at <= ? OR next_at > ?)"
    " ORDER BY id LIMIT ?"
)
_SENT = (
    "UPDATE publications SET state = 'sent', attempts = attempts + 1, next_at = ?"
    " WHERE id = ? AND state IN ('kept', 'sent')"
)
_SETTLE = (
    "UPDATE publications SET state = ?1, receipt_id = ?2, duplicate = ?3, reason = ?4,"
    " body = CASE WHEN ?1 = 'accepted' THEN NULL ELSE body END WHERE id = ?5"
)
_FORGET_OLD = (
    "DELETE FROM publications WHERE state = 'accepted' AND id <="
    " (SELECT id FROM publications WHERE state = 'accepted' ORDER BY id DESC LIMIT 1 OFFSET ?)"
)
_LIST = (
    "SELECT id, entity_id, conversation_id, state, published_at, attempts, receipt_id, duplicate, reason"
    " FROM publications"
)
_NAMES = (
    "id",
    "entity_id",
    "conversation_id",
    "state",
    "published_at",
    "attempts",
    "receipt_id",
    "duplicate",
    "reason",
)
_FULL = ("full", "readonly", "read-only", "unable to open", "disk i/o")


@dataclass(frozen=True, slots=True)
class Due:
    """A conversation that should be sent now. ``attempts`` so far."""

    id: str
    body: str
    attempts: int


class Journal:
    """A journal file. Threads, forked children and other processes may use it at once.

    What a method wrote is on disk when it returns; what was settled is overwritten, not only left out. Raises
    ``StoreError`` for a file that is something else, ``StoreReadOnly`` when the disk is full or the file cannot be
    written, ``StoreBusy`` when another process holds it for long, and ``StoreClosed``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._connections: dict[int, sqlite3.Connection] = {}
        self._closed = False
        with self._writing():
            pass

    def add(self, publication: Publication, body: str) -> None:
        """Keep a conversation until its fate is known. It is due at once."""
        with self._writing() as connection:
            given = publication
            moment = given.published_at.isoformat()
            values = (given.id, given.entity_id, given.conversation_id, given.state, moment, body)
            connection.execute(_ADD, values)

    def due(self, now: datetime, *, limit: int, later_than: float) -> list[Due]:
        """Return what should be sent, the oldest first: never sent, or without a receipt for too long.

        What waits for a moment beyond ``now + later_than`` seconds is due too: the clock was set back.
        """
        present = now.timestamp()
        with self._reading() as connection:
            return [Due(*row) for row in connection.execute(_DUE, (present, present + later_than, limit))]

    def sent(self, publication_id: str, *, again_at: float) -> None:
        """Note that the broker has it, and from when on (epoch seconds) it is sent again without a receipt."""
        with self._writing() as connection:
            connection.execute(_SENT, (again_at, publication_id))

    def settle(self, receipts: dict[str, SubmissionReceipt]) -> None:
        """Note the fates; the text of what was accepted leaves the file, that of what was refused stays."""
        if not receipts:
            return
        with self._writing() as connection:
            for publication_id, receipt in receipts.items():
                state = PublishState.REFUSED if receipt.receipt_id is None else PublishState.ACCEPTED
                values = (state, receipt.receipt_id, receipt.duplicate, receipt.reason, publication_id)
                connection.execute(_SETTLE, values)
            connection.execute(_FORGET_OLD, (KEPT_RECEIPTS,))

    def listed(self, *states: PublishState) -> list[Publication]:
        """Return the publications in these states, the oldest first."""
        with self._reading() as connection:
            found = connection.execute(f"{_LIST} ORDER BY id")
            return [each for each in map(_publication, found) if each.state in states]

    def get(self, publication_id: str) -> Publication | None:
        """Return one publication, or None."""
        with self._reading() as connection:
            row = connection.execute(f"{_LIST} WHERE id = ?", (publication_id,)).fetchone()
            return None if row is None else _publication(row)

    def open_ids(self) -> list[str]:
        """Return the ids of what was sent and has no receipt yet."""
        with self._reading() as connection:
            found = connection.execute("SELECT id FROM publications WHERE state = ? ORDER BY id", (PublishState.SENT,))
            return [row[0] for row in found]

    def remove(self, publication_ids: Sequence[str]) -> None:
        """Forget publications, text and all."""
        with self._writing() as connection:
            connection.executemany("DELETE FROM publications WHERE id = ?", [(each,) for each in publication_ids])

    def close(self) -> None:
        """Release the file; a second call does nothing."""
        with self._lock:
            self._closed = True
            own = self._connections.pop(os.getpid(), None)
            if own is not None:
                own.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            yield self._connection()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _connection(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreClosed("this publisher was closed; make a new one")
        # One for each process: a connection must not be used, nor even closed, on the other side of a fork.
        found = self._connections.get(os.getpid())
        if found is None:
            found = self._connections[os.getpid()] = _opened(self._path)
        return found

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            text = str(error).lower()
            if any(sign in text for sign in _FULL):
                raise StoreReadOnly(
                    f"the journal {self._path} cannot be written to; free the disk or name another file"
                ) from None
            if "locked" in text or "busy" in text:
                raise StoreBusy(f"the journal {self._path} is in use by another process; try again") from None
            raise StoreError(f"the journal {self._path} is damaged or of another kind; name another file") from None


def _opened(path: Path) -> sqlite3.Connection:
    path.absolute().parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        tables = _own_tables(connection, path)
        for pragma in ("synchronous = FULL", "secure_delete = ON", "journal_mode = TRUNCATE"):
            connection.execute(f"PRAGMA {pragma}")
        if not tables:
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
        connection.execute(_TABLE)
        connection.execute(_INDEX)
    except BaseException:
        connection.close()
        raise
    return connection


def _own_tables(connection: sqlite3.Connection, path: Path) -> int:
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and owner != _APPLICATION_ID:
        raise StoreError(f"{path} is another program's database; name another file for the journal")
    return int(tables)


def _publication(row: tuple[object, ...]) -> Publication:
    return Publication.model_validate(dict(zip(_NAMES, row, strict=True)))
