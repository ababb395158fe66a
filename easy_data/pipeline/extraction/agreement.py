"""If two readings of one conversation say the same, or what cannot both be true. Pure rules over two candidates."""

from __future__ import annotations

import re

from easy_data.pipeline.extraction.dates_zh import number
from easy_data.pipeline.sameness import gist, relation
from easy_data.schemas.candidates import Candidate, Certainty, Change, Relation
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.keys import bare_value, folded
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry

_OVER = (Change.ENDED, Change.PAST)
_DOUBTS = (Certainty.HEDGED, Certainty.WEAK)
_ALIKE = (Relation.SAME, Relation.REFINES)
_NUMERAL = re.compile(
    "[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九](?![一二三四五六七八九百千万])"
)
_AGAINST = re.compile(
    r"\b(?:allerg|intoleran|hate|loathe|dislike|avoid)|\b(?:dairy|sugar|gluten|lactose|meat)[- ]free\b"
    r"|过敏|過敏|讨厌|討厭|忌",
    re.IGNORECASE,
)
_IDEOGRAPH = re.compile("[㐀-鿿]")
# How alike two candidates are; 0: not at all.
_EQUAL, _CONTAINED, _REWORDED, _SAME_PLACE = 4, 3, 2, 1
_MOST = 2 / 3  # of the words of a summary
_HALF = 0.5  # of the fewer words of two summaries of the same words


def matches(model: Candidate, pattern: Candidate, conversation: Conversation, registry: Registry) -> int:
    """Return how surely both say the same thing; 0 when they do not."""
    if model.bucket is not pattern.bucket:
        return 0
    if model.bucket is Bucket.PROFILE:
        same = _same_fact(model, pattern, conversation)
        return same or int(_filed_elsewhere(model, pattern, conversation, registry))
    alike = relation(model.summary, pattern.summary) in _ALIKE
    together = same_words(model, pattern, conversation)
    if model.bucket is Bucket.WORKSPACE:
        if _contained(model.task_id, pattern.task_id):
            return _CONTAINED
        return _REWORDED if alike else _SAME_PLACE if together else 0
    if not together:
        return 0
    if alike or _shared(model.summary, pattern.summary) >= _HALF:
        return _REWORDED
    return _SAME_PLACE if model.event_type == pattern.event_type else 0


def covers(whole: Candidate, part: Candidate, conversation: Conversation) -> bool:
    """Tell if one fact says all that the other does, in the same words: "dog Rex, a collie" and "collie"."""
    if whole.bucket is not Bucket.PROFILE or part.bucket is not Bucket.PROFILE or part.flags:
        return False
    if len(_squeezed(part.value)) > len(_squeezed(whole.value)) or not same_words(whole, part, conversation):
        return False
    return _same_fact(whole, part, conversation) in (_EQUAL, _CONTAINED)


def disputed(model: Candidate, pattern: Candidate, conversation: Conversation, registry: Registry) -> bool:
    """Tell if both read a fact in the same words, and only one of them can be right."""
    if model.bucket is not Bucket.PROFILE or pattern.bucket is not Bucket.PROFILE:
        return False
    if model.flags or pattern.flags or model.attr_name != pattern.attr_name:
        return False
    if not same_words(model, pattern, conversation):
        return False
    over = (model.change in _OVER, pattern.change in _OVER)
    if _alike(model.value, pattern.value):
        if _speaks_against(model.value) or _speaks_against(pattern.value):
            return False
        opposite = model.polarity is not pattern.polarity
        # "stopped eating meat": the end of one attitude and the beginning of the other are both true.
        return opposite != (over[0] != over[1])
    single = model.attr_name in registry and registry.get(model.attr_name).cardinality == "one"
    return single and not any(over) and model.polarity is pattern.polarity


def agreed(model: Candidate, pattern: Candidate, conversation: Conversation) -> Candidate:
    """Return the one candidate for what both found: what code works out better is the patterns', the rest the model's.

    It is as unsure as the more doubtful of the two, and marked as found by both.
    """
    changes: dict[str, object] = {
        "extractor": f"{model.extractor}+{pattern.extractor}",
        "certainty": _certainty(model.certainty, pattern.certainty),
        "agreed": model.attr_name == pattern.attr_name,
    }
    if pattern.turn > model.turn:
        changes |= {"turn": pattern.turn, "quote": pattern.quote}
    if model.bucket is Bucket.PROFILE:
        changes |= {
            "attr_name": pattern.attr_name,
            "value": _fuller(model, pattern, conversation),
            "polarity": pattern.polarity,
            "change": model.change if pattern.change is Change.NONE else pattern.change,
            "replaces": pattern.replaces or model.replaces,
        }
    elif model.bucket is Bucket.EVENT:
        changes |= _times(model, pattern)
        if not _was_talked_of(model.summary, conversation):
            changes["summary"] = pattern.summary
    else:
        goal = {"goal": pattern.state["goal"]} if "goal" in pattern.state else {}
        changes |= {"state": goal | model.state, "closed": model.closed and pattern.closed}
    return model.model_copy(update=changes)


def same_words(a: Candidate, b: Candidate, conversation: Conversation) -> bool:
    """Tell if the quotes of both stand in one message and have words in common there."""
    if a.turn != b.turn or a.turn >= len(conversation.messages):
        return False
    if a.quote in b.quote or b.quote in a.quote:
        return True
    content = conversation.messages[a.turn].content
    at, other = content.find(a.quote), content.find(b.quote)
    return at >= 0 and other >= 0 and at < other + len(b.quote) and other < at + len(a.quote)


def _same_fact(model: Candidate, pattern: Candidate, conversation: Conversation) -> int:
    if model.attr_name != pattern.attr_name or not _same_side(model, pattern):
        return 0
    if (model.change in _OVER) != (pattern.change in _OVER):
        return 0
    a, b = _squeezed(model.value), _squeezed(pattern.value)
    if a == b:
        return _EQUAL
    if not _alike(model.value, pattern.value) or not same_words(model, pattern, conversation):
        return 0
    return _CONTAINED if _contained(model.value, pattern.value) else _REWORDED


def _filed_elsewhere(model: Candidate, pattern: Candidate, conversation: Conversation, registry: Registry) -> bool:
    """Tell if the same words gave the same value, under another attribute of the kind: hobby and sport."""
    names = (model.attr_name, pattern.attr_name)
    if names[0] == names[1] or any(name not in registry for name in names):
        return False
    if registry.get(names[0]).type != registry.get(names[1]).type:
        return False
    return _same_fact(model.model_copy(update={"attr_name": names[1]}), pattern, conversation) >= _CONTAINED and (
        same_words(model, pattern, conversation)
    )


def _shared(a: str, b: str) -> float:
    """Return which part of the fewer words of two texts the other one has too."""
    ours, theirs = (gist(text).terms | gist(text).figures.keys() for text in (a, b))
    return len(ours & theirs) / min(len(ours), len(theirs)) if ours and theirs else 0.0


def _alike(a: str, b: str) -> bool:
    if _squeezed(a) == _squeezed(b) or _contained(a, b):
        return True
    ours, theirs = gist(a), gist(b)
    if ours.figures and ours.figures == theirs.figures and ours.terms == theirs.terms:
        return True  # "June 19" and "19 June"
    return relation(a, b) in _ALIKE


def _plain(value: str) -> str:
    """Return a value as it is compared: folded, and with figures for Chinese numerals (六月十九, 6月19)."""
    return _NUMERAL.sub(lambda found: str(number(found.group())), bare_value(value))


def _squeezed(value: str) -> str:
    return _plain(value).replace(" ", "")


def _speaks_against(value: str) -> bool:
    """Tell if a value holds its own "no": "no nuts", 不吃香菜."""
    return gist(value).denies or _AGAINST.search(value) is not None


def _same_side(model: Candidate, pattern: Candidate) -> bool:
    """Tell if both are for, or both against it: some write "peanuts" and negative, others "allergic to peanuts"."""
    if model.polarity is pattern.polarity:
        return True
    return _speaks_against(model.value) or _speaks_against(pattern.value)


def _contained(a: str, b: str) -> bool:
    """Tell if one of two values is a part of the other: whole words in any form, or a run of ideographs."""
    short, long = sorted((_plain(a), _plain(b)), key=len)
    if not short:
        return False
    if _IDEOGRAPH.search(short):
        return short.replace(" ", "") in long.replace(" ", "")
    words = gist(short).terms
    return f" {short} " in f" {long} " or bool(words and words <= gist(long).terms and not gist(short).figures)


def _certainty(model: Certainty, pattern: Certainty) -> Certainty:
    """Return how sure both together are; who doubts prevails, and a doubt of only one is for a person to settle."""
    if model is pattern or (model in _DOUBTS and pattern in _DOUBTS):
        return pattern
    return Certainty.HEDGED if model in _DOUBTS or pattern in _DOUBTS else pattern


def _fuller(model: Candidate, pattern: Candidate, conversation: Conversation) -> str:
    """Return the patterns' value, which is uniform; the model's where it says more in words of the user's."""
    content = conversation.messages[model.turn].content
    if len(_squeezed(model.value)) <= len(_squeezed(pattern.value)) or model.polarity is not pattern.polarity:
        return pattern.value
    said = folded(model.value) in folded(content) or gist(model.value).terms <= gist(content).terms
    return model.value if said else pattern.value


def _was_talked_of(summary: str, conversation: Conversation) -> bool:
    """Tell if most words of a summary were said; a model that adds more tells of something else."""
    told = gist(summary).terms
    said = frozenset().union(*(gist(message.content).terms for message in conversation.messages))
    return len(told & said) >= _MOST * len(told)


def _times(model: Candidate, pattern: Candidate) -> dict[str, object]:
    """Return when it happened: as code worked it out, unless the model speaks of another time."""
    a, b = folded(model.time_phrase), folded(pattern.time_phrase)
    if pattern.happened_at is None or not b or not (a in b or b in a):
        return {}
    return {
        "happened_at": pattern.happened_at,
        "happened_until": pattern.happened_until,
        "time_phrase": pattern.time_phrase,
    }
