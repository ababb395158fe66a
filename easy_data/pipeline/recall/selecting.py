"""From candidates to what is returned: ranked, without repeats, with what contradicts it beside it."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.recall.gathering import Gathered
from easy_data.pipeline.recall.phrases import memory_text
from easy_data.pipeline.recall.question import TURN, Question, route_of
from easy_data.pipeline.recall.rank import Ranked, rank
from easy_data.pipeline.recall.updates import newest_first
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.recall import MemoryHit, Share
from easy_data.schemas.records import (
    Bucket,
    EventRecord,
    Language,
    MemoryRecord,
    Polarity,
    ProfileRecord,
    Status,
)
from easy_data.stores.database import Connection
from easy_data.stores.repositories import evidence, memories
from easy_data.stores.repositories.rows import bucket_of

# How many more than asked for are ranked, so that turns which repeat a fact can be left out.
SPARE = 20


def select(
    runtime: Runtime,
    connection: Connection,
    question: Question,
    gathered: Gathered,
    *,
    limit: int,
    every: bool = False,
) -> list[MemoryHit]:
    """Return the best ``limit`` of what was gathered, the best first; with ``every``, those that do not fit too."""
    ranked = rank(
        gathered.pool,
        question,
        runtime.registry,
        recency_weight=runtime.settings.recency_weight,
        limit=limit + SPARE,
        every=every,
    )
    ranked = newest_first(ranked, question)
    if not every:
        ranked = _without_repeats(connection, question, ranked, limit)
    missing = [r.sketch.id for r in ranked if r.sketch.id not in gathered.records]
    # What is not read yet are events: facts and tasks were read whole.
    loaded = memories.load(connection, question.scope, missing, buckets=(Bucket.EVENT,)) if missing else []
    records = gathered.records | {record.id: record for record in loaded}
    return [
        hit_of(
            records[r.sketch.id],
            runtime,
            question.entity.language,
            score=r.score,
            shares=r.shares(),
            newer=r.newer,
        )
        for r in ranked
        if r.sketch.id in records
    ]


def hit_of(
    record: MemoryRecord,
    runtime: Runtime,
    language: Language,
    *,
    score: float,
    shares: tuple[Share, ...] = (),
    newer: str | None = None,
) -> MemoryHit:
    """Return a record as a recalled memory."""
    fact = record if isinstance(record, ProfileRecord) else None
    return MemoryHit(
        id=record.id,
        bucket=bucket_of(record),
        text=memory_text(record, runtime.registry, language),
        record=record,
        score=score,
        route=route_of(bucket_of(record), record.event_type if isinstance(record, EventRecord) else ""),
        shares=shares,
        conflict_with=fact.conflict_with if fact else None,
        newer=newer,
        status=record.status,
        polarity=fact.polarity if fact else Polarity.POSITIVE,
    )


def with_rivals(
    runtime: Runtime,
    connection: Connection,
    question: Question,
    hits: Sequence[MemoryHit],
    *,
    limit: int,
) -> tuple[list[MemoryHit], list[tuple[ProfileRecord, ProfileRecord]]]:
    """Put the other side of each contradiction behind its fact, within ``limit``; return the pairs too."""
    facts = {hit.id: hit.record for hit in hits if isinstance(hit.record, ProfileRecord)}
    wanted = {fact.conflict_with for fact in facts.values() if fact.status is Status.CONFLICT and fact.conflict_with}
    if not wanted:
        return list(hits), []
    missing = wanted - facts.keys()
    loaded = memories.load(connection, question.scope, missing, buckets=(Bucket.PROFILE,)) if missing else []
    known = facts | {record.id: record for record in loaded if isinstance(record, ProfileRecord)}
    placed: dict[str, MemoryHit] = {}
    pairs: dict[tuple[str, ...], tuple[ProfileRecord, ProfileRecord]] = {}
    for hit in hits:
        placed.setdefault(hit.id, hit)
        rival = known.get(hit.conflict_with or "")
        if rival is None or hit.id not in facts or rival.status is not Status.CONFLICT:
            continue
        pairs.setdefault(tuple(sorted((hit.id, rival.id))), (facts[hit.id], rival))
        if question.conditions.wants(Bucket.PROFILE):
            placed.setdefault(rival.id, hit_of(rival, runtime, question.entity.language, score=hit.score))
    kept = list(placed.values())[:limit]
    ids = {hit.id for hit in kept}
    return kept, [pair for pair in pairs.values() if ids & {pair[0].id, pair[1].id}]


def _without_repeats(connection: Connection, question: Question, ranked: list[Ranked], limit: int) -> list[Ranked]:
    """Leave out turns that are the evidence of a fact among the best."""
    facts = [r.sketch.id for r in ranked[:limit] if r.sketch.bucket is Bucket.PROFILE]
    if not facts or not any(r.sketch.kind == TURN for r in ranked):
        return ranked[:limit]
    said = evidence.grounds(connection, question.scope, facts)
    return [r for r in ranked if r.sketch.kind != TURN or (r.sketch.conversation_id, r.sketch.turn) not in said][:limit]
