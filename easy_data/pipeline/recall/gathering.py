"""Candidates of one query: from the index, joined to SQL, so that nothing deleted or superseded comes back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from easy_data.pipeline.recall.features import Pool
from easy_data.pipeline.recall.overlap import overlap
from easy_data.pipeline.recall.question import TURN, Conditions, Question
from easy_data.pipeline.recall.weights import WEIGHTS
from easy_data.pipeline.rendering import searchable
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import IndexUnavailable, ModelError
from easy_data.schemas.ports import IndexHit, IndexQuery
from easy_data.schemas.records import LIVE_STATUSES, Bucket, EventRecord, MemoryRecord, ProfileRecord, Status
from easy_data.stores.database import Connection
from easy_data.stores.repositories import memories, outbox, sketches
from easy_data.stores.repositories.rows import bucket_of
from easy_data.stores.repositories.sketches import Sketch

# Facts of the attributes a query names, and memories the index does not know yet, that are looked at.
NAMED_FACTS = 50
UNINDEXED = 100
# Facts that were replaced, for a question about the past.
ONCE_FACTS = 20
_FACTS = Bucket.PROFILE
# Without the index: how many of the newest of each bucket are looked at.
NEWEST = {Bucket.PROFILE: 200, Bucket.EVENT: 500, Bucket.WORKSPACE: 50}


@dataclass(frozen=True, slots=True)
class Gathered:
    """Candidates, the records among them that were read whole, and what was not available."""

    pool: Pool
    records: dict[str, MemoryRecord] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the index found; ``degraded`` names what was not available."""

    hits: tuple[IndexHit, ...] = ()
    degraded: tuple[str, ...] = ()


def ask_index(runtime: Runtime, question: Question) -> Found:
    """Embed the query and ask the index; what cannot be had is named in ``degraded``. No SQL is read."""
    scope, query, conditions = question.scope, question.query, question.conditions
    degraded: tuple[str, ...] = ()
    vector: Sequence[float] | None = None
    try:
        vector = runtime.embedder.embed([query])[0]
    except ModelError:
        degraded = ("embedding",)
    asked = IndexQuery(
        tenant_id=scope.tenant_id,
        entity_id=scope.entity_id,
        vector=vector,
        text=query,
        limit=WEIGHTS.pool,
        buckets=conditions.wanted_buckets,
        kinds=_kinds(conditions, runtime),
        statuses=conditions.statuses,
        since=conditions.since.timestamp() if conditions.since else None,
        until=_earlier(conditions.until, conditions.as_of),
    )
    try:
        hits = {hit.id: hit for hit in runtime.index.search(asked)}
        for further in (_within(asked, question), _once(asked, question)):
            if further is not None:
                for hit in runtime.index.search(further):
                    hits.setdefault(hit.id, hit)
    except IndexUnavailable:
        return Found(degraded=(*degraded, "index"))
    return Found(tuple(hits.values()), degraded)


def gather(runtime: Runtime, connection: Connection, question: Question, found: Found) -> Gathered:
    """Return the candidates for a query as SQL has them now."""
    if "index" in found.degraded:
        return _from_sql(runtime, connection, question, found.degraded)
    scope, conditions = question.scope, question.conditions
    hits = {hit.id: hit for hit in found.hits}
    waiting = [i for i in outbox.waiting_ids(connection, scope, limit=UNINDEXED) if i not in hits]
    ids = [*hits, *waiting]
    seen = sketches.live_events(connection, scope, ids) if conditions.wants(Bucket.EVENT) else []
    # Most memories are events; what is none is looked for among the few ids that are left.
    left = {*ids}.difference(sketch.id for sketch in seen)
    records: dict[str, MemoryRecord] = {}
    for bucket in (Bucket.PROFILE, Bucket.WORKSPACE):
        if left and conditions.wants(bucket):
            found_here = memories.load(connection, scope, left, statuses=_states(question), buckets=(bucket,))
            records |= {record.id: record for record in found_here}
            left.difference_update(records)
    records |= {fact.id: fact for fact in _named_facts(connection, question)}
    records = {name: record for name, record in records.items() if conditions.held(record)}
    seen += [sketch_of(record) for record in records.values()]
    seen = [sketch for sketch in seen if conditions.allow(sketch)]
    return Gathered(pool_of(runtime, question.query, seen, records, hits), records, found.degraded)


def gather_these(
    runtime: Runtime, connection: Connection, question: Question, found: Found, ids: Sequence[str]
) -> Gathered:
    """Return these memories, as far as they are live, as the candidates."""
    records = {record.id: record for record in memories.load(connection, question.scope, ids)}
    hits = {hit.id: hit for hit in found.hits if hit.id in records}
    seen = [sketch_of(record) for record in records.values()]
    return Gathered(pool_of(runtime, question.query, seen, records, hits), records, found.degraded)


def sketch_of(record: MemoryRecord) -> Sketch:
    """Return what ranking needs of a record that was read whole."""
    if isinstance(record, ProfileRecord):
        kind, text, at = record.attr_name, record.attr_value, record.valid_from or record.updated_at
    elif isinstance(record, EventRecord):
        kind, text, at = record.event_type, record.summary, record.happened_at
    else:
        kind, text, at = "closed" if record.closed else "open", record.summary, record.updated_at
    if at is None:
        raise ValueError("a stored memory has an instant")
    turn = record.turn if isinstance(record, EventRecord) else None
    said = record.payload if isinstance(record, EventRecord) else {}
    return Sketch(
        record.id,
        bucket_of(record),
        kind,
        text,
        record.status,
        at,
        record.conversation_id,
        turn,
        str(said.get("speaker") or ""),
        str(said.get("role") or ""),
    )


def _within(asked: IndexQuery, question: Question) -> IndexQuery | None:
    """Return the same question narrowed to the time the query names, or None when it names none."""
    intent, conditions = question.reading.intent, question.conditions
    if intent.since is None or not conditions.wants(Bucket.EVENT) or conditions.since or conditions.until:
        return None
    return replace(
        asked,
        limit=asked.limit // 2,
        buckets=(Bucket.EVENT,),
        since=intent.since.timestamp(),
        until=intent.until.timestamp() if intent.until else None,
    )


def _once(asked: IndexQuery, question: Question) -> IndexQuery | None:
    """Return the same question to the facts that were replaced, for a query about the past; else None."""
    if not question.reading.intent.asks_past or question.conditions.as_of or not question.conditions.wants(_FACTS):
        return None
    return replace(asked, limit=ONCE_FACTS, buckets=(_FACTS,), statuses=(Status.SUPERSEDED,))


def _states(question: Question) -> tuple[Status, ...]:
    """Return the states of facts that answer; a question about the past gets the values that were replaced as well."""
    past = question.reading.intent.asks_past and question.conditions.as_of is None
    return (*LIVE_STATUSES, Status.SUPERSEDED) if past else question.conditions.statuses


def _kinds(conditions: Conditions, runtime: Runtime) -> tuple[str, ...]:
    """Return the kinds to ask the index for; of the events, routes may want the turns alone or all others."""
    if conditions.kinds or len({"turns", "events"}.intersection(conditions.routes)) != 1:
        return conditions.kinds
    if "turns" in conditions.routes:
        events: tuple[str, ...] = (TURN,)
    else:
        events = tuple(name for name in runtime.registry.event_types if name != TURN)
    facts = tuple(a.name for a in runtime.registry) if conditions.wants(_FACTS) else ()
    return (*events, *facts, *(("open", "closed") if conditions.wants(Bucket.WORKSPACE) else ()))


def _earlier(until: datetime | None, as_of: datetime | None) -> float | None:
    """Return the end of the range in epoch seconds, past the last instant that counts; None for no end."""
    ends = [until.timestamp()] if until else []
    if as_of:
        ends.append(math.nextafter(as_of.timestamp(), math.inf))
    return min(ends, default=None)


def _named_facts(connection: Connection, question: Question) -> list[ProfileRecord]:
    """Return the facts the query names."""
    intent = question.reading.intent
    if not intent.attributes or not question.conditions.wants(Bucket.PROFILE):
        return []
    return memories.profile(
        connection, question.scope, attr_names=intent.attributes, statuses=_states(question), limit=NAMED_FACTS
    )


def pool_of(
    runtime: Runtime, query: str, seen: list[Sketch], records: dict[str, MemoryRecord], hits: dict[str, IndexHit]
) -> Pool:
    """Return the candidates with their scores; those the index does not know get theirs from the words they share."""
    keyword = np.zeros(len(seen))
    dense = np.zeros(len(seen))
    known = [hit.dense for hit in hits.values() if hit.dense is not None]
    # What the index gave no cosine for is not among its nearest: it counts as the farthest that was found.
    farthest = min(known, default=0.0)
    strange = []
    for row, sketch in enumerate(seen):
        hit = hits.get(sketch.id)
        if hit is None:
            strange.append(row)
        else:
            keyword[row] = hit.keyword or 0.0
        dense[row] = farthest if hit is None or hit.dense is None else hit.dense
    if strange:
        texts = [_text(runtime, seen[row], records) for row in strange]
        keyword[strange] = overlap(query, texts) * (float(keyword.max()) or 1.0)
    return Pool(seen, keyword, dense)


def _text(runtime: Runtime, sketch: Sketch, records: dict[str, MemoryRecord]) -> str:
    record = records.get(sketch.id)
    return sketch.text if record is None else searchable(record, runtime.registry)


def _from_sql(runtime: Runtime, connection: Connection, question: Question, degraded: tuple[str, ...]) -> Gathered:
    """Return the newest memories of each bucket, with keyword scores computed here."""
    scope, conditions = question.scope, question.conditions
    rows: list[MemoryRecord] = []
    if conditions.wants(Bucket.PROFILE):
        rows += memories.profile(
            connection,
            scope,
            attr_names=conditions.kinds,
            statuses=_states(question),
            limit=NEWEST[Bucket.PROFILE],
        )
        rows += _named_facts(connection, question)
    if conditions.wants(Bucket.EVENT):
        rows += memories.events_page(
            connection,
            scope,
            event_types=conditions.kinds,
            since=conditions.since,
            until=min(filter(None, (conditions.until, conditions.as_of)), default=None),
            limit=NEWEST[Bucket.EVENT],
        )
    if conditions.wants(Bucket.WORKSPACE):
        rows += memories.tasks(connection, scope, limit=NEWEST[Bucket.WORKSPACE])
    records = {record.id: record for record in rows if conditions.held(record)}
    seen = [sketch for sketch in map(sketch_of, records.values()) if conditions.allow(sketch)]
    texts = [searchable(records[sketch.id], runtime.registry) for sketch in seen]
    return Gathered(Pool(seen, overlap(question.query, texts), np.zeros(len(seen))), records, degraded)
