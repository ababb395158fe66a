"""The words that report an event, read from ``patterns/<language>/events.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field

from easy_data.pipeline.extraction.guards import Guard
from easy_data.pipeline.extraction.matching import expand
from easy_data.schemas.records import Language


class EventSpec(BaseModel):
    """One entry of an event file.

    ``match`` is searched in folded sentences; ``without``, when given, must not be found there. ``dated`` entries count
    only with a date said beside them: in the past, or in the future for plans. ``allow`` names guards that do not stop
    it. ``examples`` and ``counter`` are whole messages, said on 2026-04-14, that must (not) give this type.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    match: str
    without: str = ""
    dated: bool = False
    allow: tuple[Guard, ...] = ()
    examples: tuple[str, ...] = Field(min_length=1)
    counter: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A compiled entry."""

    spec: EventSpec
    match: re.Pattern[str]
    without: re.Pattern[str] | None
    allow: frozenset[Guard]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The event triggers of one language, and what makes a sentence elliptic in it."""

    triggers: tuple[Trigger, ...]
    empty: re.Pattern[str]
    pronoun: re.Pattern[str]


@lru_cache(maxsize=4)
def load_vocabulary(language: Language) -> Vocabulary:
    """Read and compile the event file of one language, once."""
    path = files("easy_data.pipeline.extraction").joinpath("patterns", language, "events.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    words: dict[str, str] = {}
    for name, expression in data["words"].items():
        words[name] = expand(expression, words)
    triggers = []
    for entry in data["event"]:
        spec = EventSpec(**entry)
        triggers.append(
            Trigger(
                spec=spec,
                match=re.compile(expand(spec.match, words), re.IGNORECASE),
                without=re.compile(expand(spec.without, words), re.IGNORECASE) if spec.without else None,
                allow=frozenset(spec.allow),
            )
        )
    ellipsis = data["ellipsis"]
    return Vocabulary(
        triggers=tuple(triggers),
        empty=re.compile(ellipsis["empty"], re.IGNORECASE),
        pronoun=re.compile(ellipsis["pronoun"], re.IGNORECASE),
    )
