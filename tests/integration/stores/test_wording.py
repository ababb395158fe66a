"""The words in the tables beside the memories are read page by page and written over, on both engines."""

from __future__ import annotations

from datetime import UTC, datetime

from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.records import Entity
from easy_data.stores.database import Connection, Database
from easy_data.stores.migrate import ensure_schema
from easy_data.stores.repositories import conversations, entities, wording

NOW = datetime(2026, 5, 11, 2, 0, tzinfo=UTC)
ANN, BOB = Scope("acme", "ann"), Scope("acme", "bob")


def delivered(connection: Connection, scope: Scope, name: str) -> str:
    newcomer = Entity(tenant_id=scope.tenant_id, entity_id=scope.entity_id)
    entities.ensure(connection, scope, time_zone=None, language=None, defaults=newcomer, now=NOW)
    said = Conversation(
        tenant_id=scope.tenant_id,
        entity_id=scope.entity_id,
        source="chat",
        conversation_id=name,
        messages=(Message(role="user", content="我的密码是 hunter2go9"),),
        ended_at=NOW,
        time_zone="UTC",
        language="zh",
    )
    row_id = new_id()
    conversations.add(connection, row_id=row_id, conversation=said, entity_seq=1, epoch=0, sha256="0" * 64, now=NOW)
    return row_id


def test_words_are_read_page_by_page_and_written_over(database_url: str) -> None:
    database = Database(database_url)
    ensure_schema(database)
    with database.write() as connection:
        ids = sorted(delivered(connection, ANN, f"c{number}") for number in range(3))
        delivered(connection, BOB, "theirs")
    with database.write() as connection:
        first, second = wording.page(connection, "conversations", ANN, after="", limit=2)
        (third,) = wording.page(connection, "conversations", ANN, after=second["id"], limit=2)
        assert [row["id"] for row in (first, second, third)] == ids
        said = third["payload"] | {"messages": []}
        wording.rewrite(connection, "conversations", third["id"], {"payload": said})
    with database.read() as connection:
        row = conversations.find(connection, "acme", third["id"])
    database.close()
    assert row is not None
    assert row.payload == said
