"""Cues: what the wording of a query or of a memory says beyond its topics. The words stand in ``cues.toml``."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from easy_data.pipeline.recall.weights import read_rules

_RULES = read_rules("cues.toml")
_WORD = re.compile("[a-z]+")


class TextCue:
    """A cue that is looked for in many texts: English by whole words, Chinese by patterns."""

    def __init__(self, rules: dict[str, list[str]]) -> None:
        self._words = frozenset(rules["words"])
        self._chinese = re.compile("|".join(rules["zh"]))

    def count(self, text: str, words: AbstractSet[str]) -> int:
        """Return how many different words of it ``text`` holds; ``words`` are its ``words_of``."""
        english = len(self._words & words)
        return english if text.isascii() else english + len(self._chinese.findall(text))


def words_of(text: str) -> frozenset[str]:
    """Return the English words of a text in lower case, cut at apostrophes."""
    return frozenset(_WORD.findall(text.lower()))


def _pattern(cue: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for patterns in _RULES[cue].values() for p in patterns), re.IGNORECASE)


ASKS_TASK = _pattern("query_task")
ASKS_PAST = _pattern("query_past")
ASKS_RECENT = _pattern("query_recent")
ASKS_EPISODE = _pattern("query_episode")
ASKS_WHEN = _pattern("query_when")
ASKS_NUMBER = _pattern("query_number")
OF_SELF = _pattern("query_self")
OF_ASSISTANT = _pattern("query_assistant")
NUMBER = TextCue(_RULES["text_number"])
FIRST_PERSON = TextCue(_RULES["text_first_person"])
TIME_WORD = TextCue(_RULES["text_time"])
