"""Which waiting changes a query touches: questions an agent can put to the user in passing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from easy_data.schemas.candidates import FOR_REVIEWERS
from easy_data.schemas.recall import Intent
from easy_data.schemas.review import ReviewItem
from easy_data.stores.keywords import terms

MOST = 3
_VALUES = ("attr_value", "summary", "task_id")


def due_questions(query: str, intent: Intent, pending: Sequence[ReviewItem]) -> tuple[ReviewItem, ...]:
    """Return the waiting items, oldest first and at most 3, whose attribute or words the query touches."""
    words = set(terms(query))
    asked = (item for item in pending if item.question and item.reason not in FOR_REVIEWERS)
    return tuple(islice((item for item in asked if _touches(item, intent, words)), MOST))


def _touches(item: ReviewItem, intent: Intent, words: set[str]) -> bool:
    if item.attr_name and item.attr_name in intent.attributes:
        return True
    values = " ".join(str(item.proposed.get(name) or "") for name in _VALUES)
    # Single ideographs are too common to mean a topic.
    return any(len(word) > 1 for word in words.intersection(terms(values)))
