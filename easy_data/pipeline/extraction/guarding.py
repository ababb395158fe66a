"""Holds what a model proposes against the guards: the clauses its quote stands in say how that was meant."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.extraction.clauses import fold
from easy_data.pipeline.extraction.guards import Guard, Judged
from easy_data.pipeline.extraction.judging import CUES
from easy_data.schemas.candidates import Candidate, Certainty, Change
from easy_data.schemas.conversation import Message
from easy_data.schemas.records import Bucket, Polarity

NOT_ASSERTED = "not_asserted"

# Nothing said like this is the user's own statement, whatever it is about.
_NOT_MEANT = frozenset(
    {Guard.JOKE, Guard.ROLE_PLAY, Guard.QUOTED, Guard.PASTED, Guard.RETRACTED, Guard.HYPOTHETICAL, Guard.INSTRUCTION}
)
_NO_ATTRIBUTE = _NOT_MEANT | {Guard.CONDITIONAL, Guard.THIRD_PERSON}
# Attributes of the user that are other people.
_PEOPLE = frozenset({"family_member", "relationship_status"})
# Attributes that are a "no" by themselves: "no nuts" is the restriction nuts.
_RESTRICTIONS = frozenset({"dietary_restriction"})
_BEFORE = 24  # characters before a value in which a negation speaks of it
_DOUBTFUL = frozenset({Guard.HEDGED, Guard.QUESTION})


def guarded(candidate: Candidate, judged: Sequence[Judged], messages: Sequence[Message]) -> Candidate:
    """Return the candidate as the guards of its clauses let it stand: as it is, less sure, or flagged as not asserted.

    A guard counts when it holds for every clause that the quote touches, of these only those that hold the value. What
    the user says yes to was asked by the assistant; how the answer is worded says nothing against it.
    """
    if candidate.flags or candidate.certainty is Certainty.CONFIRMED:
        return candidate
    clauses = _clauses(candidate, judged, messages[candidate.turn].content)
    guards = frozenset.intersection(*(item.judgement.guards for item in clauses)) if clauses else frozenset()
    if candidate.bucket is not Bucket.PROFILE:
        return _not_asserted(candidate) if guards & _NOT_MEANT else candidate
    forbidding = _NO_ATTRIBUTE - {Guard.THIRD_PERSON} if candidate.attr_name in _PEOPLE else _NO_ATTRIBUTE
    if guards & forbidding:
        return _not_asserted(candidate)
    doubted = bool(guards & _DOUBTFUL) or (Guard.PAST in guards and candidate.change is Change.NONE)
    if candidate.certainty is Certainty.STATED and (doubted or _is_denied(candidate, clauses)):
        return candidate.model_copy(update={"certainty": Certainty.HEDGED})
    return candidate


def _not_asserted(candidate: Candidate) -> Candidate:
    return candidate.model_copy(update={"flags": (NOT_ASSERTED,)})


def _is_denied(candidate: Candidate, clauses: Sequence[Judged]) -> bool:
    """Tell if a negation stands right before a value that the model takes for asserted."""
    if candidate.attr_name in _RESTRICTIONS or candidate.polarity is Polarity.NEGATIVE:
        return False
    if candidate.change in (Change.ENDED, Change.PAST):
        return False
    value = fold(candidate.value)
    for item in clauses:
        start = item.clause.folded.find(value)
        before = item.clause.folded[max(0, start - _BEFORE) : max(0, start)]
        if before and any(CUES[language].negation.search(before) for language in item.clause.languages):
            return True
    return False


def _clauses(candidate: Candidate, judged: Sequence[Judged], content: str) -> list[Judged]:
    """Return the clauses that the quote touches; of these only the ones with the value, where it stands in any."""
    start = content.find(candidate.quote)
    if start < 0:
        return []
    end = start + len(candidate.quote)
    touched = [
        item
        for item in judged
        if item.clause.turn == candidate.turn and item.clause.start < end and start < item.clause.end
    ]
    value = fold(candidate.value)
    return [item for item in touched if value and value in item.clause.folded] or touched
