"""Ranking: a weighted sum of features over the candidates of one query, with each feature's share kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from easy_data.pipeline.recall.features import Column, Pool, figures, wording
from easy_data.pipeline.recall.question import Question
from easy_data.pipeline.recall.weights import WEIGHTS
from easy_data.schemas.recall import Share
from easy_data.schemas.registry import Registry
from easy_data.stores.repositories.sketches import Sketch

_POINTS = WEIGHTS.points.model_dump()


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate with its score; ``row`` is its place in the ``columns`` of features, worth ``points`` each.

    ``newer`` is the id of a later statement of the same matter, and ``moved`` what that took from the score.
    """

    sketch: Sketch
    score: float
    row: int
    columns: dict[str, Column]
    points: dict[str, float]
    moved: float = 0.0
    newer: str | None = None

    def shares(self) -> tuple[Share, ...]:
        """Return what made the score, feature by feature."""
        values = ((feature, float(column[self.row])) for feature, column in self.columns.items())
        made = [
            (feature, value, self.points[feature] * value)
            for feature, value in values
            if value and self.points[feature]
        ]
        made += [("update", 1.0, self.moved)] if self.moved else []
        # Figures that were computed here need no checking.
        return tuple(
            Share.model_construct(feature=feature, value=round(value, 4), points=round(points, 4))
            for feature, value, points in made
        )


def rank(
    pool: Pool,
    question: Question,
    registry: Registry,
    *,
    recency_weight: float,
    limit: int,
    every: bool = False,
) -> list[Ranked]:
    """Return the best ``limit`` candidates, the best first; equal scores: the newer first, then by id.

    What shares no word with the query, is less alike than the floor and was not named by it, is left out unless
    ``every`` asks for all.
    """
    if not len(pool):
        return []
    points = _POINTS | {"freshness": _POINTS["freshness"] * recency_weight}
    columns = figures(pool, question.reading, registry, question.now)
    score = _sum(columns, points, len(pool))
    alive = (pool.dense >= WEIGHTS.floor.dense) | every
    for feature in {"smoothed_keyword", "named", "task"} & columns.keys():
        alive |= columns[feature] > 0
    first = np.flatnonzero(alive)
    first = first[np.argsort(-score[first], kind="stable")][: max(limit, WEIGHTS.cue_depth)]
    read = [pool.sketches[int(i)] for i in first]
    columns = {name: column[first] for name, column in columns.items()} | wording(read, question.query)
    final = np.round(_sum(columns, points, len(first)), 6).tolist()
    best = sorted(range(len(read)), key=lambda n: (-final[n], -read[n].at.timestamp(), read[n].id))[:limit]
    return [Ranked(read[n], round(final[n], 4), n, columns, points) for n in best]


def _sum(columns: dict[str, Column], points: dict[str, float], length: int) -> Column:
    total = np.zeros(length)
    for feature, column in columns.items():
        total += points[feature] * column
    return total
