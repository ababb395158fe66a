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
from easy_data.pipeline.recall.traits import traits
from easy_data.pipeline.recall.weights import WEIGHTS
from easy_data.schemas.records import Bucket, Status
from easy_data.schemas.registry import Registry
from easy_data.stores.repositories.sketches import Sketch

Column = NDArray[np.float64]

CLOSED_TASK = 0.3
RECENT_BOOST = 4.0
_DAY = 86_400.0
_HALF_LIVES = {Bucket(name): days * _DAY for name, days in WEIGHTS.half_life_days.model_dump().items()}


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
    keyword = _in_proportion(pool.keyword, best)
    columns = {
        "keyword": keyword,
        "smoothed_keyword": _in_proportion(smoothing.smoothed(pool.keyword), best),
        "conversation": _in_proportion(smoothing.conversation_score(pool.keyword, scale.conversation_best), best),
        "dense": own / scale.dense,
        "smoothed_dense": smoothing.smoothed(own) / scale.smoothed_dense,
        "fact": np.array([s.bucket is Bucket.PROFILE for s in sketches], dtype=float),
        "freshness": fresh * (RECENT_BOOST if intent.asks_recent else 1.0),
    }
    if named:
        columns["named"] = np.array([float(s.bucket is Bucket.PROFILE and s.kind in named) for s in sketches])
    if intent.asks_past:
        columns["replaced"] = np.array([s.status is Status.SUPERSEDED for s in sketches], dtype=float)
    if intent.since is None:
        columns["newest"] = _newest(sketches, keyword >= WEIGHTS.update.shared * best)
    else:
        columns["in_range"] = np.array([_in_range(s, intent.since, intent.until) for s in sketches])
    if intent.asks_task:
        columns["task"] = np.array([_task(s) for s in sketches])
    return columns


def wording(sketches: Sequence[Sketch], query: str) -> dict[str, Column]:
    """Return the features that read the words of events; facts and tasks have none of them."""
    # An empty text has none of the cues: that is what facts and tasks get.
    read = [traits(s.text if s.bucket is Bucket.EVENT else "") for s in sketches]
    speakers = [s.speaker or t.speaker for s, t in zip(sketches, read, strict=True)]
    named = {name for name in set(speakers) if name and _is_named(name, query)}
    role = "assistant" if cues.OF_ASSISTANT.search(query) else "user" if cues.OF_SELF.search(query) else ""
    columns = {
        "asks_only": [t.asks_only for t in read],
        "short": [t.short for t in read],
        "first_person": [t.first_person for t in read],
        "time_words": [t.time_words for t in read],
        "opening": [float(s.turn == 0) for s in sketches],
    }
    if len(named) == 1:
        columns["speaker"] = [_side(name, named) for name in speakers]
    if role:
        columns["role"] = [float(s.role == role) for s in sketches]
    if cues.ASKS_NUMBER.search(query):
        columns["number"] = [t.number for t in read]
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
        words = np.array([traits(s.text).words for s in sketches])
        self._room: Column = np.minimum(1.0, WEIGHTS.smoothing.words / np.maximum(1.0, words))
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
        if not len(scores):
            return scores
        order = np.lexsort((-scores, self._conversation))
        conversation = self._conversation[order]
        first = np.r_[True, conversation[1:] != conversation[:-1]]
        group = np.cumsum(first) - 1
        place = np.arange(len(order)) - np.flatnonzero(first)[group]
        means = np.bincount(group, weights=np.where(place < best, scores[order], 0.0)) / best
        result: Column = np.empty(len(scores))
        result[order] = np.where(conversation >= 0, means[group], 0.0)
        return result


def _in_proportion(scores: Column, best: float) -> Column:
    highest = float(scores.max()) if len(scores) else 0.0
    return best * scores / highest if highest > 0 else np.zeros(len(scores))


def _newest(sketches: Sequence[Sketch], shared: NDArray[np.bool_]) -> Column:
    """Return for events that share most of the query's words where they lie between the oldest, 0, and the newest, 1.

    Nothing depends on how long ago all of it is.
    """
    of_it = shared & np.array([s.bucket is Bucket.EVENT for s in sketches], dtype=bool)
    at = np.array([s.at.timestamp() for s in sketches])
    if not of_it.any() or at[of_it].min() == at[of_it].max():
        return np.zeros(len(sketches))
    first, last = at[of_it].min(), at[of_it].max()
    return np.where(of_it, (at - first) / (last - first), 0.0)


def _in_range(sketch: Sketch, since: datetime, until: datetime | None) -> float:
    return float(sketch.bucket is Bucket.EVENT and sketch.at >= since and (until is None or sketch.at < until))


def _task(sketch: Sketch) -> float:
    if sketch.bucket is not Bucket.WORKSPACE:
        return 0.0
    return CLOSED_TASK if sketch.kind == "closed" else 1.0


def _freshness(sketches: Sequence[Sketch], registry: Registry, now: datetime) -> Column:
    """Return 1 for what is of now and for identity, half of it after each half-life of the bucket."""
    moment = now.timestamp()
    ages = np.array([(moment - s.at.timestamp()) / _HALF_LIVES[s.bucket] for s in sketches])
    ageless = [s.bucket is Bucket.PROFILE and s.kind in registry and registry.get(s.kind).identity for s in sketches]
    return np.where(ageless, 1.0, 0.5 ** np.maximum(ages, 0.0))


def _side(speaker: str, named: set[str]) -> float:
    if not speaker:
        return 0.0
    return 1.0 if speaker in named else -1.0


def _is_named(speaker: str, query: str) -> bool:
    name = re.escape(speaker)
    return re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", query, re.IGNORECASE) is not None
