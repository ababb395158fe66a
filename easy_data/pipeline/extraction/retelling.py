"""Tells when an event is told again in the same dialogue."""

from __future__ import annotations

import re
from itertools import pairwise

from easy_data.pipeline.extraction.clauses import fold
from easy_data.schemas.candidates import Candidate

# Of the content of the shorter of two reports, how much the longer one must hold to be the same event.
SAME_EVENT_SHARE = 0.6
# Among how many of the last events a retelling is looked for.
RETOLD_WITHIN = 30
_NEGATED = re.compile(r"\b(?:not|no|never|cannot|no longer)\b|n't\b|不|没|未|禁", re.IGNORECASE)


def add_event(events: list[Candidate], event: Candidate) -> None:
    """Add an event, or complete the one already told that it repeats."""
    for place in range(len(events) - 1, max(-1, len(events) - 1 - RETOLD_WITHIN), -1):
        known = events[place]
        if known.event_type == event.event_type and _same_day(known, event) and _same_words(known, event):
            fuller = event if event.happened_at and not known.happened_at else known
            longer = max((known, event), key=lambda e: len(e.summary))
            events[place] = fuller.model_copy(update={"summary": longer.summary})
            return
    events.append(event)


def _same_day(one: Candidate, other: Candidate) -> bool:
    return one.happened_at is None or other.happened_at is None or one.happened_at == other.happened_at


def _same_words(one: Candidate, other: Candidate) -> bool:
    """Tell if one says nearly all the other does; numbers that differ, or a negation, make them two events."""
    if (_NEGATED.search(one.summary) is None) != (_NEGATED.search(other.summary) is None):
        return False
    numbers, others = set(re.findall(r"\d+", one.summary)), set(re.findall(r"\d+", other.summary))
    if not (numbers <= others or others <= numbers):
        return False
    first, second = _words(one.summary), _words(other.summary)
    shared = len(first & second)
    return shared >= SAME_EVENT_SHARE * max(1, min(len(first), len(second)))


def _words(text: str) -> set[str]:
    folded = fold(text).casefold()
    ideographs = re.findall(r"[\u3400-\u9fff]", folded)
    return {a + b for a, b in pairwise(ideographs)} | set(re.findall(r"[a-z]{3,}", folded))
