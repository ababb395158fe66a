"""Corrections inside a dialogue: what the user said wrongly and put right a moment later."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from easy_data.pipeline.extraction.clauses import Clause, fold
from easy_data.pipeline.extraction.guards import Guard
from easy_data.pipeline.extraction.judging import CUES
from easy_data.pipeline.extraction.values import normalise
from easy_data.schemas.candidates import Candidate, Certainty, Change
from easy_data.schemas.registry import Registry

# A value and its correction share at least this much, and differ in length by no more.
_COMMON_CHARS = 2
# After a slip, of the characters of two names equally long as many are the same.
_LEAST_LIKENESS = 0.5
# So many digits are a part of a number, not an amount.
_LEAST_DIGITS = 4
# A remark of at most this length with a digit in it corrects a number.
_BARE_CHARS = 30
_PART = re.compile(r"[，,。;；!！]|\s-\s")
_COPULA = re.compile(
    r"^(?:应该)?(?:是|叫|改成)|^(?:it'?s|that'?s|i meant?|make that|actually|no|wait|sorry)\s+", re.IGNORECASE
)
_AMOUNT = re.compile(
    r"(?:\d+|[一二两三四五六七八九十百半]+)\s*(岁|年|个月|点|号|楼|层|公里|斤|块|元|次|天|周|years?|yrs?|months?|km|miles|am|pm)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate, the offset in its message at which it was found, and the guards that its pattern allows.

    ``restated``: a short remark after a slip of the tongue, which takes the place of what was said in the turn before.
    """

    candidate: Candidate
    start: int
    allowed: frozenset[Guard] = frozenset()
    restated: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where in the dialogue it was said, for ordering."""
        return (self.candidate.turn, self.start)


def corrected(placed: Sequence[Placed], sentences: Sequence[Clause], registry: Registry) -> list[Placed]:
    """Return ``placed`` after what the later ``sentences`` of the user correct.

    "not X, it is Y" puts Y in the place of X in what was said before. After a slip of the tongue ("wait, no") a new
    value of a single-valued attribute takes the place of the one before it; what was said just before and is neither
    replaced nor repeated is no longer certain.
    """
    result = list(placed)
    for sentence in sentences:
        replacements = _replacements(sentence) or _near_misses(result, sentence)
        for old, new in replacements:
            result = _replaced(result, sentence, old, new)
        if slip_in(sentence):
            result = _without_slips(result, sentence, registry)
            if not replacements:
                earlier = [other for other in sentences if other.turn < sentence.turn]
                result = _doubted(result, sentence, _amount_corrected(earlier, sentence))
    return result


def slip_in(clause: Clause) -> re.Match[str] | None:
    """Return where the clause says that the user misspoke before, if it does."""
    for language in clause.languages:
        if found := CUES[language].slip.search(clause.folded):
            return found
    return None


def _replacements(sentence: Clause) -> list[tuple[str, str]]:
    found = []
    for language in sentence.languages:
        for expression in CUES[language].corrections:
            for match in expression.finditer(sentence.folded):
                old, new = (normalise("", sentence.text[slice(*match.span(group))]) for group in ("old", "new"))
                if old and new and old != new:
                    found.append((old, new))
    return found


def _near_misses(placed: Sequence[Placed], sentence: Clause) -> list[tuple[str, str]]:
    """Read "it is Y" right after a value that resembles Y, "Southwest University" after "Southeast University".

    After a slip of the tongue every part of the sentence may be such a Y: "no, Zhang Wei, I typed too fast".
    """
    said = next((m for lang in sentence.languages if (m := CUES[lang].restated.match(sentence.folded))), None)
    parts = [sentence.text[slice(*said.span("new"))]] if said else []
    least = 0.0
    if not parts and slip_in(sentence):
        parts = [_COPULA.sub("", part.strip()) for part in _PART.split(sentence.text)]
        least = _LEAST_LIKENESS
    if not parts:
        return []
    last = [p.candidate for p in placed if p.candidate.turn < sentence.turn]
    values = {c.value for c in last if c.turn == last[-1].turn and c.turn >= sentence.turn - 2}
    found = []
    for old in values:
        for new in (normalise("", part) for part in parts):
            right = _retyped(old, new) or (new if new and old != new and _alike(old, new, least) else "")
            if right:
                found.append((old, right))
    return found


def _alike(old: str, new: str, least: float) -> bool:
    matcher = SequenceMatcher(None, fold(old), fold(new))
    if least:
        return len(old) == len(new) and matcher.ratio() >= least
    return matcher.find_longest_match().size >= _COMMON_CHARS and abs(len(old) - len(new)) <= _COMMON_CHARS


def _retyped(old: str, new: str) -> str:
    """Return the number ``old`` with its last digits, which ``new`` says again in another order, put right."""
    digits = re.sub(r"\W", "", new)
    tail = old[-len(digits) :]
    if len(digits) < _LEAST_DIGITS or not digits.isdecimal() or digits == tail or sorted(digits) != sorted(tail):
        return ""
    return old[: -len(digits)] + digits


def _replaced(placed: Sequence[Placed], sentence: Clause, old: str, new: str) -> list[Placed]:
    result = []
    for item in placed:
        value = item.candidate.value
        at = fold(value).casefold().find(fold(old).casefold())
        if at < 0 or item.place >= (sentence.turn, sentence.start):
            result.append(item)
            continue
        right = value[:at] + new + value[at + len(old) :]
        update = {"value": right, "quote": sentence.text, "turn": sentence.turn, "change": Change.NONE}
        result.append(Placed(item.candidate.model_copy(update=update), sentence.start, item.allowed))
    return result


def _without_slips(placed: Sequence[Placed], sentence: Clause, registry: Registry) -> list[Placed]:
    after = {p.candidate.attr_name for p in placed if p.place >= (sentence.turn, sentence.start)}
    single = {name for name in after if registry.get(name).cardinality == "one"}
    return [p for p in placed if p.candidate.attr_name not in single or p.place >= (sentence.turn, sentence.start)]


def _amount_corrected(earlier: Sequence[Clause], sentence: Clause) -> str:
    """Return what marks the amount that ``sentence`` says again: its unit ("six years" after "five years"), a digit.

    Nothing when it says no amount again.
    """
    last = [s.folded for s in earlier if s.turn == earlier[-1].turn]
    before = [unit for text in last for unit in _AMOUNT.findall(text)]
    for unit in _AMOUNT.findall(sentence.folded):
        if unit in before:
            return str(unit)
    # "I mean 13" after "my cat is 12"
    bare = re.search(r"\d", sentence.folded) and len(sentence.folded) <= _BARE_CHARS
    return r"\d" if bare and any(re.search(r"\d", text) for text in last) else ""


def _doubted(placed: Sequence[Placed], sentence: Clause, unit: str) -> list[Placed]:
    """Drop from the turn before ``sentence`` what is said anew; when nothing is, all of that turn becomes uncertain.

    When an amount of ``unit`` is corrected, only the values that hold one do.
    """
    turns = [p.candidate.turn for p in placed if p.candidate.turn < sentence.turn]
    again = {p.candidate.attr_name for p in placed if p.place >= (sentence.turn, sentence.start)}
    result = []
    for item in placed:
        said = item.candidate
        if said.turn == max(turns, default=-1) >= sentence.turn - 2:
            if said.attr_name in again:
                continue
            if not again and said.certainty is Certainty.STATED and re.search(unit, said.value):
                said = said.model_copy(update={"certainty": Certainty.HEDGED})
        result.append(replace(item, candidate=said))
    return result
