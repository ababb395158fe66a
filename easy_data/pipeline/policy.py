"""Which write wins: the whole table, as pure functions. ``docs/policy.md`` shows it to people.

``classify`` judges a candidate on its own; ``decide_fact`` compares it with what is stored in its slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from easy_data.pipeline.provenance import doubt_of
from easy_data.pipeline.suspicion import suspicion_of
from easy_data.schemas.candidates import (
    Candidate,
    Certainty,
    Change,
    Classified,
    RejectReason,
    ReviewReason,
    Verdict,
)
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.keys import bare_value
from easy_data.schemas.records import Bucket, Polarity, ProfileRecord
from easy_data.schemas.registry import Attribute, Registry
from easy_data.schemas.settings import Settings

# How something was said gives where confidence starts.
START: dict[Certainty, float] = {
    Certainty.CONFIRMED: 0.95,
    Certainty.STATED: 0.9,
    Certainty.HEDGED: 0.5,
    Certainty.INFERRED: 0.5,
    Certainty.WEAK: 0.2,
}
# Two readers found the same: surer than stated, less sure than confirmed, since both read the same words.
AGREED = 0.93
CERTAIN = 0.99
CONFIRMED = START[Certainty.CONFIRMED]


def classify(candidate: Candidate, conversation: Conversation, registry: Registry, settings: Settings) -> Classified:
    """Judge a candidate by where it comes from, what it is and how sure it is; nothing stored is looked at."""
    confidence = START[candidate.certainty]
    if candidate.agreed and candidate.certainty is Certainty.STATED:
        confidence = AGREED
    if candidate.confidence is not None and candidate.certainty is not Certainty.CONFIRMED:
        # A model's own figure may lower trust, never raise it above how the user said it.
        confidence = min(confidence, candidate.confidence)

    reason: str | None = _refusal(candidate, conversation, registry, settings)
    verdict: Verdict = "accept"
    if reason is not None:
        verdict = "event_only" if reason == RejectReason.NOT_IN_REGISTRY and _is_profile(candidate) else "reject"
    elif _is_held_back(candidate):
        verdict, reason = "review", ReviewReason.INSTRUCTION
    elif not candidate.answers_review and (suspicion := suspicion_of(candidate)) is not None:
        verdict, reason = "review", suspicion
    elif not candidate.answers_review and confidence < settings.review_floor:
        verdict, reason = "reject", RejectReason.BELOW_THRESHOLD
    elif candidate.flags:
        verdict, reason = "review", ReviewReason.DISPUTED
    elif not candidate.answers_review and confidence < settings.confidence_threshold:
        verdict, reason = "review", ReviewReason.UNCERTAIN
    if verdict == "reject" and _may_not_be_kept(candidate, registry, settings):
        # What may not be kept is not kept as a refused candidate either: only that such a thing was said.
        candidate = candidate.model_copy(update={"value": "", "quote": "", "replaces": ""})
    return Classified(candidate=candidate, verdict=verdict, confidence=confidence, reason=reason or "")


def quarantined(judged: Classified) -> Classified:
    """Return the judgement of the same candidate in a flood: what would be written waits for a person instead."""
    if judged.verdict not in ("accept", "event_only"):
        return judged
    return judged.model_copy(update={"verdict": "review", "reason": ReviewReason.FLOOD})


def _refusal(
    candidate: Candidate, conversation: Conversation, registry: Registry, settings: Settings
) -> RejectReason | None:
    """Return why a candidate may not be written as it is, or None."""
    doubt = doubt_of(candidate, conversation)
    if doubt is not None:
        return doubt
    if max(len(candidate.value), len(candidate.summary), len(candidate.task_id)) > settings.max_value_chars:
        return RejectReason.TOO_LONG
    if _is_held_back(candidate) or candidate.answers_review:
        return None
    if _is_profile(candidate):
        if candidate.attr_name not in registry:
            return RejectReason.NOT_IN_REGISTRY
        if _may_not_be_kept(candidate, registry, settings):
            return RejectReason.SENSITIVE
    elif candidate.bucket is Bucket.EVENT and candidate.event_type not in registry.event_types:
        return RejectReason.NOT_IN_REGISTRY
    return None


def _may_not_be_kept(candidate: Candidate, registry: Registry, settings: Settings) -> bool:
    known = _is_profile(candidate) and candidate.attr_name in registry
    return known and registry.get(candidate.attr_name).sensitive and not settings.keep_sensitive


def _is_held_back(candidate: Candidate) -> bool:
    """Tell if a guard flagged it; that two readers dispute it is another matter."""
    return bool(set(candidate.flags) - {ReviewReason.DISPUTED})


def _is_profile(candidate: Candidate) -> bool:
    return candidate.bucket is Bucket.PROFILE


class Action(StrEnum):
    """What is to happen with a statement, given what is stored."""

    INSERT = "insert"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    CLOSE = "close"
    HISTORY = "history"
    CONFLICT = "conflict"
    REVIEW = "review"
    WEAKEN = "weaken"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Decision:
    """An action, the stored fact it concerns, and why."""

    action: Action
    target: ProfileRecord | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact as it arrives: the record it would become, when it was said, and what its wording says of the past."""

    record: ProfileRecord
    said_at: datetime
    change: Change = Change.NONE
    confirmed: bool = False
    # the stored fact was written by this very conversation, so this is its correction
    same_conversation: bool = False


def decide_fact(new: Statement, live: Sequence[ProfileRecord], attribute: Attribute, settings: Settings) -> Decision:
    """Compare a statement with the live facts of its slot and return what is to happen.

    ``live`` holds the facts of the attribute when it is single-valued, else those that say the same value, for or
    against. Adding never deletes: the worst that happens to a stored fact here is that it becomes history.
    """
    about = [f for f in live if says(f, new.record.attr_value)]
    same = _newest([f for f in about if f.polarity == new.record.polarity])
    opposite = _newest([f for f in about if f.polarity != new.record.polarity])
    if new.change in (Change.ENDED, Change.PAST):
        return _decide_end(new, same, attribute)
    if new.record.polarity is Polarity.NEGATIVE and attribute.type != "preference" and not new.confirmed:
        # "I'm not a doctor" is no attribute of its own; it only speaks against what is stored.
        if opposite is None or new.said_at < _since(opposite):
            return Decision(Action.DROP, reason=RejectReason.NOT_ASSERTED)
        return Decision(Action.WEAKEN, opposite, "denied")
    if same is not None:
        return Decision(Action.MERGE, same)
    rivals = list(live) if attribute.cardinality == "one" else [f for f in live if f is opposite]
    rival = _newest(rivals)
    if rival is None:
        return Decision(Action.INSERT)
    if new.confirmed:
        return Decision(Action.SUPERSEDE, rival, "confirmed")
    return _decide_rival(new, rival, settings)


def _decide_end(new: Statement, same: ProfileRecord | None, attribute: Attribute) -> Decision:
    if same is None:
        if new.change is Change.PAST:
            return Decision(Action.HISTORY, reason="past")
        return Decision(Action.DROP, reason=RejectReason.NOT_ASSERTED)
    if new.said_at < _since(same):
        return Decision(Action.HISTORY, same, "older")
    if new.confirmed or new.same_conversation or not attribute.identity:
        return Decision(Action.CLOSE, same, "ended")
    return Decision(Action.REVIEW, same, ReviewReason.OVERWRITE)


def _decide_rival(new: Statement, rival: ProfileRecord, settings: Settings) -> Decision:
    if new.same_conversation:
        return Decision(Action.SUPERSEDE, rival, "corrected")
    if new.said_at < _since(rival):
        return Decision(Action.HISTORY, rival, "older")
    if new.said_at == _since(rival):
        return Decision(Action.REVIEW, rival, ReviewReason.TIE)
    if rival.confidence >= settings.protect_threshold:
        return Decision(Action.REVIEW, rival, ReviewReason.OVERWRITE)
    if new.change is Change.CHANGED or rival.confidence < settings.confidence_threshold:
        return Decision(Action.SUPERSEDE, rival, "changed")
    return Decision(Action.CONFLICT, rival, ReviewReason.CONFLICT)


def grown(old: float, new: float) -> float:
    """Return the confidence after one more independent statement: noisy-or, never past 0.99.

    Noisy-or: 1 - (1 - a)(1 - b), Pearl, Probabilistic Reasoning in Intelligent Systems (1988), section 4.3.
    """
    return max(old, min(CERTAIN, 1 - (1 - old) * (1 - new)))


def says(stored: ProfileRecord, value: str) -> bool:
    """Tell if a stored fact is about this value, for or against."""
    a, b = (bare_value(text).replace(" ", "") for text in (stored.attr_value, value))
    return a == b


def _newest(facts: Sequence[ProfileRecord]) -> ProfileRecord | None:
    return max(facts, key=_since, default=None)


def _since(fact: ProfileRecord) -> datetime:
    if fact.valid_from is None:  # pragma: no cover - stored facts always have it
        raise ValueError("a stored fact has no valid_from")
    return fact.valid_from
