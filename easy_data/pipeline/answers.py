"""Reads the user's answers to questions that were waiting: yes, no, or another value. Chinese and English rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from easy_data.pipeline.asking import asks_for, mentions
from easy_data.schemas.candidates import FOR_REVIEWERS, Candidate, Certainty, Change
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.keys import bare_value
from easy_data.schemas.records import Bucket, Polarity
from easy_data.schemas.registry import Registry
from easy_data.schemas.review import ReviewItem

_YES = re.compile(
    r"^\W*(?:对(?!不起)|对的|是的?(?!不是)|嗯+|没错|不错|正是|可以|好的?|行|记吧|记下来?吧|确实|当然"
    r"|y(?:es|eah|ep|up)\b|right\b|correct\b|exactly\b|sure\b|that'?s right\b|indeed\b|of course\b|please do\b"
    r"|ok(?:ay)?\b|true\b|i do\b|it is\b|it has\b)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:不(?!错)|没有|没(?!错)|否|别(?:记)?|还是(?:老样子|原来)|错了"
    r"|no(?:pe|t)?\b|nah\b|wrong\b|incorrect\b|don'?t\b|never\b|still the same\b|it(?:'s| is) still\b)",
    re.IGNORECASE,
)
# What takes a yes back, or leaves it open: "Right?? No, never", "Sure, if you say so, but I am not".
_UNSURE = re.compile(
    r"^\W*\w+\s*[?？]|\bused to\b|\b(?:am|is|are|do|does|did|was|have|has) ?(?:not|n['’]t)\b|\bi['’]?m not\b"
    r"|(?:[,.;:!?，。；：！？]\s*|\band )(?:but|no|not|never|whatever|anyway|if you say so|let['’]?s)\b"
    r"|[，,。；;！!？?\s](?:但|可是|不过|不|没(?!几|多)|其实|算了|随便|(?:那是)?以前)",
    re.IGNORECASE,
)
_NO_OBJECTION = re.compile(
    r"\b(?:no|not a) (?:doubt(?: about it)?|question|problem|worries)\b|没错|不错|没问题|不客气", re.IGNORECASE
)


def read_answers(
    conversation: Conversation, waiting: Sequence[ReviewItem], found: Sequence[Candidate], registry: Registry
) -> list[Candidate]:
    """Return one candidate for each waiting item that this conversation answers.

    The candidate carries the proposal, ``answers_review`` and the user's words as its quote; ``denied`` when the
    answer was no. An answer with a third value, or a plain statement of a value that is being asked about, arrives
    among ``found`` and is recognised there.
    """
    answers = []
    for item in waiting:
        if item.reason in FOR_REVIEWERS or item.conversation_id == conversation.conversation_id:
            continue
        answer = _to_question(conversation, item, registry) or _by_statement(found, item)
        if answer is not None:
            answers.append(answer)
    return answers


def _to_question(conversation: Conversation, item: ReviewItem, registry: Registry) -> Candidate | None:
    for turn, message in enumerate(conversation.messages[:-1]):
        reply = conversation.messages[turn + 1]
        if message.role != "assistant" or reply.role != "user" or not asks_for(message.content, item, registry):
            continue
        said = reply.content.strip()
        plain = _NO_OBJECTION.sub(" ", said)
        proposed = mentions(said, str(item.proposed.get("attr_value") or ""))
        other = item.current is not None and mentions(said, str(item.current.get("attr_value") or ""))
        denied = _NO.search(plain) is not None
        if (_YES.search(said) and not _UNSURE.search(plain)) or (proposed and not other and not denied):
            return _answer(item, turn + 1, said, denied=False)
        if denied or other:
            return _answer(item, turn + 1, said, denied=True)
    return None


def _by_statement(found: Sequence[Candidate], item: ReviewItem) -> Candidate | None:
    """The user says the asked value again, unasked and unhedged: that answers the question as well."""
    if item.bucket is not Bucket.PROFILE or item.proposed.get("change") == Change.ENDED:
        return None
    for candidate in found:
        if candidate.attr_name != item.attr_name or candidate.certainty is not Certainty.STATED or candidate.flags:
            continue
        if candidate.change in (Change.ENDED, Change.PAST):
            continue
        if int(candidate.polarity) == item.proposed.get("polarity", 1) and _same(candidate.value, item.proposed):
            return _answer(item, candidate.turn, candidate.quote, denied=False)
    return None


def _same(value: str, proposed: dict[str, object]) -> bool:
    return bare_value(value) == bare_value(str(proposed.get("attr_value") or ""))


def _answer(item: ReviewItem, turn: int, quote: str, *, denied: bool) -> Candidate:
    proposed = item.proposed
    return Candidate(
        bucket=item.bucket,
        quote=quote,
        turn=turn,
        certainty=Certainty.CONFIRMED,
        extractor="answer",
        attr_name=item.attr_name,
        value=str(proposed.get("attr_value") or ""),
        polarity=Polarity(int(str(proposed.get("polarity", 1)))),
        change=Change(proposed.get("change", Change.NONE)),
        summary=str(proposed.get("summary") or ""),
        answers_review=item.id,
        denied=denied,
    )
