"""How PostgreSQL carries out the statements that every conversation and every recall runs, on tables that are large.

As an ordinary user, so that the conditions of row-level security are part of each plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from easy_data.schemas.ids import Scope
from easy_data.schemas.keys import fact_key, text_key
from easy_data.schemas.receipts import Outcome, State
from easy_data.schemas.records import Bucket
from easy_data.stores.database import Connection, Database
from easy_data.stores.repositories import (
    batches,
    candidates,
    claims,
    conversations,
    entities,
    evidence,
    history,
    memories,
    outbox,
    reviews,
    sketches,
    tallies,
    windows,
)
from tests.fixtures.engines import PostgresServer
from tests.fixtures.service import ordinary_database

NOW = datetime(2026, 4, 1, tzinfo=UTC)
LEASE = NOW + timedelta(minutes=5)
ANN = Scope("acme", "ann")
# Rows of the one entity in each large table, and how many of them one statement may look at.
ROWS = 8_000
LOOKED_AT = 600

FILL = f"""
INSERT INTO entities
  SELECT 'acme', CASE i WHEN 1 THEN 'ann' ELSE 'e' || i END, 'person', 'UTC', 'en', 5, {ROWS}, 0, now()
  FROM generate_series(1, 3000) i;
INSERT INTO conversations (id, tenant_id, entity_id, source, conversation_id, revision, entity_seq, erased_epoch,
    body_sha256, received_at, ended_at, state, outcome, reason, attempts, outages, next_attempt_at, fence, duplicates,
    unread, settled_at)
  SELECT 'c' || i, 'acme', 'ann', 'agent', 'c' || i, 1, i, 0, 'x', '2026-01-01', '2026-01-01',
    CASE WHEN i > {ROWS} - 5 THEN 'received' ELSE 'settled' END,
    CASE WHEN i > {ROWS} - 5 THEN NULL WHEN i % 1000 = 0 THEN 'dead_letter' ELSE 'written' END,
    '', 1, 0, '2026-01-01', 1, 0, '[]', CASE WHEN i > {ROWS} - 5 THEN NULL ELSE timestamptz '2026-01-01' END
  FROM generate_series(1, {ROWS}) i;
INSERT INTO candidates (id, tenant_id, entity_id, conversation_row_id, ordinal, content, reason)
  SELECT 'k' || i, 'acme', 'ann', 'c' || i, 0, '{{"bucket": "event", "quote": "x", "turn": 0, "extractor": "x"}}', ''
  FROM generate_series(1, {ROWS}) i;
INSERT INTO profile_facts
  SELECT 'f' || i, 'acme', 'ann', 'preference', 'attribute' || i % 400, 'v' || i, 'key' || i, 1, NULL, now(), NULL,
    'active', 'direct', 0.9, NULL, 1, now(), now(), NULL
  FROM generate_series(1, {ROWS}) i;
INSERT INTO events
  SELECT 'v' || i, 'acme', 'ann', 'remark', 'something ' || i, 'key' || i, '{{}}',
    timestamptz '2026-01-01' + i * interval '1 minute', NULL, '', 1,
    'active', 'direct', 0.9, 'c' || i, 1, now(), now(), NULL
  FROM generate_series(1, {ROWS}) i;
INSERT INTO workspaces
  SELECT 'w' || i, 'acme', 'ann', 'task ' || i, '', '{{}}', true, 'active', 'direct', 0.9, NULL, 1, now(), now(), NULL
  FROM generate_series(1, 400) i;
INSERT INTO evidence
  SELECT 'e' || i, 'acme', 'ann', 'f' || i % 4, 'profile', 'c' || i, 'c' || i, 0, 'x', now(), 'patterns', true
  FROM generate_series(1, {ROWS}) i;
INSERT INTO revisions
  SELECT 'r' || i, 'acme', 'ann', 'f' || i, 'profile', i, 'write', NULL, '{{}}', '{{}}', 'x', now()
  FROM generate_series(1, {ROWS}) i;
INSERT INTO tombstones SELECT 't' || i, 'acme', 'ann', 'key' || i, NULL, now() FROM generate_series(1, {ROWS}) i;
INSERT INTO index_outbox
  SELECT lpad(i::text, 8, '0'), 'acme', CASE WHEN i % 500 = 0 THEN 'ann' ELSE 'e' || i END, 'v' || i, 'event', 1, now()
  FROM generate_series(1, {ROWS}) i;
INSERT INTO windows
  SELECT 'acme', CASE i % 100 WHEN 0 THEN 'ann' ELSE 'e' || i % 100 END, 'roll',
    timestamptz '2020-01-01' + i * interval '1 day', now(), '{{}}'
  FROM generate_series(1, {ROWS}) i;
"""

Query = Callable[[Connection], object]
CONVERSATION = conversations.InboxRow(
    "c7999", ANN, "agent", "c7999", 1, 7999, 0, "x", None, NOW, NOW, State.RECEIVED, None, "", 1, 0, 1, 0, ()
)
IDS = [f"v{i}" for i in range(1, 200)]
QUERIES: dict[str, Query] = {
    "the next conversation": lambda c: claims.claim(c, now=NOW, lease_until=LEASE, tenant_id="acme"),
    "one conversation": lambda c: claims.claim_stage(
        c, "c7999", State.RECEIVED, now=NOW, lease_until=LEASE, tenant_id="acme"
    ),
    "what is due": lambda c: claims.due(c, "acme", State.RECEIVED, now=NOW, limit=100),
    "if an earlier one is open": lambda c: claims.is_blocked(c, CONVERSATION),
    "if it is held": lambda c: claims.is_held(c, CONVERSATION),
    "a step forward": lambda c: claims.advance(c, CONVERSATION, State.EXTRACTED),
    "the entity's next one": lambda c: claims.next_of_entity(c, ANN),
    "a conversation by its name": lambda c: conversations.latest(c, "acme", "agent", "c77"),
    "what is open": lambda c: conversations.open_count(c, "acme"),
    "dead letters": lambda c: conversations.with_outcome(c, "acme", Outcome.DEAD_LETTER, limit=10),
    "what settled lately": lambda c: tallies.settled_since(c, "acme", NOW),
    "candidates": lambda c: candidates.of_conversation(c, "c77"),
    "facts of slots": lambda c: batches.facts_of_slots(c, ANN, ["attribute7", "attribute8"]),
    "facts with values": lambda c: batches.facts_with_keys(c, ANN, ["hobby"], [fact_key("hobby", "chess", 1)]),
    "events that say the same": lambda c: batches.events_with_keys(c, ANN, [text_key("something 1")]),
    "a task by its name": lambda c: memories.tasks(c, ANN, task_id="task 7", limit=1),
    "what a conversation said": lambda c: evidence.words_of(c, ANN, ["f1", "f2", "f3"], "c77"),
    "what is buried": lambda c: history.buried(c, ANN, ["key1", "key2"]),
    "what changed since": lambda c: history.changed_since(c, ANN, ROWS - 3),
    "pending questions": lambda c: reviews.pending(c, ANN),
    "memories by id": lambda c: memories.load(c, ANN, IDS),
    "sketches by id": lambda c: sketches.live_events(c, ANN, IDS),
    "live memories by id": lambda c: batches.live_ids(c, IDS),
    "events of a day": lambda c: memories.events_page(c, ANN, since=NOW - timedelta(days=90), limit=20),
    "the newest events": lambda c: memories.events_page(c, ANN, limit=20),
    "events behind a page": lambda c: memories.events_page(c, ANN, before=(NOW, "v1"), limit=20),
    "turns of a conversation": lambda c: memories.turns_of(c, ANN, [("c77", 0, 5)]),
    "a page in the order of ids": lambda c: memories.versions(c, ANN, Bucket.EVENT, after="v5", limit=20),
    "the entity's version": lambda c: entities.version(c, ANN),
    "the entity": lambda c: entities.find(c, ANN, lock=True),
    "a conversation so many before": lambda c: conversations.earlier(c, ANN, 500, number=120),
    "unindexed memories": lambda c: outbox.waiting_ids(c, ANN, limit=100),
    "the outbox": lambda c: outbox.claim(c, "acme", now=NOW, lease_until=LEASE, limit=256),
    "due windows": lambda c: windows.of_entity(c, ANN),
}


@pytest.fixture(scope="module")
def filled(postgres_server: PostgresServer, migrated_template: str) -> Iterator[Database]:
    """A database in which one entity has very much of everything."""
    with ordinary_database(postgres_server, migrated_template) as url:
        database = Database(url, tenant_id="acme")
        with database.write() as connection:
            connection.exec_driver_sql(FILL.replace("%", "%%"))
        owner = postgres_server.url.set(database=sa.make_url(url).database)
        engine = sa.create_engine(owner, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
        yield database
        database.close()


def plans(database: Database, query: Query) -> list[dict[str, Any]]:
    """Run the query and return how each of its statements was carried out; nothing of it stays."""
    ran: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        ran.append((statement, parameters))

    found = []
    with database.write() as connection:
        sa.event.listen(database.engine, "before_cursor_execute", note)
        with connection.begin_nested() as first:
            query(connection)
            first.rollback()
        sa.event.remove(database.engine, "before_cursor_execute", note)
        for statement, parameters in ran:
            if statement.startswith(("SELECT", "UPDATE")):
                with connection.begin_nested() as again:
                    explained = connection.exec_driver_sql(
                        f"EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) {statement}", parameters
                    )
                    found.append(explained.scalar_one()[0]["Plan"])
                    again.rollback()
        connection.rollback()
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


@pytest.mark.parametrize("name", QUERIES)
def test_a_hot_query_looks_at_few_rows_of_a_large_table(filled: Database, name: str) -> None:
    explained = plans(filled, QUERIES[name])
    assert explained
    for node in (node for plan in explained for node in nodes(plan)):
        looked_at = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        looked_at += node.get("Rows Removed by Index Recheck", 0)
        assert looked_at * node["Actual Loops"] <= LOOKED_AT, node
        # A table this small would be read whole in any case, and one row of a table whose rows all serve is any row.
        small = node.get("Relation Name") in ("workspaces", "review_items") or looked_at <= 1
        assert node["Node Type"] != "Seq Scan" or small, node


def test_the_windows_of_a_tenant_are_found_without_reading_the_ledger(filled: Database) -> None:
    """Every entity is looked at, its ledger by one look into the primary key for each job."""
    (plan,) = plans(filled, lambda c: list(windows.of_tenant(c, "acme")))
    read = [node for node in nodes(plan) if node.get("Relation Name") == "windows"]
    assert read
    assert all(node["Node Type"].startswith("Index") and node["Actual Rows"] <= 1 for node in read)
