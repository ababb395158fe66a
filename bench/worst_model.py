"""What the checks behind a chat model are worth: a scripted model that is as wrong as the labels allow.

    python bench/worst_model.py --cases ../shared/cases/dialogues_dev.jsonl [--right-only] [--alone] [--unguarded]

For each dialogue it answers all the facts that the labels expect and all that they forbid, with real quotes; with
``--right-only`` the expected ones alone. ``--alone`` leaves the patterns out, ``--unguarded`` the guards.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from extraction import predict
from extraction_score import Score

from easy_data.pipeline.extraction import chat_extractor
from tests.fixtures.chat_answers import NOTHING, event, profile, shown
from tests.fixtures.scripted_openai import Request, ScriptedOpenAI

_SENTENCE = re.compile(r"[.!?。！？\n]")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cases", type=Path, required=True, help="labelled dialogues as JSON lines")
    for name, told in (
        ("right-only", "answer nothing wrong"),
        ("alone", "without patterns"),
        ("unguarded", "no guards"),
    ):
        arguments.add_argument(f"--{name}", action="store_true", help=told)
    given = arguments.parse_args()
    cases = [json.loads(line) for line in given.cases.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if given.unguarded:
        chat_extractor.guarded = lambda candidate, _judged, _messages: candidate
    with ScriptedOpenAI(lambda request: answer(request, cases, wrong=not given.right_only)) as server:
        os.environ["EASY_DATA_LLM_BASE_URL"], os.environ["EASY_DATA_LLM_MODEL"] = server.base_url, "scripted"
        os.environ["EASY_DATA_EXTRACTOR"] = "chat" if given.alone else "auto"
        predictions = predict(cases)
    score = Score()
    for found, case in zip(predictions, cases, strict=True):
        score.add(found, case)
    print(*score.table(), sep="\n")


def answer(request: Request, cases: list[dict[str, Any]], *, wrong: bool) -> dict[str, Any]:
    """Return what the labels of the dialogue in the request say, as a model would."""
    said = [line for line in shown(request) if line["role"] == "user"]
    everything = "\n".join(line["text"] for line in said)
    case = next((case for case in cases if _opens(case, everything)), None)
    if case is None:
        return NOTHING
    labels = [*case["expect"]["profile"], *(case.get("forbid", {}).get("profile", []) if wrong else [])]
    events = [
        event(
            " ".join(label["mentions_all"]), turn=line["turn"], quote=quote, happened_at=label.get("happened_on") or ""
        )
        for label in case["expect"]["events"]
        for line, quote in _places(said, label["mentions_all"])
    ]
    return {"profile": [fact for label in labels for fact in _facts(said, label)], "events": events, "workspace": []}


def _opens(case: dict[str, Any], everything: str) -> bool:
    texts = (message.get("content") for message in case["messages"] if message["role"] == "user")
    begun = [text.strip()[:20] for text in texts if isinstance(text, str) and text.strip()]
    return bool(begun) and all(text in everything for text in begun)


def _facts(said: list[dict[str, Any]], label: dict[str, Any]) -> list[dict[str, Any]]:
    if "evidence" in label:
        value = label["value_any"][0]
        return [
            profile(label["attr_name"], value, turn=line["turn"], quote=label["evidence"])
            for line in said
            if label["evidence"] in line["text"]
        ][:1]
    return [
        profile(label["attr_name"], value, turn=line["turn"], quote=quote)
        for value in label["value_any"]
        for line, quote in _places(said, [value])
    ][:1]


def _places(said: list[dict[str, Any]], words: list[str]) -> list[tuple[dict[str, Any], str]]:
    """Return the first line that holds one of the words, and the sentence it stands in."""
    found = [
        (line, sentence.strip())
        for line in said
        for sentence in _SENTENCE.split(line["text"])
        if any(word.casefold() in sentence.casefold() for word in words)
    ]
    return found[:1]


if __name__ == "__main__":
    main()
