"""Scores what extraction found in labelled dialogues: by kind and language, with a line for each error.

A label of profile names an attribute and the spellings that are accepted; a fact is right when attribute and spelling
fit, wrong when no label does, and neither when the dialogue tolerates it (``optional``). An event is found when its
summary holds all the words of the label and its local date is the label's. A task is found by one of its words, and
open or closed as labelled. What ``forbid`` names must be nowhere.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]

_SHORT = 3  # ASCII spellings up to here must be words of their own: "R" is not in "Rust"
# A value that says the negation itself is not what was forbidden for being negated.
_NEGATED = frozenset({"negated", "corrected", "outdated"})
_NEGATION = re.compile(
    r"不|没|沒|無|无(?!敌|比)|未(?!来)|忌|避|讨厌|討厭|反感|怕|过敏|過敏|戒|拒|免|以前|曾|原来|原來|过去|過去|改为|改為"
    r"|(?<![特分区级性區級])[别別]|n['’]t\b|\b(?:no|not|non|none|never|without|avoid\w*|dislik\w*|hat(?:e|es|ed|ing)"
    r"|loath\w*|free|quit|stop\w*|former\w*|used to|previous\w*|except|allerg\w*|instead|rather than|anti|ban\w*"
    r"|omit\w*|skip\w*|refus\w*|in the past|unmarried|moved from|switched from|changed from|left)\b"
)
FIGURES = (
    ("profile P", "right", "counted"),
    ("R", "found", "facts"),
    ("F1", "", ""),
    ("events R", "events found", "events"),
    ("tasks R", "tasks found", "tasks"),
    ("review R", "review found", "review"),
)


@dataclass(slots=True)
class Score:
    """Counts of all dialogues and of each group of them, and what was wrong in which dialogue."""

    groups: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    errors: list[tuple[str, str]] = field(default_factory=list)

    def add(self, found: Row, case: Row) -> None:
        """Count one dialogue: what was found in it, and its labels."""
        counts: Counter[str] = Counter(dialogues=1)
        problems = [*_profile(found, case, counts), *_events(found, case, counts), *_tasks(found, case, counts)]
        problems += [*_review(found, case, counts), *_forbidden_texts(found, case, counts)]
        for group in ("all", f"language {case['lang']}", f"kind {case['kind']}"):
            self.groups[group] += counts
        self.errors += [(case["id"], problem) for problem in problems]

    def table(self) -> Iterator[str]:
        """Yield the lines of a table: all, each language, each kind."""
        names = sorted(self.groups, key=lambda name: (name != "all", not name.startswith("language"), name))
        head = "".join(f"{title:>11}" for title, _, _ in FIGURES)
        yield f"{'':<34}{'dialogues':>10}{head}{'forbidden':>11}{'wrong':>7}"
        for name in names:
            counts = self.groups[name]
            shown = "".join(f"{_shown(value):>11}" for value in figures(counts))
            wrong = counts["counted"] - counts["right"]
            yield f"{name:<34}{counts['dialogues']:>10}{shown}{counts['forbidden']:>11}{wrong:>7}"


def figures(counts: Counter[str]) -> list[float | None]:
    """Return the figures of one group, in the order of ``FIGURES``; None where nothing was to be found."""
    values = [counts[part] / counts[whole] if counts[whole] else None for _, part, whole in FIGURES if whole]
    precision, recall = values[:2]
    both = (precision or 0) + (recall or 0)
    f1 = None if precision is None or recall is None else 2 * precision * recall / both if both else 0.0
    return [precision, recall, f1, *values[2:]]


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _profile(found: Row, case: Row, counts: Counter[str]) -> Iterator[str]:
    labels, forbidden = case["expect"]["profile"], case.get("forbid", {}).get("profile", [])
    tolerated = case.get("optional", {}).get("profile", [])
    right = []
    for fact in found["profile"]:
        broken = next((label for label in forbidden if _breaks(fact, label)), None)
        if broken is not None:
            yield f"FORBIDDEN {fact['attr_name']} = {fact['attr_value']} ({broken.get('why')})"
        elif any(_fits(fact, label) for label in labels):
            right.append(fact)
        elif any(_fits(fact, label) for label in tolerated):
            continue
        else:
            yield f"WRONG {fact['attr_name']} = {fact['attr_value']}"
        counts["counted"] += 1
        counts["forbidden"] += broken is not None
    counts["right"] += len(right)
    yield from _missed(right, labels, counts, ("found", "facts"))


def _review(found: Row, case: Row, counts: Counter[str]) -> Iterator[str]:
    yield from _missed(found["review"], case["expect"]["review"], counts, ("review found", "review"))


def _missed(facts: list[Row], labels: list[Row], counts: Counter[str], names: tuple[str, str]) -> Iterator[str]:
    counts[names[1]] += len(labels)
    for label in labels:
        if any(_fits(fact, label) for fact in facts):
            counts[names[0]] += 1
        else:
            yield f"MISSED {names[1]}: {label['attr_name']} = {label['value_any'][0]}"


def _events(found: Row, case: Row, counts: Counter[str]) -> Iterator[str]:
    for label in case["expect"]["events"]:
        counts["events"] += 1
        told = [
            e for e in found["events"] if all(_holds(_plain(e["summary"]), _plain(w)) for w in label["mentions_all"])
        ]
        days = {_local_day(event["happened_at"], case["timezone"]) for event in told}
        if told and label.get("happened_on") in (None, *days):
            counts["events found"] += 1
        else:
            day = label.get("happened_on") or "any day"
            yield f"MISSED event: {label['mentions_all']} on {day}" + (f", dated {sorted(days)}" if told else "")
    if found["events"] and case["kind"] == "noise":
        yield f"WRONG event in noise: {found['events'][0]['summary']}"


def _tasks(found: Row, case: Row, counts: Counter[str]) -> Iterator[str]:
    for label in case["expect"]["workspace"]:
        counts["tasks"] += 1
        named = [
            task
            for task in found["workspace"]
            if any(_holds(_plain(" ".join(_texts(task))), _plain(word)) for word in label["mentions_any"])
        ]
        if any((task["state"].get("status") == "done") != label.get("open", True) for task in named):
            counts["tasks found"] += 1
        else:
            yield f"MISSED task: {label['mentions_any'][0]}"


def _forbidden_texts(found: Row, case: Row, counts: Counter[str]) -> Iterator[str]:
    everything = _plain("\n".join(_texts([part for name, part in found.items() if name != "id"])))
    for text in case.get("forbid", {}).get("anywhere", []):
        wanted = _plain(text)
        if wanted and (wanted in everything or wanted.replace(" ", "") in everything.replace(" ", "")):
            counts["forbidden"] += 1
            yield f"FORBIDDEN text: {text}"


def _fits(fact: Row, label: Row) -> bool:
    value = _plain(fact["attr_value"])
    if fact["attr_name"] != label["attr_name"] or not value:
        return False
    single = value.isascii() and len(value) == 1
    spellings = [_plain(spelling) for spelling in label["value_any"]]
    return any(value == s or _holds(value, s) or (not single and _holds(s, value)) for s in spellings)


def _breaks(fact: Row, label: Row) -> bool:
    value = _plain(fact["attr_value"])
    if fact["attr_name"] != label["attr_name"]:
        return False
    excused = label.get("why") in _NEGATED and _NEGATION.search(value) is not None
    held = [s for s in map(_plain, label["value_any"]) if _holds(value, s)]
    return any(not excused or _NEGATION.search(spelling) for spelling in held)


def _holds(text: str, part: str) -> bool:
    if part.isascii() and len(part) <= _SHORT:
        return bool(part) and re.search(rf"(?<![a-z0-9]){re.escape(part)}s?(?![a-z0-9])", text) is not None
    return part in text


def _local_day(instant: str | None, zone: str) -> str:
    return datetime.fromisoformat(instant).astimezone(ZoneInfo(zone)).date().isoformat() if instant else "no day"


def _plain(text: object) -> str:
    said = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return " ".join(unicodedata.normalize("NFKC", said).casefold().split())


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        yield from map(str, node)
        yield from _of_each(node.values())
    elif isinstance(node, list):
        yield from _of_each(node)
    elif node is not None:
        yield str(node)


def _of_each(nodes: Iterable[object]) -> Iterator[str]:
    for node in nodes:
        yield from _texts(node)
