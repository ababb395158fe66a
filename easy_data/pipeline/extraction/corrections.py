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
                result = _doubted(result, sentence)
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
    """Read "it is Y" right after a value that resembles Y, "Southwest University" after "Southeast University"."""
    said = next((found for lang in sentence.languages if (found := CUES[lang].restated.match(sentence.folded))), None)
    if said is None:
        return []
    new = normalise("", sentence.text[slice(*said.span("new"))])
    last = [p.candidate for p in placed if p.candidate.turn < sentence.turn]
    values = {c.value for c in last if c.turn == last[-1].turn and c.turn >= sentence.turn - 2}
    return [(old, new) for old in values if new and old != new and _alike(old, new)]


def _alike(old: str, new: str) -> bool:
    match = SequenceMatcher(None, fold(old), fold(new)).find_longest_match()
    return match.size >= _COMMON_CHARS and abs(len(old) - len(new)) <= _COMMON_CHARS


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


def _doubted(placed: Sequence[Placed], sentence: Clause) -> list[Placed]:
    """Drop from the turn before ``sentence`` what is said anew; when nothing is, all of that turn becomes uncertain."""
    turns = [p.candidate.turn for p in placed if p.candidate.turn < sentence.turn]
    again = {p.candidate.attr_name for p in placed if p.place >= (sentence.turn, sentence.start)}
    result = []
    for item in placed:
        said = item.candidate
        if said.turn == max(turns, default=-1) >= sentence.turn - 2:
            if said.attr_name in again:
                continue
            if not again and said.certainty is Certainty.STATED:
                said = said.model_copy(update={"certainty": Certainty.HEDGED})
        result.append(replace(item, candidate=said))
    return result
