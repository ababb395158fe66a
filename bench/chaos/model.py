"""The scripted chat model: reads what the run's users say, and can be made to fail in the ways models do."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.fixtures.scripted_openai import (
    Reply,
    Request,
    ScriptedOpenAI,
    breaks_off,
    fails,
    hangs,
    says,
    stops_at_limit,
)

_FACTS = (
    ("location", re.compile(r"I live in (\w+)")),
    ("pet", re.compile(r"I have a (dog named \w+)")),
    ("dietary_restriction", re.compile(r"我(不吃\w{2})")),
    ("hobby", re.compile(r"My hobby is (\w+)")),
)
_EVENT = re.compile(r"Yesterday I finished the harbour report \d+|昨天我完成了报告\d+")
TROUBLES = ("429", "500", "hang", "cut", "prose", "foreign", "limit")


class Model:
    """``trouble`` is what is wrong with it now; None when it is well."""

    def __init__(self) -> None:
        self.trouble: str | None = None
        self.server = ScriptedOpenAI(self._answer)

    def _answer(self, request: Request) -> Reply:
        reading = _read(json.loads(request.user)["messages"])
        match self.trouble:
            case "429":
                return fails(429, retry_after="1")
            case "500":
                return fails(500)
            case "hang":
                return hangs()
            case "cut":
                return breaks_off(json.dumps(reading))
            case "prose":
                return says("I am sorry, I would rather tell you a story.")
            case "limit":
                return stops_at_limit(json.dumps(reading)[:-20])
            case "foreign":
                for item in reading["profile"]:
                    item |= {"target_ids": ["00000000-0000-0000-0000-000000000000"]}
        return says(reading)


def _read(messages: list[dict[str, Any]]) -> dict[str, Any]:
    reading: dict[str, Any] = {"profile": [], "events": [], "workspace": []}
    for message in messages:
        if message["role"] != "user":
            continue
        turn, text = message["turn"], message["text"]
        for name, pattern in _FACTS:
            for found in pattern.finditer(text):
                item = {"attr_name": name, "value": found[1], "turn": turn, "quote": found[0]}
                reading["profile"].append(item)
        for found in _EVENT.finditer(text):
            item = {"event_type": "task_completed", "summary": found[0], "turn": turn, "quote": found[0]}
            reading["events"].append(item)
    return reading
