"""Reads a whole dialogue and judges each clause of its user."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from easy_data.pipeline.extraction import guards_en, guards_zh
from easy_data.pipeline.extraction.clauses import Clause, fold, split_message, split_sentences
from easy_data.pipeline.extraction.guards import Cues, Guard, Judged, Judgement
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.records import Language

CUES: dict[Language, Cues] = {"zh": guards_zh.CUES, "en": guards_en.CUES}

# Guards that a clause hands on to the next ones of its sentence.
_CARRIED = (Guard.PAST, Guard.CONDITIONAL, Guard.HYPOTHETICAL, Guard.HEDGED)
_FILLER = re.compile(
    r"^(?:[嗯哦啊哎喔噢呃恩额对是好行哈呵嘿\s]+|o+h+|u[hm]+|hm+|ye[sap]h?|yup|no+(?:pe)?|ok(?:ay)?|ha(?:ha)*|well|so|lol)$",
    re.IGNORECASE,
)
_QUOTED = (
    re.compile(
        r"^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:|(?:DEBUG|INFO|WARN|ERROR|FATAL)\b).*$", re.MULTILINE
    ),  # lines of a log
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"[\[{]\s*\"[^\"\n]{1,80}\"\s*:.*[}\]]", re.DOTALL),  # JSON
    re.compile(r"^[ \t]*>.*$", re.MULTILINE),
    re.compile(r"“[^“”]*(?:”|\Z)"),
    re.compile(r"「[^「」]*(?:」|\Z)"),
    re.compile(r"『[^『』]*(?:』|\Z)"),
    re.compile(r'(?<![\w"])"[^"]*(?:"|\Z)'),
    re.compile(r"(?<!\w)'[^'\n]{12,}'(?!\w)"),
    re.compile(
        r"^(?:from|to|cc|subject|发件人|收件人|主题)[:：].*(?:\Z|\n\n)", re.DOTALL | re.IGNORECASE | re.MULTILINE
    ),
)
# A clause that starts over with the user as its subject.
_STATES = re.compile(
    r"(?:我|本人|俺|咱)(?![也都还就]?(?:会|要|想|去|是不是|可能|或许|不))|i(?:'m| am) (?:an?|the)\b", re.IGNORECASE
)
# A question without its mark: "that depends on where you start from".
_INDIRECT = re.compile(
    r"^看您?你?|取决于|请问|告诉我|方便(?:说|问)|\b(?:depends on|tell me|let me know)\b", re.IGNORECASE
)
# A role play lasts this many user turns after the last word of it.
_ROLE_PLAY_TURNS = 20
# How many user turns before it a "just kidding" takes back.
_RETRACTED_TURNS = 2
# Reading takes some seconds for so many characters. A longer message is a document handed over; what its sender says
# of himself stands before or after it, so its two ends are read.
READ_CHARS = 100_000

Span = tuple[int, int]


def judge_dialogue(conversation: Conversation) -> tuple[Judged, ...]:
    """Return the clauses of the user's turns in order, each with the guards that hold for it.

    Linear in the length of the dialogue. Of a message over ``READ_CHARS`` the two ends are read, ``unread_turns`` names
    it.
    """
    messages = conversation.messages
    retracted = _retracted_turns(messages)
    judged: list[Judged] = []
    announced = False
    role_play = 0
    for turn, message in enumerate(messages):
        if message.role != "user":
            continue
        for offset, piece in _pieces(message.content):
            folded = fold(piece)
            role_play = _ROLE_PLAY_TURNS if _found("role_play", folded) else role_play
            foreign = _Foreign(piece, folded, offset, announced=announced)
            announced = foreign.announces
            whole = {Guard.ROLE_PLAY} if role_play else set()
            if turn in retracted:
                whole.add(Guard.RETRACTED)
            clauses = [_moved(clause, offset) for clause in split_message(piece, turn)]
            judged += _judge_turn(clauses, whole, foreign, "" if offset else _question_before(messages, turn))
        role_play = max(0, role_play - 1)
    return tuple(judged)


def unread_turns(conversation: Conversation) -> list[int]:
    """Return the user's turns of which the middle is not read."""
    return [
        turn
        for turn, message in enumerate(conversation.messages)
        if message.role == "user" and len(message.content) > READ_CHARS
    ]


def judge(clause: Clause, inherited: Iterable[Guard] = ()) -> Judgement:
    """Judge one clause by its own words and the guards it inherits from its surroundings."""
    own: set[Guard] = set()
    first_person = False
    for language in clause.languages:
        cues = CUES[language]
        own |= {guard for guard, words in cues.clause.items() if words.search(clause.folded)}
        first_person = first_person or cues.first_person.search(clause.folded) is not None
    guards = own | set(inherited)
    if first_person and Guard.THIRD_PERSON not in own:
        guards.discard(Guard.THIRD_PERSON)
    # "maybe I am allergic?" is a doubt about oneself, not a question to the assistant.
    doubt = Guard.HEDGED in guards and any(CUES[lang].first_person.search(clause.folded) for lang in clause.languages)
    if ("?" in clause.ender or "？" in clause.ender) and not doubt:
        guards.add(Guard.QUESTION)
    if Guard.CHANGED in guards and Guard.PAST in inherited:
        guards.discard(Guard.PAST)
    return Judgement(frozenset(guards))


def _pieces(content: str) -> list[tuple[int, str]]:
    """Return the parts of a message that are read, with their offsets."""
    if len(content) <= READ_CHARS:
        return [(0, content)]
    end = len(content) - READ_CHARS // 2
    return [(0, content[: READ_CHARS // 2]), (end, content[end:])]


def _moved(clause: Clause, offset: int) -> Clause:
    # A sentence of the second piece must not carry the number of one of the first.
    return replace(clause, start=clause.start + offset, end=clause.end + offset, sentence=clause.sentence + offset)


def _judge_turn(clauses: Sequence[Clause], whole: set[Guard], foreign: _Foreign, asked: str) -> list[Judged]:
    judged: list[Judged] = []
    carried: set[Guard] = set()
    sentence = -1
    opening = True
    for clause in clauses:
        if clause.sentence != sentence:
            sentence, carried = clause.sentence, set()
        judgement = judge(clause, whole | _inherited(carried, clause) | foreign.at(clause))
        carried = {guard for guard in (*_CARRIED, Guard.THIRD_PERSON) if guard in judgement.guards}
        filler = bool(_FILLER.match(clause.folded))
        judged.append(Judged(clause, judgement, asked if opening and not filler else ""))
        opening = opening and filler
    return judged


def _inherited(carried: set[Guard], clause: Clause) -> set[Guard]:
    """Return what a clause takes over from the one before; a hedge ends where the user begins to speak of himself."""
    if Guard.HEDGED in carried and _STATES.match(clause.folded):
        return carried - {Guard.HEDGED}
    return carried


def _found(cue: str, text: str) -> bool:
    return any(getattr(cues, cue).search(text) for cues in CUES.values())


def _retracted_turns(messages: Sequence[Message]) -> set[int]:
    turns = [turn for turn, message in enumerate(messages) if message.role == "user"]
    retracted: set[int] = set()
    for place, turn in enumerate(turns):
        content = messages[turn].content
        if len(content) <= READ_CHARS and _found("retraction", fold(content)):
            retracted |= set(turns[max(0, place - _RETRACTED_TURNS) : place + 1])
    return retracted


class _Foreign:
    """The stretches of one piece of a message, beginning at ``offset``, that are not the user's own words."""

    def __init__(self, content: str, folded: str, offset: int, *, announced: bool) -> None:
        quoted = [found.span() for expression in _QUOTED for found in expression.finditer(content)]
        starts = [found.end() for cues in CUES.values() if (found := cues.pasted.search(folded))]
        pasted = [(0 if announced else start, len(content)) for start in starts or [len(content)]]
        self.announces = any(not content[start:].strip() for start in starts)
        self._spans = {Guard.QUOTED: _merged(quoted), Guard.PASTED: _merged(pasted)}
        self._offset = offset

    def at(self, clause: Clause) -> set[Guard]:
        """Return the guards of the stretches in which ``clause`` lies, give or take its quotation marks."""
        start, end = clause.start - self._offset, clause.end - self._offset
        return {guard for guard, spans in self._spans.items() if _covered(spans, start + 1, end - 1)}


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _covered(spans: Sequence[Span], start: int, end: int) -> bool:
    place = bisect_right(spans, (start, sys.maxsize)) - 1
    return place >= 0 and end <= spans[place][1]


def _question_before(messages: Sequence[Message], turn: int) -> str:
    """Return what the assistant's message before ``turn`` asks at its end, folded; empty when it asks nothing."""
    if not turn or messages[turn - 1].role != "assistant":
        return ""
    sentences = split_sentences(messages[turn - 1].content[-1000:], turn - 1)
    asking = [s for s in sentences[-2:] if "?" in s.ender or "？" in s.ender or _INDIRECT.search(s.folded)]
    return asking[-1].folded if asking else ""
