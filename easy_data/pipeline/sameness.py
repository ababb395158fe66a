"""If two texts say the same. Similarity only nominates; these rules decide, and they are pure.

Numbers, dates, units, names or a negation that differ forbid "same", however close the wording is: an embedding
cannot tell a duplicate from a contradiction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from easy_data.schemas.candidates import Relation
from easy_data.stores.keywords import terms

# Share of common terms from which two statements are taken to be about one thing.
ABOUT_SAME = 0.6
SAME_WORDING = 0.7
CONTAINED = 0.85
MIN_CONTAINED_TERMS = 3

_NUMBER = re.compile(r"\d+(?:[.:,/]\d+)*")
_MONTHS = re.compile(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]|[一二三四五六七八九十两百千万]+(?=[年月日号点个次岁元块])",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|stopped|quit)\b|n['’]t\b"
    r"|不(?!错|过|但|仅|同|少|久|断|得不)|没(?!事|错)|沒|别(?=[再去来让给说])|未(?!来)|无(?!论|所谓)|戒",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b(?!I\b)[A-Z][\w'’-]*")


@dataclass(frozen=True, slots=True)
class Gist:
    """What of a text decides: its terms, its figures, its names and if it denies."""

    terms: frozenset[str]
    figures: Counter[str]
    names: frozenset[str]
    denies: bool


def gist(text: str) -> Gist:
    """Read the gist of a text."""
    figures = Counter(_figure(found) for found in _NUMBER.findall(text))
    figures.update(match.group(0).casefold() for match in _MONTHS.finditer(text))
    names = frozenset(name.casefold() for name in _NAME.findall(text) if not _MONTHS.fullmatch(name))
    bare = _NEGATION.sub(" ", _MONTHS.sub(" ", _NUMBER.sub(" ", text)))
    return Gist(frozenset(terms(bare)), figures, names, len(_NEGATION.findall(text)) % 2 == 1)


def relation(new: str, old: str) -> Relation:
    """Return how the new text relates to the old one."""
    a, b = gist(new), gist(old)
    if not a.terms & b.terms:
        return Relation.NEW
    if a.denies != b.denies or (a.figures and b.figures and a.figures != b.figures):
        return Relation.CONTRADICTS if _close(a.terms, b.terms, ABOUT_SAME) else Relation.NEW
    if (a.names - b.names) and (b.names - a.names):
        return Relation.NEW
    # Figures that both name are words in common too; one that only one of them names makes it the fuller statement.
    with_figures = (a.terms | a.figures.keys(), b.terms | b.figures.keys())
    if _close(a.terms, b.terms, SAME_WORDING) or _close(*with_figures, SAME_WORDING):
        return Relation.REFINES if a.figures != b.figures else Relation.SAME
    return Relation.NEW


def _close(a: AbstractSet[str], b: AbstractSet[str], threshold: float) -> bool:
    """Tell if two sets of words share enough, or if one of them says all that the other does."""
    common = len(a & b)
    if common >= MIN_CONTAINED_TERMS and common / min(len(a), len(b)) >= CONTAINED:
        return True
    return common / len(a | b) >= threshold


def _figure(found: str) -> str:
    # "02:00" and "2:00" are one time of day.
    return ":".join(part.lstrip("0") or "0" for part in found.split(":")) if ":" in found else found
