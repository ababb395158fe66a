"""Cues: what the wording of a query or of a memory says beyond its topics. The words stand in ``cues.toml``."""

from __future__ import annotations

import re

from easy_data.pipeline.recall.weights import read_rules

_RULES = read_rules("cues.toml")


def _pattern(cue: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for patterns in _RULES[cue].values() for p in patterns), re.IGNORECASE)


ASKS_TASK = _pattern("query_task")
ASKS_PAST = _pattern("query_past")
ASKS_RECENT = _pattern("query_recent")
ASKS_EPISODE = _pattern("query_episode")
ASKS_NUMBER = _pattern("query_number")
OF_SELF = _pattern("query_self")
OF_ASSISTANT = _pattern("query_assistant")
HAS_NUMBER = _pattern("text_number")
FIRST_PERSON = _pattern("text_first_person")
TIME_WORD = _pattern("text_time")
