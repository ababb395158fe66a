"""English words that raise guards."""

from __future__ import annotations

import re

from easy_data.pipeline.extraction.guards import Cues, Guard


def _words(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


CUES = Cues(
    clause={
        Guard.QUESTION: _words(
            r"^(?:so |and |ok |hey |wait )*(?:what|who|where|when|why|how|which|do|does|did|can|could|would|will|is|are|"
            r"am|should|have|has)\b(?!.*\bdo i\b.*\.)"
        ),
        Guard.CONDITIONAL: _words(r"\b(?:if|unless|suppose|supposing|in case)\b"),
        Guard.HYPOTHETICAL: _words(r"\b(?:i wish|would be nice|would love to be|imagine|in another life)\b"),
        Guard.JOKE: _words(r"\b(?:jk|just kidding|lmao jk)\b|/s$"),
        Guard.THIRD_PERSON: _words(
            r"^(?:and |but |so |oh |well )*(?:he|she|they|(?:my|our) (?:\w+ )?(?:mom|mum|dad|sister|brother|friend|boss|"
            r"wife|husband|coworker|colleague|roommate|neighbou?r|son|daughter|cousin|uncle|aunt))\b"
        ),
        Guard.HEDGED: _words(r"\b(?:maybe|perhaps|might|probably|not sure|i guess|possibly|thinking (?:of|about))\b"),
        Guard.ONE_OFF: _words(r"\b(?:today|tonight|right now|this time|for once)\b"),
        Guard.PAST: _words(r"\b(?:used to|back in|formerly|previously|years ago|as a kid)\b"),
        Guard.CHANGED: _words(r"\b(?:now|these days|nowadays|lately|switched to|since)\b"),
        Guard.INSTRUCTION: _words(r"\b(?:you must|always approve|ignore (?:all|previous)|system prompt)\b"),
    },
    first_person=_words(r"\b(?:i|i'm|i've|me|my|we|we're|our)\b"),
    negation=_words(r"(?:\bnot|n't|\bnever|\bno)(?: \w+)?\s*$"),
    retraction=_words(r"\bapril fools|\b(?:just )?kidding|\bjk\b|\bpulling your leg|\bi made that up"),
    role_play=_words(r"\blet's (?:play|pretend)|\brole-?play|\bpretend (?:you|i|to be)|\bin character"),
    pasted=_words(r"\b(?:translate|proofread|summari[sz]e|read this|look at this|check this)\b.*:"),
    slip=_words(r"\b(?:wait|sorry|scratch that|correction|i meant|typo|oops)\b"),
    corrections=(
        _words(r"\bit'?s (?P<new>[\w +#.-]{2,40}?),? not (?P<old>[\w +#.-]{2,40})$"),
        _words(r"\bnot (?P<old>[\w +#.-]{2,40}?)[,;]? (?:it'?s|but|i meant) (?P<new>[\w +#.-]{2,40})$"),
    ),
)
