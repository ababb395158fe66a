"""Archive: what an entity finished in a local month becomes one ``monthly_review`` event.

Finished are completed tasks, decisions and closed workspaces. Each belongs to the one local month in which it was
finished, so none stands in two reviews; one that arrives after its month was reviewed is put into that month's review
by the next archive, so none stands in no review. The sources stay readable. A review that a person ended or corrected
stays as the person left it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from easy_data.pipeline.entity_write import EntityWrite
from easy_data.pipeline.extraction.local_calendar import add_months, local_day
from easy_data.pipeline.maintenance.effect import ACTOR, Effect, cause_of
from easy_data.pipeline.maintenance.windows import Window, day_begins, month_name
from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.steps.settle import content_key
from easy_data.pipeline.wording import plain
from easy_data.schemas.ids import Scope
from easy_data.schemas.maintenance import Job
from easy_data.schemas.records import (
    LIVE_STATUSES,
    EventRecord,
    Evidence,
    Language,
    Revision,
    WorkspaceRecord,
)
from easy_data.schemas.registry import DERIVED_EVENTS
from easy_data.schemas.zones import zone_of
from easy_data.stores.database import Connection
from easy_data.stores.repositories import evidence, history, memories, timeline
from easy_data.stores.repositories.evidence import Ground
from easy_data.stores.repositories.history import Cause

FINISHED_EVENTS = ("task_completed", "decision_made")
MOST_TASKS = 10_000
MAX_SUMMARY_CHARS = 2000
SOURCE = "archive"
(REVIEW,) = DERIVED_EVENTS

Matter = EventRecord | WorkspaceRecord


@dataclass(frozen=True, slots=True)
class Wording:
    """How a review reads: its beginning, what stands between two matters, and its end when not all fit."""

    begins: str
    between: str
    rest: str


_WORDING: dict[Language, Wording] = {
    "zh": Wording("{month.year}年{month.month}月完成的事：", "；", "……共{number}项"),
    "en": Wording("Finished in {month:%B} {month.year}: ", "; ", "; ... {number} in all"),
}


def archive(write: EntityWrite, window: Window, runtime: Runtime) -> Effect:
    """Bring the reviews of this month and the months before up to what was finished in them."""
    del runtime
    zone = zone_of(write.entity.time_zone)
    months: dict[str, list[Matter]] = {}
    firsts: dict[str, date] = {}
    for finished_at, matter in _finished(write, until=window.end):
        first = local_day(finished_at, zone).replace(day=1)
        firsts[month_name(first)] = first
        months.setdefault(month_name(first), []).append(matter)
    reviews = {_month(r): r for r in _reviews(write.connection, write.scope) if _month(r) <= window.name}
    effect = Effect()
    for name in sorted(months.keys() | reviews.keys()):
        matters, review = months.get(name, []), reviews.get(name)
        if review is None:
            record = _made(write, firsts[name], matters)
            # Words that the user had erased do not come back from what they were made of.
            if history.buried_at(write.connection, write.scope, content_key(record)) is None:
                ground = Ground(quote="", said_at=write.now, extractor=SOURCE)
                made = write.create(record, ground, cause_of(Job.ARCHIVE, window))
                effect.add("reviews", made.id)
                effect.add("archived", number=len(matters))
        elif review.source == SOURCE and review.status in LIVE_STATUSES:
            _renew(write, review, matters, cause_of(Job.ARCHIVE, window), effect)
    return effect


def forget_sources(write: EntityWrite, memory_ids: Collection[str]) -> None:
    """Take erased memories out of the reviews made of them, and their words out of those reviews' histories."""
    for review in _reviews(write.connection, write.scope):
        left = [source for source in _sources(review) if source not in memory_ids]
        if len(left) == len(_sources(review)):
            continue
        found = {m.id: m for m in memories.load(write.connection, write.scope, left)}
        matters = [m for i in left if isinstance(m := found.get(i), EventRecord | WorkspaceRecord)]
        if review.source != SOURCE or review.status not in LIVE_STATUSES:
            matters = []
        _renew(write, review, matters, Cause(Job.ARCHIVE.value, ACTOR, {}), Effect())
        history.blank(write.connection, write.scope, [review.id])


def _renew(write: EntityWrite, review: EventRecord, matters: Sequence[Matter], cause: Cause, effect: Effect) -> None:
    """Make a review say these matters; with none left, it goes."""
    if not matters:
        write.remove(review, cause)
        evidence.remove_memories(write.connection, write.scope, [review.id])
        effect.add("reviews", review.id)
        return
    first = date.fromisoformat(f"{_month(review)}-01")
    made = _made(write, first, matters)
    changes: dict[str, object] = {"summary": made.summary, "payload": made.payload, "confidence": made.confidence}
    if any(getattr(review, name) != value for name, value in changes.items()):
        new = set(_sources(made)) - set(_sources(review))
        write.change(review, changes, cause)
        effect.add("reviews", review.id)
        effect.add("archived", number=len(new))


def _made(write: EntityWrite, first: date, matters: Sequence[Matter]) -> EventRecord:
    """Return the review of a month: it spans the month, and is as sure as the least sure of its matters."""
    zone = zone_of(write.entity.time_zone)
    return EventRecord(
        entity_id=write.scope.entity_id,
        event_type=REVIEW,
        summary=summary_of(first, [plain(matter) for matter in matters], write.entity.language),
        payload={"month": month_name(first), "sources": [matter.id for matter in matters]},
        happened_at=day_begins(first, zone),
        happened_until=day_begins(add_months(first, 1), zone),
        source=SOURCE,
        confidence=min(matter.confidence for matter in matters),
    )


def summary_of(month: date, texts: Sequence[str], language: Language) -> str:
    """Return what was finished in a month as one line, in the order it was finished; it says when not all fit."""
    words = _WORDING[language]
    line = words.begins.format(month=month)
    for place, text in enumerate(texts):
        item = (words.between if place else "") + " ".join(text.split()).rstrip(".。;；")
        if place and len(line) + len(item) > MAX_SUMMARY_CHARS:
            return line + words.rest.format(number=len(texts))
        line += item
    return line


def _finished(write: EntityWrite, *, until: datetime) -> list[tuple[datetime, Matter]]:
    """Return what was finished before ``until`` with the instant it was, in that order."""
    found: list[tuple[datetime, Matter]] = [
        (event.happened_at, event)
        for event in timeline.of_types(write.connection, write.scope, FINISHED_EVENTS, until=until)
        if event.happened_at is not None
    ]
    tasks = memories.tasks(write.connection, write.scope, closed=True, limit=MOST_TASKS)
    ids = [task.id for task in tasks]
    behind = evidence.of_memories(write.connection, write.scope, ids)
    changes = history.of_memories(write.connection, write.scope, ids)
    for task in tasks:
        closed_at = _closed_at(task, behind.get(task.id, []), changes.get(task.id, []))
        if closed_at is not None and closed_at < until:
            found.append((closed_at, task))
    return sorted(found, key=lambda item: (item[0], item[1].id))


def _closed_at(task: WorkspaceRecord, behind: Iterable[Evidence], changes: Sequence[Revision]) -> datetime | None:
    """Return when a task was closed: when it was said, or for an application's own closing when that came in."""
    closing = next((change for change in reversed(changes) if change.action == "close"), None)
    if closing is None:
        return task.updated_at
    if "conversation" in closing.cause:
        return max((item.said_at for item in behind), default=closing.at)
    return closing.at


def _reviews(connection: Connection, scope: Scope) -> list[EventRecord]:
    """Return the reviews this job made, and what people made of them, in any state; a live one last in its month."""
    found = [r for r in timeline.of_types(connection, scope, DERIVED_EVENTS, statuses=()) if _sources(r) and _month(r)]
    return sorted(found, key=lambda review: review.status in LIVE_STATUSES)


def _month(review: EventRecord) -> str:
    month: Any = review.payload.get("month")
    return month if isinstance(month, str) else ""


def _sources(review: EventRecord) -> list[str]:
    sources: Any = review.payload.get("sources")
    return [str(source) for source in sources] if isinstance(sources, list) else []
