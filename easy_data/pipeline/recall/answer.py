"""Recall: from a query to the few memories that matter for it, and the block for the prompt.

No model is called but the one that embeds the query. Without the index the memories come from SQL; without the
embedding they are found by their words; the context says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from time import perf_counter

from easy_data.pipeline.recall.budget import fitting
from easy_data.pipeline.recall.context import Parts, render
from easy_data.pipeline.recall.gathering import ask_index, gather, gather_these
from easy_data.pipeline.recall.intents import language_of, read_query
from easy_data.pipeline.recall.question import Conditions, Question
from easy_data.pipeline.recall.questions import due_questions
from easy_data.pipeline.recall.selecting import hit_of, select, with_rivals
from easy_data.pipeline.recall.summary import HotSummary, current_summary
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import InputError
from easy_data.schemas.ids import Scope, checked_name, new_id
from easy_data.schemas.recall import MAX_TOP_K, Context, MemoryHit, RecallRequest, ServedFrom
from easy_data.schemas.records import Bucket
from easy_data.stores.database import Connection
from easy_data.stores.repositories import entities, memories, reviews

# Of a longer query the end counts: people paste first and ask last.
MAX_QUERY_CHARS = 4_000
OPEN_TASKS = 5


def recall(request: RecallRequest, runtime: Runtime) -> Context:
    """Return the memories that matter for a query and the block for the prompt.

    An empty query, a ``top_k`` or budget of 0 and an entity that is not known give an empty context. Raises
    ``InputError`` for a range that ends before it begins or an event type that is not registered; ``StoreError`` when
    SQL cannot be read.
    """
    started, watch = runtime.clock.now(), perf_counter()
    scope = runtime.scope(checked_name(request.entity_id, field="entity_id"))
    conditions = _conditions(request, runtime)
    query, top_k = _clean(request.query), _clamped(request.top_k)
    with runtime.database.read() as connection:
        entity = entities.find(connection, scope)
        if entity is None or not query or top_k == 0 or (request.budget is not None and request.budget <= 0):
            language = entity.language if entity else language_of(query, runtime.newcomer(scope.entity_id).language)
            return Context(entity_id=scope.entity_id, language=language)
        asked_at = request.as_of or started
        question = Question(entity, query, read_query(query, entity, runtime.registry, asked_at), asked_at, conditions)
        summary = current_summary(runtime, connection, scope, entity)
        hot = _from_summary(summary, question, runtime, top_k)
        if hot:
            context = _context(runtime, connection, question, hot, request)
            return _noted(runtime, context, summary, request, "hot", (), watch)
    found = ask_index(runtime, question)
    with runtime.database.read() as connection:
        gathered = gather(runtime, connection, question, found)
        hits = select(runtime, connection, question, gathered, limit=top_k)
        context = _context(runtime, connection, question, hits, request)
    served: ServedFrom = "sql" if "index" in gathered.degraded else "full"
    return _noted(runtime, context, summary, request, served, gathered.degraded, watch)


def search(  # noqa: PLR0913 - one keyword a condition
    runtime: Runtime,
    scope: Scope,
    query: str,
    *,
    buckets: tuple[Bucket, ...] = (),
    kinds: tuple[str, ...] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 10,
) -> list[MemoryHit]:
    """Return the memories that fit a query best; ``kinds`` are attribute names, event types, "open" or "closed".

    ``limit`` is clamped to 0..100; ``since`` and ``until`` are aware and half-open. An empty query finds nothing.
    Raises ``InputError`` for a reversed range.
    """
    conditions = Conditions(buckets, kinds, since, until)
    _check_range(conditions)
    question = _asked(runtime, scope, query, conditions)
    if question is None or _clamped(limit) == 0:
        return []
    found = ask_index(runtime, question)
    with runtime.database.read() as connection:
        gathered = gather(runtime, connection, question, found)
        return select(runtime, connection, question, gathered, limit=_clamped(limit))


def rerank(runtime: Runtime, scope: Scope, query: str, hits: Sequence[MemoryHit]) -> list[MemoryHit]:
    """Return the hits of several searches in one order, each once; what is no longer live is left out."""
    given = {hit.id: hit for hit in hits}
    question = _asked(runtime, scope, query, Conditions())
    if question is None or not given:
        return list(given.values())
    found = ask_index(runtime, question)
    with runtime.database.read() as connection:
        gathered = gather_these(runtime, connection, question, found, list(given))
        return select(runtime, connection, question, gathered, limit=len(given), every=True)


def _asked(runtime: Runtime, scope: Scope, query: str, conditions: Conditions) -> Question | None:
    """Return the question, or None when nothing is asked or nobody is known by that name."""
    words, now = _clean(query), runtime.clock.now()
    with runtime.database.read() as connection:
        entity = entities.find(connection, scope)
    if entity is None or not words:
        return None
    return Question(entity, words, read_query(words, entity, runtime.registry, now), now, conditions)


def _from_summary(summary: HotSummary, question: Question, runtime: Runtime, top_k: int) -> list[MemoryHit]:
    """Return the named facts when the summary alone answers the question, else nothing."""
    if question.conditions not in (Conditions(), Conditions(buckets=(Bucket.PROFILE,))):
        return []
    if not summary.answers(question.reading, runtime.registry, top_k):
        return []
    facts = summary.of(question.reading.intent.attributes)
    return [hit_of(fact, runtime, question.entity.language, score=fact.confidence) for fact in facts[:top_k]]


def _context(
    runtime: Runtime, connection: Connection, question: Question, hits: list[MemoryHit], request: RecallRequest
) -> Context:
    """Put together what goes into the prompt, as much as the budget allows: memories first, then tasks, questions."""
    entity, intent = question.entity, question.reading.intent
    hits, disputed = with_rivals(runtime, connection, question, hits, limit=_clamped(request.top_k))
    tasks: list[MemoryHit] = []
    if intent.asks_task and question.conditions.wants(Bucket.WORKSPACE) and question.conditions.as_of is None:
        suspended = memories.tasks(connection, question.scope, closed=False, limit=OPEN_TASKS)
        tasks = [hit_of(task, runtime, entity.language, score=0.0) for task in suspended]
    questions = due_questions(question.query, intent, reviews.pending(connection, question.scope))

    def first(number: int) -> Parts:
        in_hits, in_tasks = hits[:number], tasks[: max(0, number - len(hits))]
        ids = {hit.id for hit in in_hits}
        pairs = [pair for pair in disputed if ids & {pair[0].id, pair[1].id}]
        return Parts(in_hits, in_tasks, pairs, questions[: max(0, number - len(hits) - len(tasks))])

    every = len(hits) + len(tasks) + len(questions)
    number = fitting(every, request.budget, lambda count: render(entity, runtime.registry, first(count)))
    parts = first(number)
    return Context(
        entity_id=entity.entity_id,
        language=entity.language,
        text=render(entity, runtime.registry, parts),
        memories=tuple(parts.hits),
        open_tasks=tuple(parts.tasks),
        questions=tuple(parts.questions),
        conflicts=tuple((one.id, other.id) for one, other in parts.disputed),
        intent=intent,
    )


def _noted(
    runtime: Runtime,
    context: Context,
    summary: HotSummary,
    request: RecallRequest,
    served: ServedFrom,
    degraded: tuple[str, ...],
    watch: float,
) -> Context:
    """Complete the context and write the recall down: ids and scores, no text."""
    recall_id = new_id()
    took_ms = (perf_counter() - watch) * 1000
    nothing = not (context.memories or context.open_tasks or context.questions)
    done = context.model_copy(
        update={
            "summary": summary.text,
            "served_from": "empty" if nothing and not degraded else served,
            "degraded": degraded,
            "took_ms": took_ms,
            "recall_id": recall_id,
        }
    )
    runtime.recalls.add(
        runtime.scope(context.entity_id),
        recall_id=recall_id,
        at=runtime.clock.now(),
        query_sha256=hashlib.sha256(request.query.encode("utf-8", "surrogatepass")).hexdigest(),
        served_from=done.served_from,
        degraded=degraded,
        hits=[
            {"id": hit.id, "score": hit.score, "bucket": hit.bucket.value} for hit in (*done.memories, *done.open_tasks)
        ],
        took_ms=took_ms,
    )
    return done


def _conditions(request: RecallRequest, runtime: Runtime) -> Conditions:
    kinds = tuple(runtime.registry.checked_event_type(name) for name in request.event_types)
    buckets = request.buckets
    if kinds and Bucket.EVENT in (buckets or (Bucket.EVENT,)):
        buckets = (Bucket.EVENT,)
    conditions = Conditions(
        tuple(dict.fromkeys(buckets)), kinds, request.since, request.until, request.routes, request.as_of
    )
    _check_range(conditions)
    return conditions


def _check_range(conditions: Conditions) -> None:
    if conditions.since is not None and conditions.until is not None and conditions.since > conditions.until:
        raise InputError("must not be before since", field="until")


def _clean(query: str) -> str:
    """Return the query without what no store or model takes, at most its last 4,000 characters."""
    return query[-MAX_QUERY_CHARS:].encode("utf-8", "ignore").decode().replace("\x00", " ").strip()


def _clamped(number: int) -> int:
    return max(0, min(number, MAX_TOP_K))
