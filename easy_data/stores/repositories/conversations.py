"""The inbox: accepted conversations and where each stands. What is true of a conversation stands here alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, func, select, update

from easy_data.schemas.conversation import Conversation
from easy_data.schemas.ids import Scope
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.database import insert_ignoring
from easy_data.stores.tables import conversations as table


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One accepted conversation. ``payload`` is None when its text was purged or erased."""

    id: str
    scope: Scope
    source: str
    conversation_id: str
    revision: int
    entity_seq: int
    erased_epoch: int
    body_sha256: str
    payload: dict[str, Any] | None
    received_at: datetime
    ended_at: datetime
    state: State
    outcome: Outcome | None
    reason: str
    attempts: int
    outages: int
    fence: int
    duplicates: int
    unread: tuple[tuple[int, int, str], ...]

    def conversation(self) -> Conversation | None:
        """Return the conversation, or None when its text is gone."""
        return None if self.payload is None else Conversation.model_validate(self.payload)


_LATEST = (
    select(table)
    .where(
        table.c.tenant_id == bindparam("tenant"),
        table.c.source == bindparam("from_source"),
        table.c.conversation_id == bindparam("name"),
    )
    .order_by(table.c.revision.desc())
    .limit(1)
)


def add(  # noqa: PLR0913 - one for each column
    connection: Connection,
    *,
    row_id: str,
    conversation: Conversation,
    entity_seq: int,
    epoch: int,
    sha256: str,
    now: datetime,
    due: datetime | None = None,
) -> bool:
    """Insert the conversation, to be worked on from ``due``, or ``now``, on; return False when its key is taken."""
    values = {
        "id": row_id,
        "tenant_id": conversation.tenant_id,
        "entity_id": conversation.entity_id,
        "source": conversation.source,
        "conversation_id": conversation.conversation_id,
        "revision": conversation.revision,
        "entity_seq": entity_seq,
        "erased_epoch": epoch,
        "body_sha256": sha256,
        "payload": conversation.model_dump(mode="json"),
        "received_at": now,
        "ended_at": conversation.ended_at,
        "state": State.RECEIVED,
        "outcome": None,
        "reason": "",
        "attempts": 0,
        "outages": 0,
        "next_attempt_at": due or now,
        "fence": 0,
        "duplicates": 0,
        "unread": [],
    }
    statement = insert_ignoring(connection, table).returning(table.c.id)
    inserted = connection.execute(statement, values).scalar_one_or_none()
    return inserted is not None


def latest(connection: Connection, tenant_id: str, source: str, conversation_id: str) -> InboxRow | None:
    """Return the newest revision of a conversation by the caller's key."""
    values = {"tenant": tenant_id, "from_source": source, "name": conversation_id}
    row = connection.execute(_LATEST, values).one_or_none()
    return None if row is None else inbox_row(row)


def with_body(
    connection: Connection, tenant_id: str, source: str, conversation_id: str, sha256: str
) -> InboxRow | None:
    """Return the newest revision of a conversation that has this body."""
    row = connection.execute(
        select(table)
        .where(
            table.c.tenant_id == tenant_id,
            table.c.source == source,
            table.c.conversation_id == conversation_id,
            table.c.body_sha256 == sha256,
        )
        .order_by(table.c.revision.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else inbox_row(row)


def count_duplicate(connection: Connection, row_id: str) -> None:
    """Count one more delivery of a conversation that is already here."""
    connection.execute(update(table).where(table.c.id == row_id).values(duplicates=table.c.duplicates + 1))


def find(connection: Connection, tenant_id: str, row_id: str) -> InboxRow | None:
    """Return the row by id, within the tenant."""
    row = connection.execute(select(table).where(table.c.id == row_id, table.c.tenant_id == tenant_id)).one_or_none()
    return None if row is None else inbox_row(row)


def earlier(connection: Connection, scope: Scope, entity_seq: int, *, number: int) -> tuple[datetime, datetime] | None:
    """Return when the conversation so many before this one of the entity came in, and when it ended."""
    found = connection.execute(
        select(table.c.received_at, table.c.ended_at)
        .where(
            table.c.tenant_id == scope.tenant_id,
            table.c.entity_id == scope.entity_id,
            table.c.entity_seq <= entity_seq - number,
        )
        .order_by(table.c.entity_seq.desc())
        .limit(1)
    ).one_or_none()
    return None if found is None else (found.received_at, found.ended_at)


def cancel(connection: Connection, row_id: str, *, now: datetime) -> None:
    """Drop the text of a conversation for good; one still in flight ends as cancelled."""
    connection.execute(
        update(table)
        .where(table.c.id == row_id, table.c.state != State.SETTLED)
        .values(
            state=State.SETTLED, outcome=Outcome.CANCELLED, settled_at=now, lease_until=None, fence=table.c.fence + 1
        )
    )
    connection.execute(update(table).where(table.c.id == row_id).values(payload=None))


def purge_texts(connection: Connection, tenant_id: str, *, before: datetime) -> int:
    """Drop the text of conversations that settled before then; a dead letter keeps it, so that it can be replayed."""
    return connection.execute(
        update(table)
        .where(
            table.c.tenant_id == tenant_id,
            table.c.state == State.SETTLED,
            table.c.outcome != Outcome.DEAD_LETTER,
            table.c.settled_at < before,
            table.c.payload.is_not(None),
        )
        .values(payload=None)
    ).rowcount


def of_entity(connection: Connection, scope: Scope) -> list[InboxRow]:
    """Return all conversations of an entity in intake order."""
    found = connection.execute(
        select(table)
        .where(table.c.tenant_id == scope.tenant_id, table.c.entity_id == scope.entity_id)
        .order_by(table.c.entity_seq)
    )
    return [inbox_row(row) for row in found]


def with_outcome(connection: Connection, tenant_id: str, outcome: Outcome, *, limit: int) -> list[InboxRow]:
    """Return the newest conversations that ended in ``outcome``."""
    found = connection.execute(
        select(table)
        .where(table.c.tenant_id == tenant_id, table.c.outcome == outcome)
        .order_by(table.c.received_at.desc(), table.c.id.desc())
        .limit(limit)
    )
    return [inbox_row(row) for row in found]


def open_count(connection: Connection, tenant_id: str) -> tuple[int, datetime | None]:
    """Return how many conversations have not settled, and when the oldest of them came in."""
    row = connection.execute(
        select(func.count(), func.min(table.c.received_at)).where(
            and_(table.c.tenant_id == tenant_id, table.c.state != State.SETTLED)
        )
    ).one()
    return int(row[0]), row[1]


def next_due_at(connection: Connection, tenant_id: str) -> datetime | None:
    """Return when the next postponed conversation falls due, or None when all have settled."""
    return connection.execute(
        select(func.min(table.c.next_attempt_at)).where(table.c.tenant_id == tenant_id, table.c.state != State.SETTLED)
    ).scalar_one_or_none()


def inbox_row(row: Row[Any]) -> InboxRow:
    """Return the inbox row of a table row."""
    found = row._mapping
    return InboxRow(
        id=found["id"],
        scope=Scope(found["tenant_id"], found["entity_id"]),
        source=found["source"],
        conversation_id=found["conversation_id"],
        revision=found["revision"],
        entity_seq=found["entity_seq"],
        erased_epoch=found["erased_epoch"],
        body_sha256=found["body_sha256"],
        payload=found["payload"],
        received_at=found["received_at"],
        ended_at=found["ended_at"],
        state=State(found["state"]),
        outcome=Outcome(found["outcome"]) if found["outcome"] else None,
        reason=found["reason"],
        attempts=found["attempts"],
        outages=found["outages"],
        fence=found["fence"],
        duplicates=found["duplicates"],
        unread=tuple((int(a), int(b), str(c)) for a, b, c in found["unread"]),
    )
