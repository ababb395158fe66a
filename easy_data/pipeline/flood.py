"""A flood: so many conversations of one entity in so short a time that no person speaks in them."""

from __future__ import annotations

from datetime import timedelta

from easy_data.schemas.settings import Settings
from easy_data.stores.database import Connection
from easy_data.stores.repositories import conversations
from easy_data.stores.repositories.conversations import InboxRow

WINDOW = timedelta(hours=1)


def is_flood(connection: Connection, row: InboxRow, settings: Settings) -> bool:
    """Tell if this conversation came in within an hour of ``flood_conversations`` others that ended in that hour, too.

    Conversations of the past that are taken in together are an import, not a flood.
    """
    if not settings.flood_conversations or row.ended_at <= row.received_at - WINDOW:
        return False
    found = conversations.earlier(connection, row.scope, row.entity_seq, number=settings.flood_conversations)
    return found is not None and min(found) > row.received_at - WINDOW
