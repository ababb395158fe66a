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

from easy_data.pipeline.secret_forms import ANNOUNCED, ANNOUNCER, CHECKED, FORMS

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
    announced = ANNOUNCED if ANNOUNCER.search(text) else ()
    for detector in (*FORMS, *CHECKED, *announced):
        for match in detector.pattern.finditer(text):
            group = "secret" if "secret" in detector.pattern.groupindex else 0
            secret = match.group(group)
            if secret and detector.check(secret):
                yield (*match.span(group), detector.kind)
