"""The figures of the ranking, read once from ``weights.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

_PACKAGE = "easy_data.pipeline.recall"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Smoothing(_Table):
    """How a turn shares the scores of its neighbours in one conversation."""

    span: int
    decay: float
    words: int


class Scale(_Table):
    """What turns raw scores into units that can be added."""

    keyword: float
    dense: float
    smoothed_dense: float
    conversation_best: int


class Floor(_Table):
    """Below what a candidate is no answer at all."""

    dense: float


class Update(_Table):
    """When memories speak of one matter, so that the newest stands first."""

    among: int
    shared: float


class Points(_Table):
    """Points of each feature, one field a feature."""

    keyword: float
    smoothed_keyword: float
    conversation: float
    dense: float
    smoothed_dense: float
    speaker: float
    role: float
    asks_only: float
    short: float
    number: float
    first_person: float
    time_words: float
    opening: float
    in_range: float
    task: float
    fact: float
    named: float
    replaced: float
    newest: float
    freshness: float


class HalfLife(_Table):
    """Days after which a memory of a bucket is half as fresh."""

    profile: float
    event: float
    workspace: float


class Weights(_Table):
    """All figures of the ranking."""

    pool: int
    cue_depth: int
    smoothing: Smoothing
    scale: Scale
    floor: Floor
    update: Update
    points: Points
    half_life_days: HalfLife


def read_rules(name: str) -> dict[str, dict[str, list[str]]]:
    """Return a rule file of this package: table -> language -> patterns."""
    rules: dict[str, dict[str, list[str]]] = tomllib.loads(files(_PACKAGE).joinpath(name).read_text(encoding="utf-8"))
    return rules


WEIGHTS = Weights.model_validate(tomllib.loads(files(_PACKAGE).joinpath("weights.toml").read_text(encoding="utf-8")))
