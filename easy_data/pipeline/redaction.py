"""Takes secrets out of text before it is shown to a model or written anywhere.

Three kinds of evidence, all deterministic: a form that only a secret has (key prefixes, PEM blocks, JSON web tokens,
passwords inside URLs), a checksum (payment cards by Luhn, Chinese resident ids, IBANs), and words that announce one
("password is", "密码是", "API_KEY="). Each finding becomes a mark such as ``[secret:password]``, so that what is kept
still says that one was there. E-mail addresses and phone numbers are no secrets here. Runs in linear time; redacting
twice changes nothing more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from easy_data.pipeline.secret_forms import ANNOUNCED, ANNOUNCER, CHECKED, FORMS, Detector

# How far from the word that announces it a secret begins before, or ends after it, at most.
REACH_BACK = 200
REACH_AHEAD = 4500
# Fullwidth letters and digits are read as what they look like; one character stays one, so places do not move.
_WIDE = (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
_HALFWIDTH = {code: code - 0xFEE0 for code in _WIDE}
_MARK = re.compile(r"(\[secret:[a-z_]+\])")


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text with marks in the place of secrets, and how many of each kind there were."""

    text: str
    counts: dict[str, int]


def redact(text: str) -> Redacted:
    """Return ``text`` with every secret found replaced by ``[secret:<kind>]``, and the counts by kind."""
    counts: Counter[str] = Counter()
    parts = [part if _MARK.fullmatch(part) else _redact_part(part, counts) for part in _MARK.split(text)]
    return Redacted("".join(parts), dict(counts))


def _redact_part(text: str, counts: Counter[str]) -> str:
    parts: list[str] = []
    position = 0
    for start, end, kind in sorted(_findings(text), key=lambda item: (item[0], -item[1])):
        if end <= position:
            continue
        if start >= position:
            parts += (text[position:start], f"[secret:{kind}]")
            counts[kind] += 1
        # A secret that overlaps the one before belongs to the same mark.
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _findings(text: str) -> Iterator[tuple[int, int, str]]:
    text = text.translate(_HALFWIDTH)
    for detector in (*FORMS, *CHECKED):
        yield from _matches(detector, text, 0, len(text))
    for start, end in _announced(text):
        for detector in ANNOUNCED:
            yield from _matches(detector, text, start, end)


def _matches(detector: Detector, text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    group = "secret" if "secret" in detector.pattern.groupindex else 0
    for match in detector.pattern.finditer(text, start, end):
        secret = match.group(group)
        if secret and detector.check(secret):
            yield (*match.span(group), detector.kind)


def _announced(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches around words that can announce a secret, joined where they touch: the rest is skipped."""
    start = end = 0
    for word in ANNOUNCER.finditer(text):
        if word.start() - REACH_BACK > end:
            if end:
                yield start, end
            start = word.start() - REACH_BACK
        end = min(len(text), word.end() + REACH_AHEAD)
    if end:
        yield start, end
