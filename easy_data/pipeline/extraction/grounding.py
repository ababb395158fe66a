"""Checks what a model proposes against what was said: whose words the quote is, and if they carry the value."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from easy_data.schemas.candidates import Certainty
from easy_data.schemas.conversation import Message

NO_EVIDENCE = "no_evidence"
NOT_USER = "not_user"

_PLAIN_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "…": "."})
_WORDS = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+")
_STEM_CHARS = 5  # letters that decide if two words are forms of one: "designer", "designing"
_SHORT_WORD = 3  # words up to here ("the", "and") say little; they count only where nothing longer is
_FUNCTION_CHARS = frozenset("的了是我你他她它们在不有个这那就都也和与很好吗吧呢啊用户")  # say little, like short words
_ASKING = re.compile(r"[?？]|[吗吧呢]\s*[。.!！]?\s*$")
_BLOCK = 4096  # characters; a long text is folded in blocks to find a place in it


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a quote was found, exactly as it stands there, and why it does not count (``flags``), if so."""

    turn: int
    quote: str
    flags: tuple[str, ...] = ()


class Grounding:
    """The words of one conversation, ready to be looked up."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._folded: dict[int, str] = {}
        self._user_stems: frozenset[str] | None = None

    def evidence(self, quote: str, turn: int) -> Evidence:
        """Find ``quote`` in the user message ``turn``, else in the nearest user message that holds it.

        Width, composition, case, blanks, and the kind of quotation marks may differ, and punctuation at either end; the
        words may not.
        """
        named = min(max(turn, 0), len(self._messages) - 1)
        wanted = _needle(quote)
        if not wanted:
            return Evidence(named, quote, (NO_EVIDENCE,))
        by_nearness = sorted(range(len(self._messages)), key=lambda other: abs(other - named))
        for other in by_nearness:
            if self._messages[other].role == "user" and (found := self._found(quote, wanted, other)):
                return Evidence(other, found)
        for other in by_nearness:
            if self._messages[other].role != "user" and (found := self._found(quote, wanted, other)):
                return Evidence(other, found, (NOT_USER,))
        return Evidence(named, quote, (NO_EVIDENCE,))

    def weight(self, value: str, turn: int, certainty: Certainty) -> tuple[Certainty, tuple[str, ...]]:
        """Return the certainty that the user's words bear for ``value``, proposed at ``turn``, and flags.

        A value without a word of the user's is what he or she said yes to, when the assistant asked with such words;
        the assistant's own, when it did not ask; otherwise a conclusion or a translation, "inferred" at most.
        """
        wanted = _stems(value)
        if not wanted or wanted & self._said():
            return certainty, ()
        before = self._answered(turn)
        if wanted & _stems(before, every=True):
            if not _ASKING.search(before):
                return certainty, (NOT_USER,)
            if certainty is Certainty.CONFIRMED:
                return certainty, ()
        return (certainty if certainty in _UNSURE else Certainty.INFERRED), ()

    def _answered(self, turn: int) -> str:
        """Return what the assistant said before the message at ``turn``."""
        said = (message.content for message in reversed(self._messages[:turn]) if message.role == "assistant")
        return next((content for content in said if content.strip()), "")

    def _said(self) -> frozenset[str]:
        if self._user_stems is None:
            spoken = (_stems(message.content, every=True) for message in self._messages if message.role == "user")
            self._user_stems = frozenset().union(*spoken)
        return self._user_stems

    def _found(self, quote: str, wanted: str, turn: int) -> str:
        """Return the words of the message that read like the quote; empty when it does not hold them."""
        content = self._messages[turn].content
        if quote.strip() in content:
            return quote.strip()
        if turn not in self._folded:
            self._folded[turn] = _fold(content)
        start = self._folded[turn].find(wanted)
        return _original(content, start, len(wanted)) if start >= 0 else ""


_UNSURE = frozenset({Certainty.HEDGED, Certainty.INFERRED, Certainty.WEAK})


def _fold(text: str) -> str:
    """Return ``text`` without blanks, in one width, composition, case and kind of quotation marks."""
    return "".join(unicodedata.normalize("NFKD", text.translate(_PLAIN_QUOTES)).casefold().split())


def _original(text: str, start: int, length: int) -> str:
    """Return the stretch of ``text`` that folds to ``length`` characters from ``start`` of the folded text."""
    before = [0, *accumulate(len(_fold(text[at : at + _BLOCK])) for at in range(0, len(text), _BLOCK))]

    def folded_chars(count: int) -> int:
        block = count // _BLOCK
        return before[block] + len(_fold(text[block * _BLOCK : count]))

    counts = range(len(text) + 1)
    begin = bisect_right(counts, start, key=folded_chars) - 1
    end = bisect_left(counts, start + length, key=folded_chars)
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return text[begin:end]


def _needle(quote: str) -> str:
    """Fold a quote; what surrounds its first and last letter, digit or ideograph is the model's manner."""
    folded = _fold(quote)
    inside = [index for index, char in enumerate(folded) if char.isalnum()]
    return folded[inside[0] : inside[-1] + 1] if inside else ""


def _stems(text: str, *, every: bool = False) -> frozenset[str]:
    """Return the ideographs and the beginnings of the other words; those that say little only if ``every`` or alone."""
    telling: set[str] = set()
    little: set[str] = set()
    for match in _WORDS.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = match.group()
        if "㐀" <= word <= "鿿":
            (little if word in _FUNCTION_CHARS else telling).add(word)
        else:
            (telling if len(word) > _SHORT_WORD or word.isdigit() else little).add(word[:_STEM_CHARS])
    return frozenset(telling | little if every or not telling else telling)
