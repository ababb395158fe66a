"""What a chat model is asked when it reads a dialogue, and the form of its answer."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from importlib.resources import files
from string import Template
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from easy_data.pipeline.prompts.local_time import local_period
from easy_data.schemas.candidates import Certainty, Change
from easy_data.schemas.records import Language
from easy_data.schemas.registry import Registry

PROMPT_VERSION = "1"

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _lowered(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _as_attitude(value: object) -> object:
    return {"1": "positive", "+1": "positive", "-1": "negative"}.get(str(value).strip(), _lowered(value))


def _as_texts(value: object) -> object:
    return [str(item) for item in value] if isinstance(value, list) else value


def _local_time(value: str) -> str:
    local_period(value)
    return value


Words = Annotated[str, Field(min_length=1)]
LocalTime = Annotated[str, AfterValidator(_local_time)]


class ProfileItem(BaseModel):
    """A lasting attribute of the user."""

    attr_name: Annotated[Words, BeforeValidator(_lowered)]
    value: Words
    polarity: Annotated[Literal["positive", "negative"], BeforeValidator(_as_attitude)] = "positive"
    certainty: Annotated[Certainty, BeforeValidator(_lowered)] = Certainty.STATED
    change: Annotated[Change, BeforeValidator(_lowered)] = Change.NONE
    replaces: str = ""
    turn: int
    quote: str
    # Not asked for; an answer that names memories is passed on and checked where memories are known.
    target_ids: SkipJsonSchema[Annotated[list[str], BeforeValidator(_as_texts)]] = []


class EventItem(BaseModel):
    """Something that happened, was decided, finished or planned."""

    event_type: Annotated[Words, BeforeValidator(_lowered)]
    summary: Words
    happened_at: LocalTime = ""
    happened_until: LocalTime = ""
    time_phrase: str = ""
    certainty: Annotated[Certainty, BeforeValidator(_lowered)] = Certainty.STATED
    turn: int
    quote: str


class WorkspaceItem(BaseModel):
    """A task that is to be taken up again."""

    task_id: Words
    summary: Words
    steps: list[str] = []
    done: list[str] = []
    next: str = ""
    closed: bool = False
    turn: int
    quote: str


class DialogueReading(BaseModel):
    """What one part of a dialogue holds. All three lists are required: an answer without them is not "nothing"."""

    profile: list[ProfileItem]
    events: list[EventItem]
    workspace: list[WorkspaceItem]


def system_prompt(language: Language, registry: Registry) -> str:
    """Return the instructions in ``language``, with the attributes and event types of ``registry``."""
    attributes = "\n".join(
        f"- {attribute.name}: {attribute.label(language)}" + (" (1)" if attribute.cardinality == "one" else "")
        for attribute in registry
    )
    return _instructions(language).substitute(attributes=attributes, event_types=", ".join(registry.event_types))


@cache
def _instructions(language: Language) -> Template:
    return Template(files(__package__).joinpath(f"extract.{language}.txt").read_text(encoding="utf-8"))


def message_line(turn: int, role: str, text: str, **marks: Any) -> str:
    """Return one message as a line of JSON; ``marks`` say when it was said, that it is a part, or only context.

    JSON strings escape quotes and line ends, so no text can end its own message and begin another.
    """
    return json.dumps({"turn": turn, "role": role, **marks, "text": text}, ensure_ascii=False)


def user_prompt(*, ended_at: datetime, time_zone: str, lines: list[str]) -> str:
    """Return the dialogue as one JSON document; ``ended_at`` is local to ``time_zone``."""
    head = json.dumps({"time_zone": time_zone, "ended_at": said_at(ended_at)}, ensure_ascii=False)
    return head[:-1] + ', "messages": [\n' + ",\n".join(lines) + "\n]}"


def said_at(local: datetime) -> str:
    """Return a local time as the model is told it: with the day of the week, which relative dates need."""
    return f"{local.isoformat(timespec='minutes')} {_WEEKDAYS[local.weekday()]}"
