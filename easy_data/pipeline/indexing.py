"""Brings the vector index up to date with SQL: the outbox relay, and the rebuild from nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

from easy_data.pipeline.rendering import searchable
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope
from easy_data.schemas.ports import Point
from easy_data.schemas.records import LIVE_STATUSES, Bucket, EventRecord, MemoryRecord, ProfileRecord
from easy_data.stores.repositories import batches, entities, memories, outbox
from easy_data.stores.repositories.outbox import OutboxRow
from easy_data.stores.repositories.rows import bucket_of

BATCH = 256
VERSIONS_PAGE = 5_000


def relay(runtime: Runtime) -> set[Scope]:
    """Work the outbox off, the oldest first, and return the entities whose memories it brought up to date.

    The row only says which memory changed; what is written is the memory as it is now. Doing a row twice changes
    nothing, and several processes may relay at once. Raises ``IndexUnavailable`` or ``ModelError``; the rows stay then.
    """
    touched: set[Scope] = set()
    while True:
        rows = _take(runtime)
        if not rows:
            return touched
        by_scope: dict[Scope, set[str]] = {}
        for row in rows:
            by_scope.setdefault(row.scope, set()).add(row.memory_id)
        ids = [row.id for row in rows]
        with ExitStack() as undo:
            undo.callback(_give_back, runtime, ids)
            refresh(runtime, by_scope)
            undo.pop_all()
        # Work that a crash brings back is done twice, which changes nothing.
        with runtime.database.write(durable=False) as connection:
            outbox.remove(connection, ids)
        runtime.reached("index.marked")
        touched |= by_scope.keys()


def _take(runtime: Runtime) -> list[OutboxRow]:
    tenant_id = runtime.settings.tenant_id
    if runtime.database.dialect == "sqlite":
        # The one process that has the store takes them one after the other and needs no lease, nor its commit.
        with runtime.database.read() as connection:
            return outbox.todo(connection, tenant_id, limit=BATCH)
    with runtime.database.write(durable=False) as connection:
        now = runtime.queue_time(connection)
        until = now + timedelta(seconds=runtime.settings.lease_seconds)
        return outbox.claim(connection, tenant_id, now=now, lease_until=until, limit=BATCH)


def _give_back(runtime: Runtime, ids: Sequence[str]) -> None:
    with runtime.database.write() as connection:
        outbox.release(connection, ids)


def refresh(runtime: Runtime, ids: Mapping[Scope, Collection[str]]) -> None:
    """Bring the index up to date with SQL for these memories of each entity; those that are gone leave it.

    Raises ``IndexUnavailable`` or ``ModelError``.
    """
    wanted = {each for some in ids.values() for each in some}
    with runtime.database.read() as connection:
        records = batches.live(connection, wanted)
        zones = entities.time_zones(connection, {scope for scope, _ in records})
    points = _points(records, zones, runtime)
    runtime.reached("index.embedded")
    runtime.index.upsert(points)
    # SQL is asked again: what was erased while its vector was made must not come back.
    with runtime.database.read() as connection:
        gone = wanted - batches.live_ids(connection, wanted)
    if gone:
        runtime.index.delete(sorted(gone))
    runtime.reached("index.upserted")


def rebuild(runtime: Runtime, *, progress: Callable[[int, int], None] | None = None, in_service: bool = False) -> int:
    """Empty the index and fill it from SQL; return how many memories it holds then.

    ``progress`` is called with (done, total). Changes made meanwhile stand in the outbox and follow after. An index
    that is ``in_service`` is not emptied: each memory is written over; what is superfluous is left to ``reconcile``.
    """
    if not in_service and runtime.index.state().points:
        # Clearing swaps the collection, which a search under way notices; an empty one is filled as it is.
        runtime.index.clear()
    if runtime.database.dialect == "sqlite":
        # The one index of a file holds the memories of all its tenants, and all were emptied with it.
        with runtime.database.read() as connection:
            scopes = entities.scopes(connection)
    else:
        scopes = scopes_of(runtime)
    with runtime.database.read() as connection:
        total = sum(memories.count(connection, scope, bucket) for scope in scopes for bucket in Bucket)
    done = 0
    for scope in scopes:
        with runtime.database.read() as connection:
            zones = entities.time_zones(connection, {scope})
        for records in _pages(runtime, scope):
            live = [(scope, record) for record in records if record.status in LIVE_STATUSES]
            runtime.index.upsert(_points(live, zones, runtime))
            done += len(records)
            if progress is not None:
                progress(done, total)
    runtime.index.rebuilt()
    return done


def drift(runtime: Runtime) -> int:
    """Return how many memories differ between SQL and the index, missing, stale and superfluous together."""
    return sum(len(differences(runtime, scope).ids) for scope in scopes_of(runtime))


@dataclass(frozen=True, slots=True)
class Differences:
    """How the index differs from SQL for one entity, in ids of memories.

    ``ahead`` are those whose version in the index is none that SQL has given out yet, as after a restored backup.
    """

    checked: int
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    ahead: tuple[str, ...]
    superfluous: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """All that differ."""
        return (*self.missing, *self.stale, *self.ahead, *self.superfluous)


def differences(runtime: Runtime, scope: Scope) -> Differences:
    """Compare the (id, version) pairs of one entity, page by page."""
    indexed = runtime.index.versions(scope.tenant_id, scope.entity_id)
    checked = 0
    missing: list[str] = []
    stale: list[str] = []
    ahead: list[str] = []
    for page in _version_pages(runtime, scope):
        checked += len(page)
        for memory_id, version in page:
            known = indexed.pop(memory_id, None)
            if known is None:
                missing.append(memory_id)
            elif known > version or known < 0:
                ahead.append(memory_id)
            elif known != version:
                stale.append(memory_id)
    return Differences(checked, tuple(missing), tuple(stale), tuple(ahead), tuple(indexed))


def scopes_of(runtime: Runtime) -> list[Scope]:
    """Return every entity of the runtime's tenant."""
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


def _version_pages(runtime: Runtime, scope: Scope) -> Iterable[Sequence[tuple[str, int]]]:
    for bucket in Bucket:
        after = ""
        while True:
            with runtime.database.read() as connection:
                page = memories.versions(connection, scope, bucket, after=after, limit=VERSIONS_PAGE)
            if not page:
                break
            after = page[-1][0]
            yield page


def _points(records: Sequence[tuple[Scope, MemoryRecord]], zones: Mapping[Scope, str], runtime: Runtime) -> list[Point]:
    if not records:
        return []
    texts = [searchable(record, runtime.registry, zones.get(scope, "UTC")) for scope, record in records]
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
        for (scope, record), text, vector in zip(records, texts, vectors, strict=True)
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
