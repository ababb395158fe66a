"""Features: the figures a candidate memory is ranked by, computed for all candidates of one query at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from easy_data.pipeline.recall import cues
from easy_data.pipeline.recall.intents import Reading
from easy_data.pipeline.recall.weights import WEIGHTS
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry
from easy_data.stores.repositories.sketches import Sketch

Column = NDArray[np.float64]

SHORT_CHARS = 120
SHORT_QUESTION_CHARS = 100
CLOSED_TASK = 0.3
RECENT_BOOST = 4.0
_DAY = 86_400.0
_WIDE = re.compile("[\u2e80-\U0010ffff]")
_SPEAKER = re.compile(r"^([^\W\d_][\w.'’ -]{0,30})[:：]\s*")


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one query. ``keyword`` is BM25 (0 without a shared word), ``dense`` cosine similarity."""

    sketches: Sequence[Sketch]
    keyword: Column
    dense: Column

    def __len__(self) -> int:
        return len(self.sketches)


def figures(pool: Pool, reading: Reading, registry: Registry, now: datetime) -> dict[str, Column]:
    """Return the features that need no reading of words, one column each."""
    smoothing = Neighbours(pool.sketches)
    scale = WEIGHTS.scale
    best = scale.keyword
    own = pool.dense - (np.median(pool.dense) if len(pool) else 0.0)
    intent, sketches = reading.intent, pool.sketches
    named = set(intent.attributes)
    fresh = _freshness(sketches, registry, now)
    columns = {
        "keyword": _in_proportion(pool.keyword, best),
        "smoothed_keyword": _in_proportion(smoothing.smoothed(pool.keyword), best),
        "conversation": _in_proportion(smoothing.conversation_score(pool.keyword, scale.conversation_best), best),
        "dense": own / scale.dense,
        "smoothed_dense": smoothing.smoothed(own) / scale.smoothed_dense,
        "fact": np.array([float(s.bucket is Bucket.PROFILE) for s in sketches]),
        "freshness": fresh * (RECENT_BOOST if intent.asks_recent else 1.0),
    }
    if named:
        columns["named"] = np.array([float(s.bucket is Bucket.PROFILE and s.kind in named) for s in sketches])
    if intent.since is not None:
        columns["in_range"] = np.array([_in_range(s, intent.since, intent.until) for s in sketches])
    if intent.asks_task:
        columns["task"] = np.array([_task(s) for s in sketches])
    return columns


def wording(sketches: Sequence[Sketch], query: str) -> dict[str, Column]:
    """Return the features that read the words of events; facts and tasks have none of them."""
    speakers = [_speaker(s) if s.bucket is Bucket.EVENT else "" for s in sketches]
    # An empty text has none of the cues: that is what facts and tasks get.
    texts = [_SPEAKER.sub("", s.text, count=1) if s.bucket is Bucket.EVENT else "" for s in sketches]
    words = [cues.words_of(text) for text in texts]
    named = {name for name in set(speakers) if name and _is_named(name, query)}
    asked_number = cues.ASKS_NUMBER.search(query) is not None
    role = "assistant" if cues.OF_ASSISTANT.search(query) else "user" if cues.OF_SELF.search(query) else ""
    columns = {
        "asks_only": [float(_asks_only(t)) for t in texts],
        "short": [max(0.0, 1 - _width(t) / SHORT_CHARS) if t else 0.0 for t in texts],
        "first_person": [float(cues.FIRST_PERSON.count(t, w) > 0) for t, w in zip(texts, words, strict=True)],
        "time_words": [float(min(2, cues.TIME_WORD.count(t, w))) for t, w in zip(texts, words, strict=True)],
        "opening": [float(s.turn == 0) for s in sketches],
    }
    if len(named) == 1:
        columns["speaker"] = [_side(name, named) for name in speakers]
    if role:
        columns["role"] = [float(s.role == role) for s in sketches]
    if asked_number:
        columns["number"] = [
            float(any(map(str.isdigit, t)) or cues.NUMBER.count(t, w) > 0) for t, w in zip(texts, words, strict=True)
        ]
    return {name: np.array(values) for name, values in columns.items()}


class Neighbours:
    """Who stands near whom: turns of one conversation share their scores with the turns around them.

    An answer often has none of the question's words; the turn before it has them. A turn's score gets
    ``min(1, words / own words) * sum(decay ** distance * score)`` over the neighbours within ``span`` turns.
    """

    def __init__(self, sketches: Sequence[Sketch]) -> None:
        names: dict[str, int] = {}
        self._conversation = np.array(
            [names.setdefault(s.conversation_id, len(names)) if s.conversation_id else -1 for s in sketches], dtype=int
        )
        self._turn = np.array([-1 if s.turn is None else s.turn for s in sketches], dtype=int)
        self._room = np.array([min(1.0, WEIGHTS.smoothing.words / max(1, _words(s.text))) for s in sketches])
        self._order = np.lexsort((self._turn, self._conversation))

    def smoothed(self, scores: Column) -> Column:
        """Return the scores with each turn's share of its neighbours' put in."""
        order, span, decay = self._order, WEIGHTS.smoothing.span, WEIGHTS.smoothing.decay
        conversation, turn, value = self._conversation[order], self._turn[order], scores[order]
        gathered = np.zeros(len(order))
        for step in range(1, min(2 * span, len(order))):
            distance = turn[step:] - turn[:-step]
            near = (conversation[step:] == conversation[:-step]) & (conversation[step:] >= 0)
            near &= (turn[:-step] >= 0) & (distance <= span)
            if not near.any():
                break
            share = np.where(near, decay ** np.clip(distance, 1, span), 0.0)
            gathered[step:] += share * value[:-step]
            gathered[:-step] += share * value[step:]
        neighbours = np.empty(len(order))
        neighbours[order] = gathered
        return scores + self._room * neighbours

    def conversation_score(self, scores: Column, best: int) -> Column:
        """Return for each candidate the mean of the ``best`` highest scores of its conversation; 0 outside one."""
        result = np.zeros(len(scores))
        order = np.lexsort((-scores, self._conversation))
        conversation = self._conversation[order]
        starts = np.flatnonzero(np.r_[True, conversation[1:] != conversation[:-1]])[: len(order)]
        ends = np.r_[starts[1:], len(order)][: len(starts)]
        for start, end in zip(starts, ends, strict=True):
            if conversation[start] >= 0:
                result[order[start:end]] = scores[order[start : min(end, start + best)]].sum() / best
        return result


def _in_proportion(scores: Column, best: float) -> Column:
    highest = float(scores.max()) if len(scores) else 0.0
    return best * scores / highest if highest > 0 else np.zeros(len(scores))


def _in_range(sketch: Sketch, since: datetime, until: datetime | None) -> float:
    return float(sketch.bucket is Bucket.EVENT and sketch.at >= since and (until is None or sketch.at < until))


def _task(sketch: Sketch) -> float:
    if sketch.bucket is not Bucket.WORKSPACE:
        return 0.0
    return CLOSED_TASK if sketch.kind == "closed" else 1.0


def _freshness(sketches: Sequence[Sketch], registry: Registry, now: datetime) -> Column:
    """Return 1 for what is of now and for identity, half of it after each half-life of the bucket."""
    half_lives = WEIGHTS.half_life_days.model_dump()
    ages = np.array([max(0.0, (now - s.at).total_seconds() / _DAY) / half_lives[s.bucket] for s in sketches])
    ageless = [s.bucket is Bucket.PROFILE and s.kind in registry and registry.get(s.kind).identity for s in sketches]
    return np.where(ageless, 1.0, 0.5**ages)


def _speaker(sketch: Sketch) -> str:
    if sketch.speaker:
        return sketch.speaker
    found = _SPEAKER.match(sketch.text)
    return found.group(1) if found else ""


def _side(speaker: str, named: set[str]) -> float:
    if not speaker:
        return 0.0
    return 1.0 if speaker in named else -1.0


def _is_named(speaker: str, query: str) -> bool:
    name = re.escape(speaker)
    return re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", query, re.IGNORECASE) is not None


def _asks_only(text: str) -> bool:
    return text.rstrip().endswith(("?", "？")) and _width(text) < SHORT_QUESTION_CHARS


def _width(text: str) -> int:
    """Return the length in characters of English text that says about as much."""
    return len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text))


def _words(text: str) -> float:
    return text.count(" ") + 1 if text.isascii() else _width(text) / 5
