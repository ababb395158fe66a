"""What is stored at one moment, read by hand from SQL, the vector server and Redis, with none of the product's code."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from qdrant_client import QdrantClient

from bench.chaos.system import System

Row = dict[str, Any]

MEMORIES = {"profile": "profile_facts", "event": "events", "workspace": "workspaces"}
TABLES = ("entities", "conversations", "candidates", "evidence", "review_items", "revisions", "windows", "index_outbox")
# What the state of memory is, without what deliveries and reads may count.
_STATE = {
    "entities": "tenant_id, entity_id, version, erased_epoch, next_seq",
    "conversations": "id, state, outcome, entity_seq",
    "candidates": "id, conversation_row_id, ordinal, verdict, fate, memory_id, review_id",
    "evidence": "id, memory_id, conversation_row_id, turn, quote, live",
    "review_items": "id, status, target_memory_id, decided_by",
    "revisions": "id, memory_id, entity_version, action",
    "profile_facts": "id, attr_name, attr_value, status, confidence, version, valid_from, valid_to",
    "events": "id, event_type, summary, status, version, happened_at",
    "workspaces": "id, task_id, state, closed, version",
}


@dataclass
class Stored:
    """``rows`` by table; ``memories`` of all three buckets, each with its bucket; ``points`` as (id, payload)."""

    tenant: str
    rows: dict[str, list[Row]]
    memories: list[Row]
    points: list[tuple[str, dict[str, Any]]]
    # key: (seconds it has left to live or -1, value)
    cache: dict[str, tuple[int, str]]
    # what still lies in the broker: key, and its length when it is a list or a set
    broker: dict[str, int]
    logs: str

    def by(self, table: str, column: str) -> dict[Any, list[Row]]:
        found: dict[Any, list[Row]] = defaultdict(list)
        for row in self.rows[table]:
            found[row[column]].append(row)
        return found

    def ours(self, table: str) -> list[Row]:
        return [row for row in self.rows[table] if row["tenant_id"] == self.tenant]


def read_stored(system: System) -> Stored:
    with system.postgres.engine.connect() as connection:
        rows = {table: _all(connection, table) for table in TABLES}
        memories = [{**row, "bucket": bucket} for bucket, table in MEMORIES.items() for row in _all(connection, table)]
    cache = system.cache.client
    broker = system.broker.client
    return Stored(
        tenant=system.runtime.settings.tenant_id,
        rows=rows,
        memories=memories,
        points=read_points(system),
        cache={key: (int(cache.ttl(key)), cache.get(key) or "") for key in cache.scan_iter("*")},
        broker={
            **{key: int(broker.llen(key)) for key in broker.scan_iter("*", _type="list")},
            **{key: int(broker.hlen(key)) for key in broker.scan_iter("*", _type="hash")},
        },
        logs="".join(path.read_text("utf-8", errors="replace") for path in system.deployment.path.glob("*.log")),
    )


def read_points(system: System) -> list[tuple[str, dict[str, Any]]]:
    client = QdrantClient(url=system.index.url, check_compatibility=False, timeout=10)
    found: list[tuple[str, dict[str, Any]]] = []
    for collection in client.get_collections().collections:
        offset: Any = None
        while True:
            points, offset = client.scroll(collection.name, limit=1000, offset=offset, with_payload=True)
            found += [(str(point.id), point.payload or {}) for point in points]
            if offset is None:
                break
    client.close()
    return found


def state_hash(system: System) -> str:
    """Return a digest of everything that a repeated delivery must leave as it is."""
    digest = hashlib.sha256()
    with system.postgres.engine.connect() as connection:
        for table, columns in _STATE.items():
            rows = connection.exec_driver_sql(f"SELECT {columns} FROM {table} ORDER BY 1, 2")
            digest.update(json.dumps([list(row) for row in rows], default=str).encode())
    return digest.hexdigest()


def holding(system: System, word: str) -> list[str]:
    """Return the tables in which any column of any row holds a word."""
    with system.postgres.engine.connect() as connection:
        names = sa.inspect(connection).get_table_names()
        return [name for name in names if _holds(connection, name, word)]


def _holds(connection: sa.Connection, table: str, word: str) -> bool:
    found = connection.exec_driver_sql(f"SELECT 1 FROM {table} AS t WHERE t::text LIKE %s LIMIT 1", (f"%{word}%",))
    return found.one_or_none() is not None


def _all(connection: sa.Connection, table: str) -> list[Row]:
    return [dict(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()]
