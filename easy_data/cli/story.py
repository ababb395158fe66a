"""A story of the demo, as its file says it: scenes with what is said, what is asked, and what must hold afterwards."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from easy_data.schemas.records import Language

LANGUAGES: tuple[Language, ...] = ("zh", "en")
# Stands in an assistant's turn for the question that recall offered last.
QUESTION = "{question}"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Turn(_Part):
    """One turn. ``note`` says what kind of sentence it is, where nothing of it is to be kept."""

    user: str = ""
    assistant: str = ""
    note: str = ""


class Check(_Part):
    """Something that must hold after its scene. ``holds`` says what; see ``checking`` for each."""

    name: str
    holds: Literal[
        "kept",
        "superseded",
        "refused",
        "waiting",
        "settled",
        "recalled",
        "not_recalled",
        "asked",
        "resumable",
        "closed",
    ]
    kind: str = ""
    text: str = ""


class Scene(_Part):
    """A moment of the story: a query that recall answers, then a conversation; either may be missing."""

    title: str
    at: AwareDatetime
    tells: str = ""
    query: str = ""
    turns: tuple[Turn, ...] = Field(default=(), alias="turn")
    checks: tuple[Check, ...] = Field(default=(), alias="check")


class Story(_Part):
    """A whole story of one user, with the words of its captions."""

    language: Language
    title: str
    entity_id: str
    time_zone: str
    words: dict[str, str]
    buckets: dict[str, str]
    fates: dict[str, str]
    reasons: dict[str, str]
    scenes: tuple[Scene, ...] = Field(alias="scene")


def load_story(language: Language) -> Story:
    """Return the story in one language."""
    text = files("easy_data.cli").joinpath("stories", f"{language}.toml").read_text(encoding="utf-8")
    return Story.model_validate(tomllib.loads(text))
