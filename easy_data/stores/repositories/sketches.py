"""Sketches: what ranking needs of a memory, read without building whole records."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from easy_data.schemas.ids import Scope
from easy_data.schemas.records import LIVE_STATUSES, Bucket, Status
from easy_data.stores.repositories.scoping import BY_SCOPE, bound, checked
from easy_data.stores.tables import events, profile_facts

# SQLite binds at most 32,766 values a statement.
_PIECE = 2000


class Sketch(NamedTuple):
    """One memory as ranking sees it; a tuple, because hundreds are made a query.

    ``kind`` is the attribute, the event type, or ``open`` / ``closed``.
    ``at`` is when it happened or was last confirmed; ``speaker`` and ``role`` are empty where they are not known.
    """

    id: str
    bucket: Bucket
    kind: str
    text: str
    status: Status
    at: datetime
    conversation_id: str | None = None
    turn: int | None = None
    speaker: str = ""
    role: str = ""


# Built once: recall runs it for every query.
_LIVE_EVENTS = select(
    events.c.id,
    events.c.event_type,
    events.c.summary,
    events.c.status,
    events.c.happened_at,
    events.c.conversation_id,
    events.c.turn,
    events.c.payload["speaker"].as_string(),
    events.c.payload["role"].as_string(),
).where(
    *checked(events, *BY_SCOPE),
    events.c.id.in_(bindparam("ids", expanding=True)),
    events.c.status.in_(LIVE_STATUSES),
)
_STATUS = {status.value: status for status in Status}


def live_events(connection: Connection, scope: Scope, ids: Collection[str]) -> list[Sketch]:
    """Return the live events among these ids, in no promised order."""
    wanted = list(ids)
    found: list[Sketch] = []
    for start in range(0, len(wanted), _PIECE):
        rows = connection.execute(
            _LIVE_EVENTS,
            bound(scope) | {"ids": wanted[start : start + _PIECE]},
        ).all()
        found += [
            Sketch(name, Bucket.EVENT, kind, text, _STATUS[status], at, conversation, turn, speaker or "", role or "")
            for name, kind, text, status, at, conversation, turn, speaker, role in rows
        ]
    return found


def fact_counts(connection: Connection, scope: Scope) -> dict[str, int]:
    """Return how many live facts each attribute has."""
    found = connection.execute(
        select(profile_facts.c.attr_name, func.count())
        .where(
            profile_facts.c.tenant_id == scope.tenant_id,
            profile_facts.c.entity_id == scope.entity_id,
            profile_facts.c.status.in_(LIVE_STATUSES),
        )
        .group_by(profile_facts.c.attr_name)
    )
    return {str(name): int(number) for name, number in found}
