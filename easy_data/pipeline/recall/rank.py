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


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate with its score and what made it."""

    sketch: Sketch
    score: float
    shares: tuple[Share, ...]


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
    points = WEIGHTS.points.model_dump()
    points["freshness"] *= recency_weight
    columns = figures(pool, question.reading, registry, question.now)
    score = _sum(columns, points, len(pool))
    alive = (pool.keyword > 0) | (pool.dense >= WEIGHTS.floor.dense)
    alive |= (columns["named"] > 0) | (columns["task"] > 0) | (columns["smoothed_keyword"] > 0) | every
    first = [int(i) for i in np.argsort(-score, kind="stable") if alive[i]][: max(limit, WEIGHTS.cue_depth)]
    read = [pool.sketches[i] for i in first]
    read_columns = wording(read, question.query)
    final = score[first] + _sum(read_columns, points, len(first))
    best = sorted(range(len(first)), key=lambda n: (-round(float(final[n]), 9), -read[n].at.timestamp(), read[n].id))[
        :limit
    ]
    return [
        Ranked(
            read[n],
            round(float(final[n]), 4),
            _shares(columns, first[n], points) + _shares(read_columns, n, points),
        )
        for n in best
    ]


def _sum(columns: dict[str, Column], points: dict[str, float], length: int) -> Column:
    total = np.zeros(length)
    for feature, column in columns.items():
        total += points[feature] * column
    return total


def _shares(columns: dict[str, Column], row: int, points: dict[str, float]) -> tuple[Share, ...]:
    return tuple(
        Share(
            feature=feature,
            value=round(float(column[row]), 4),
            points=round(points[feature] * float(column[row]), 4),
        )
        for feature, column in columns.items()
        if column[row]
    )
