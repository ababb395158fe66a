"""Brings the vector index up to date with SQL: the outbox relay, and the rebuild from nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from easy_data.pipeline.rendering import searchable
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope
from easy_data.schemas.ports import Point
from easy_data.schemas.records import LIVE_STATUSES, Bucket, EventRecord, MemoryRecord, ProfileRecord
from easy_data.stores.database import Connection
from easy_data.stores.repositories import entities, memories, outbox
from easy_data.stores.repositories.rows import bucket_of

BATCH = 256


def relay(runtime: Runtime) -> set[Scope]:
    """Work the outbox off, the oldest first, and return the entities whose memories it brought up to date.

    The row only says which memory changed; what is written is the memory as it is now. Doing a row twice changes
    nothing. Raises ``IndexUnavailable`` or ``ModelError``; the rows stay then.
    """
    touched: set[Scope] = set()
    while True:
        with runtime.database.read() as connection:
            rows = outbox.todo(connection, limit=BATCH)
            by_scope: dict[Scope, set[str]] = {}
            for row in rows:
                by_scope.setdefault(row.scope, set()).add(row.memory_id)
            found = [(s, memories.load(connection, s, ids), _zone(connection, s)) for s, ids in by_scope.items()]
        if not rows:
            return touched
        points = [p for scope, records, zone in found for p in _points(scope, records, zone, runtime)]
        runtime.reached("index.embedded")
        live = {point.id for point in points}
        runtime.index.upsert(points)
        runtime.index.delete([i for i in dict.fromkeys(row.memory_id for row in rows) if i not in live])
        runtime.reached("index.upserted")
        with runtime.database.write() as connection:
            outbox.remove(connection, [row.id for row in rows])
        runtime.reached("index.marked")
        touched |= by_scope.keys()


def rebuild(runtime: Runtime, *, progress: Callable[[int, int], None] | None = None) -> int:
    """Empty the index and fill it from SQL; return how many memories it holds then.

    ``progress`` is called with (done, total). Changes made meanwhile stand in the outbox and follow after.
    """
    if runtime.index.state().points:
        # Clearing swaps the collection, which a search under way notices; an empty one is filled as it is.
        runtime.index.clear()
    scopes = _scopes(runtime)
    with runtime.database.read() as connection:
        total = sum(memories.count(connection, scope, bucket) for scope in scopes for bucket in Bucket)
    done = 0
    for scope in scopes:
        with runtime.database.read() as connection:
            zone = _zone(connection, scope)
        for records in _pages(runtime, scope):
            runtime.index.upsert(_points(scope, records, zone, runtime))
            done += len(records)
            if progress is not None:
                progress(done, total)
    runtime.index.rebuilt()
    return done


def drift(runtime: Runtime) -> int:
    """Return how many memories differ between SQL and the index, missing, stale and superfluous together."""
    wrong = 0
    for scope in _scopes(runtime):
        known = runtime.index.versions(scope.tenant_id, scope.entity_id)
        for records in _pages(runtime, scope):
            wrong += sum(1 for record in records if known.pop(record.id, None) != record.version)
        wrong += len(known)
    return wrong


def _scopes(runtime: Runtime) -> list[Scope]:
    with runtime.database.read() as connection:
        return [runtime.scope(name) for name in entities.names(connection, runtime.settings.tenant_id)]


def _pages(runtime: Runtime, scope: Scope) -> Iterable[Sequence[MemoryRecord]]:
    for bucket in Bucket:
        after = ""
        while True:
            with runtime.database.read() as connection:
                records = memories.page(connection, scope, bucket, after=after, limit=BATCH)
            if not records:
                break
            after = records[-1].id
            yield records


def _zone(connection: Connection, scope: Scope) -> str:
    found = entities.find(connection, scope)
    return found.time_zone if found else "UTC"


def _points(scope: Scope, records: Sequence[MemoryRecord], zone: str, runtime: Runtime) -> list[Point]:
    records = [record for record in records if record.status in LIVE_STATUSES]
    if not records:
        return []
    texts = [searchable(record, runtime.registry, zone) for record in records]
    vectors = runtime.embedder.embed(texts)
    return [
        Point(
            id=record.id,
            version=record.version,
            tenant_id=scope.tenant_id,
            entity_id=scope.entity_id,
            bucket=bucket_of(record),
            kind=_kind(record),
            status=record.status,
            happened_at=_moment(record),
            vector=vector,
            text=text,
        )
        for record, text, vector in zip(records, texts, vectors, strict=True)
    ]


def _kind(record: MemoryRecord) -> str:
    if isinstance(record, ProfileRecord):
        return record.attr_name
    return record.event_type if isinstance(record, EventRecord) else ("closed" if record.closed else "open")


def _moment(record: MemoryRecord) -> float:
    if isinstance(record, EventRecord):
        moment = record.happened_at
    else:
        moment = record.valid_from if isinstance(record, ProfileRecord) else record.updated_at
    return moment.timestamp() if moment else 0.0
