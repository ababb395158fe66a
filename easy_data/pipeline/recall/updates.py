"""Statements of one matter at different times: the newest stands above the older, which are marked.

Turns are kept as they were said, so nothing replaces them. Two that share most of the query's words speak of what the
query asks for; of those the later one is more likely how things stand. A question about the past turns it round; one
that asks when something was, asks for no state, and is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from easy_data.pipeline.recall import cues
from easy_data.pipeline.recall.question import Question
from easy_data.pipeline.recall.rank import Ranked
from easy_data.pipeline.recall.weights import WEIGHTS
from easy_data.schemas.records import Bucket

_ASSISTANT = "assistant"


def newest_first(ranked: Sequence[Ranked], question: Question) -> list[Ranked]:
    """Return the ranked with those of one matter, of the best few, in the order of their conversations' times.

    They share the places and the scores they had; a conversation's own keep their order. ``newer`` of the older ones is
    the id of the newest.
    """
    intent, best = question.reading.intent, list(ranked)
    if intent.since is not None or cues.ASKS_WHEN.search(question.query):
        return best
    places = [place for place, one in enumerate(best[: WEIGHTS.update.among]) if _speaks_of_it(one)]
    spoken: dict[str, float] = {}
    for place in places:
        sketch = best[place].sketch
        spoken[_said_in(best[place])] = max(spoken.get(_said_in(best[place]), 0.0), sketch.at.timestamp())
    if len(spoken) < 2:  # noqa: PLR2004 - there is no other time
        return best
    in_time = sorted((best[place] for place in places), key=lambda one: spoken[_said_in(one)], reverse=True)
    newest = in_time[0]
    if intent.asks_past:
        in_time.sort(key=lambda one: spoken[_said_in(one)])
    scores = [best[place].score for place in places]
    for place, one, score in zip(places, in_time, scores, strict=True):
        is_older = _said_in(one) != _said_in(newest)
        best[place] = replace(one, score=score, moved=score - one.score, newer=newest.sketch.id if is_older else None)
    return best


def _speaks_of_it(one: Ranked) -> bool:
    sketch = one.sketch
    shared = one.columns["keyword"][one.row] / WEIGHTS.scale.keyword
    return sketch.bucket is Bucket.EVENT and sketch.role != _ASSISTANT and bool(shared >= WEIGHTS.update.shared)


def _said_in(one: Ranked) -> str:
    return one.sketch.conversation_id or one.sketch.id
