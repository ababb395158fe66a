"""Traits of a memory's words: what ranking reads out of a text alone, read once and remembered."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from easy_data.pipeline.recall import cues

SHORT_CHARS = 120
SHORT_QUESTION_CHARS = 100
_WIDE = re.compile("[\u2e80-\U0010ffff]")
_SPEAKER = re.compile(r"^([^\W\d_][\w.'’ -]{0,30})[:：]\s*")


class Traits(NamedTuple):
    """``words`` counts the whole text; the rest leaves out the speaker's name before it, which is ``speaker``."""

    words: float
    speaker: str
    asks_only: float
    short: float
    first_person: float
    time_words: float
    number: float


@lru_cache(maxsize=8_192)
def traits(text: str) -> Traits:
    """Return the traits of a text. A conversation comes back to the same memories: most were read before."""
    named = _SPEAKER.match(text)
    said = text[named.end() :] if named else text
    words, width = cues.words_of(said), _width(said)
    return Traits(
        words=text.count(" ") + 1 if text.isascii() else _width(text) / 5,
        speaker=named.group(1) if named else "",
        asks_only=float(said.rstrip().endswith(("?", "？")) and width < SHORT_QUESTION_CHARS),
        short=max(0.0, 1 - width / SHORT_CHARS) if said else 0.0,
        first_person=float(cues.FIRST_PERSON.count(said, words) > 0),
        time_words=float(min(2, cues.TIME_WORD.count(said, words))),
        number=float(any(map(str.isdigit, said)) or cues.NUMBER.count(said, words) > 0),
    )


def _width(text: str) -> int:
    """Return the length in characters of English text that says about as much."""
    return len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text))
