"""The hot summary: what is known of an entity in short, made once a version and served without a search.

It is kept with the entity's version and read only while SQL has that version: losing it, or a stale copy of it, costs
time and never truth.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from easy_data.pipeline.recall.context import one_line
from easy_data.pipeline.recall.intents import Reading
from easy_data.pipeline.recall.phrases import fact_text, task_text
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope
from easy_data.schemas.records import Entity, Language, ProfileRecord, WorkspaceRecord
from easy_data.schemas.registry import Registry
from easy_data.stores.database import Connection
from easy_data.stores.keywords import terms
from easy_data.stores.repositories import entities, memories, sketches

MAX_FACTS = 200
MAX_TASKS = 3
MAX_TEXT_CHARS = 800
# Terms of a query beyond its topics from which on it asks for more than an attribute.
SPARE_TERMS = 2
_FORMAT = 1
_OPEN: dict[Language, str] = {"zh": "未完成的任务：", "en": "Unfinished tasks: "}


@dataclass(frozen=True, slots=True)
class HotSummary:
    """``facts`` are dumped records by attribute; ``partial`` names attributes some of whose facts are not here.

    ``only_facts`` tells that the entity has no events and no tasks.
    """

    version: int
    text: str
    facts: dict[str, list[dict[str, Any]]]
    partial: frozenset[str]
    only_facts: bool

    def of(self, attributes: tuple[str, ...]) -> list[ProfileRecord]:
        """Return the facts of these attributes, in their order, the newest first."""
        return [ProfileRecord.model_validate(fact) for name in attributes for fact in self.facts.get(name, ())]

    def answers(self, reading: Reading, registry: Registry, top_k: int) -> bool:
        """Tell if this alone gives what a search would.

        The query must ask for attributes and nothing else: no time, no task, no past, nothing that happened, few
        words besides. All facts of these attributes must be here; and they leave no room for anything else, because
        they fill ``top_k``, or each attribute has but one value, or the entity has no other memories.
        """
        intent = reading.intent
        if not intent.attributes or intent.since or intent.asks_task or intent.asks_past or reading.asks_episode:
            return False
        number = sum(len(self.facts.get(name, ())) for name in intent.attributes)
        if not number or self.partial.intersection(intent.attributes):
            return False
        single = all(registry.get(name).cardinality == "one" and name in self.facts for name in intent.attributes)
        if not (number >= top_k or single or self.only_facts):
            return False
        return len(set(terms(reading.rest))) <= SPARE_TERMS


def build_summary(runtime: Runtime, scope: Scope) -> None:
    """Make the hot summary of an entity from SQL and keep it."""
    with runtime.database.read() as connection:
        entity = entities.find(connection, scope)
        if entity is not None:
            current_summary(runtime, connection, scope, entity)


def current_summary(runtime: Runtime, connection: Connection, scope: Scope, entity: Entity) -> HotSummary:
    """Return the summary of the entity at the version it has in this transaction; made and kept if it is missing."""
    kept = read_summary(runtime, scope, entity.version)
    if kept is not None:
        return kept
    made = _made(runtime, connection, scope, entity)
    if made.only_facts and not made.facts:
        # Of an entity without memories nothing is kept, not even that it was asked for.
        return made
    value = {
        "format": _FORMAT,
        "version": made.version,
        "text": made.text,
        "facts": made.facts,
        "partial": sorted(made.partial),
        "only_facts": made.only_facts,
    }
    runtime.summaries.put(scope.tenant_id, scope.entity_id, json.dumps(value, ensure_ascii=False).encode())
    return made


def read_summary(runtime: Runtime, scope: Scope, version: int) -> HotSummary | None:
    """Return the kept summary if it is of this version, else None."""
    value = runtime.summaries.get(scope.tenant_id, scope.entity_id)
    if value is None:
        return None
    found = json.loads(value)
    if found.get("format") != _FORMAT or found["version"] != version:
        return None
    return HotSummary(
        version=version,
        text=found["text"],
        facts=found["facts"],
        partial=frozenset(found["partial"]),
        only_facts=found["only_facts"],
    )


def summary_text(runtime: Runtime, scope: Scope) -> str:
    """Return the short text of what is known about an entity; "" for one that is unknown."""
    with runtime.database.read() as connection:
        entity = entities.find(connection, scope)
        return "" if entity is None else current_summary(runtime, connection, scope, entity).text


def _made(runtime: Runtime, connection: Connection, scope: Scope, entity: Entity) -> HotSummary:
    facts = memories.profile(connection, scope, limit=MAX_FACTS)
    tasks = memories.tasks(connection, scope, closed=False, limit=MAX_TASKS)
    nothing_else = not tasks and not memories.events_page(connection, scope, limit=1)
    if nothing_else:
        nothing_else = not memories.tasks(connection, scope, limit=1)
    held = Counter(fact.attr_name for fact in facts)
    counts = held if len(facts) < MAX_FACTS else sketches.fact_counts(connection, scope)
    by_attribute: dict[str, list[dict[str, Any]]] = {}
    for fact in facts:
        by_attribute.setdefault(fact.attr_name, []).append(fact.model_dump(mode="json"))
    return HotSummary(
        version=entity.version,
        text=_text(facts, tasks, entity.language, runtime.registry),
        facts=by_attribute,
        partial=frozenset(name for name, number in counts.items() if held.get(name) != number),
        only_facts=nothing_else,
    )


def _text(facts: list[ProfileRecord], tasks: list[WorkspaceRecord], language: Language, registry: Registry) -> str:
    """Return identity first, then the rest in the registry's order, as much as fits, and the open tasks."""
    rank = {a.name: (not a.identity, position) for position, a in enumerate(registry)}
    last = (True, len(rank))
    ordered = sorted(facts, key=lambda f: (rank.get(f.attr_name, last), -f.confidence, f.id))
    stop = "；" if language == "zh" else "; "
    text = ""
    for fact in ordered:
        phrase = one_line(fact_text(fact, registry, language))
        if len(text) + len(phrase) > MAX_TEXT_CHARS:
            break
        text += (stop if text else "") + phrase
    if tasks:
        names = stop.join(one_line(task_text(task, language)) for task in tasks)
        text += ("\n" if text else "") + _OPEN[language] + names
    return text
