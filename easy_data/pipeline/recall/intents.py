"""What a query asks for, read by rules: attributes, buckets, a time range, a task, the past. No model is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from easy_data.pipeline.extraction.dates import DateMention, find_dates
from easy_data.pipeline.recall import cues
from easy_data.pipeline.recall.weights import read_rules
from easy_data.schemas.recall import Intent
from easy_data.schemas.records import Bucket, Entity, Language
from easy_data.schemas.registry import Registry
from easy_data.schemas.zones import zone_of

_TOPICS = read_rules("topics.toml")
_HAN = re.compile("[\u3400-\u9fff]")
# How far from the day it gives a rough offset such as "two months ago" may lie.
_LOOSE = {"week": timedelta(days=4), "month": timedelta(days=16), "year": timedelta(days=184)}
_BEYOND = ("since", "after", "from", "自", "从")


@dataclass(frozen=True, slots=True)
class Reading:
    """An intent, and the rest of the query that no rule accounts for."""

    intent: Intent
    rest: str
    asks_episode: bool


def read_intent(query: str, entity: Entity, registry: Registry, now: datetime) -> Intent:
    """Return what the query asks for; dates are resolved at ``now`` (aware) in the entity's zone."""
    return read_query(query, entity, registry, now).intent


def read_query(query: str, entity: Entity, registry: Registry, now: datetime) -> Reading:
    """Return the intent of a query, with what of its wording no rule accounts for."""
    language = language_of(query, entity.language)
    attributes: list[str] = []
    told = bytearray(len(query))
    for name, pattern in _patterns(registry):
        matches = list(pattern.finditer(query))
        if matches:
            attributes.append(name)
        for match in matches:
            told[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
    asks_task = cues.ASKS_TASK.search(query) is not None
    since, until = _time_range(query, language, entity, now)
    buckets = [Bucket.PROFILE] if attributes else []
    if since is not None:
        buckets.append(Bucket.EVENT)
    if asks_task:
        buckets.append(Bucket.WORKSPACE)
    intent = Intent(
        language=language,
        attributes=tuple(attributes),
        buckets=tuple(buckets),
        since=since,
        until=until,
        asks_task=asks_task,
        asks_past=cues.ASKS_PAST.search(query) is not None,
        asks_recent=cues.ASKS_RECENT.search(query) is not None,
    )
    rest = "".join(" " if told[i] else char for i, char in enumerate(query))
    return Reading(intent, rest, cues.ASKS_EPISODE.search(query) is not None)


def language_of(text: str, default: Language) -> Language:
    """Return Chinese for a text with an ideograph, English for one with Latin letters, else ``default``."""
    if _HAN.search(text):
        return "zh"
    return "en" if any(char.isascii() and char.isalpha() for char in text) else default


@lru_cache(maxsize=16)
def _patterns(registry: Registry) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each attribute's pattern, the rule file's order first, then the application's own attributes."""
    known = [name for name in _TOPICS if name in registry]
    order = {name: rank for rank, name in enumerate(known)}
    found = []
    for attribute in sorted(registry, key=lambda a: order.get(a.name, len(order))):
        rules = _TOPICS.get(attribute.name, {})
        english = [*rules.get("en", ()), *map(re.escape, attribute.topics.get("en", ()))]
        chinese = [*rules.get("zh", ()), *map(re.escape, attribute.topics.get("zh", ()))]
        if attribute.name not in _TOPICS:
            # An attribute that brought no topics is asked for by its names.
            english += [re.escape(word) for word in {attribute.label("en"), attribute.name.replace("_", " ")}]
            chinese += [re.escape(attribute.labels["zh"])] if attribute.labels.get("zh") else []
        parts = [rf"(?<![A-Za-z])(?:{'|'.join(english)})s?(?![A-Za-z])"] if english else []
        parts += ["|".join(chinese)] if chinese else []
        if parts:
            found.append((attribute.name, re.compile("|".join(parts), re.IGNORECASE)))
    return tuple(found)


def _time_range(
    query: str, language: Language, entity: Entity, now: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return the instants, half-open, that the dates of a query span."""
    mentions = find_dates(query, language, said_at=now, zone=zone_of(entity.time_zone))
    if not mentions:
        return None, None
    first = min(mentions, key=lambda m: m.begins)
    before, phrase = query[: first.start].rstrip().casefold(), first.phrase.casefold()
    if len(mentions) == 1 and first.begins < now and (before.endswith(_BEYOND) or phrase.startswith(_BEYOND)):
        return first.begins, now
    return min(_begin(mention) for mention in mentions), max(_end(mention) for mention in mentions)


def _begin(mention: DateMention) -> datetime:
    return mention.begins - (_LOOSE.get(mention.precision, timedelta(0)) if mention.until is None else timedelta(0))


def _end(mention: DateMention) -> datetime:
    if mention.until is not None:
        return mention.until
    if mention.precision == "instant":
        return mention.begins + timedelta(hours=1)
    return mention.begins + _LOOSE.get(mention.precision, timedelta(days=1))
