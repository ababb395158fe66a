"""Reads a whole dialogue and judges each clause of its user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"^[ \t]*>.*$", re.MULTILINE),
    re.compile(r"“[^“”]*(?:”|\Z)"),
    re.compile(r"「[^「」]*(?:」|\Z)"),
    re.compile(r"『[^『』]*(?:』|\Z)"),
    re.compile(r'(?<![\w"])"[^"]*(?:"|\Z)'),
    re.compile(r"(?<!\w)'[^'\n]{12,}'(?!\w)"),
    re.compile(r"^(?:from|to|cc|subject|发件人|收件人|主题)[:：].*(?:\Z|\n\n)", re.DOTALL | re.IGNORECASE | re.MULTILINE),
)
# A question without its mark: "that depends on where you start from".
_INDIRECT = re.compile(r"^看您?你?|取决于|请问|告诉我|方便(?:说|问)|\b(?:depends on|tell me|let me know)\b", re.IGNORECASE)
# How many user turns before it a "just kidding" takes back.
_RETRACTED_TURNS = 2
# From here on a message is a document handed over, not something said about oneself.
_DOCUMENT_CHARS = 6000

Span = tuple[int, int]


def judge_dialogue(conversation: Conversation) -> tuple[Judged, ...]:
    """Return the clauses of the user's turns in order, each with the guards that hold for it."""
    messages = conversation.messages
    retracted = _retracted_turns(messages)
    judged: list[Judged] = []
    role_play = announced = False
    for turn, message in enumerate(messages):
        if message.role != "user":
            continue
        content = message.content
        folded = fold(content)
        role_play = role_play or _found("role_play", folded)
        spans = list(_foreign_spans(content, folded, announced=announced))
        announced = any(guard is Guard.PASTED and end - start == 0 for guard, (start, end) in spans)
        whole: set[Guard] = set()
        if role_play:
            whole.add(Guard.ROLE_PLAY)
        if turn in retracted:
            whole.add(Guard.RETRACTED)
        if len(content) > _DOCUMENT_CHARS:
            whole.add(Guard.PASTED)
        clauses = split_message(content, turn)
        judged += _judge_turn(clauses, whole, spans, _question_before(messages, turn))
    return tuple(judged)


def judge(clause: Clause, inherited: Iterable[Guard] = ()) -> Judgement:
    """Judge one clause by its own words and the guards it inherits from its surroundings."""
    guards = set(inherited)
    for language in clause.languages:
        cues = CUES[language]
        guards |= {guard for guard, words in cues.clause.items() if words.search(clause.folded)}
        if Guard.THIRD_PERSON in inherited and cues.first_person.search(clause.folded):
            guards.discard(Guard.THIRD_PERSON)
    # "maybe I am allergic?" is a doubt about oneself, not a question to the assistant.
    doubt = Guard.HEDGED in guards and any(CUES[lang].first_person.search(clause.folded) for lang in clause.languages)
    if ("?" in clause.ender or "？" in clause.ender) and not doubt:
        guards.add(Guard.QUESTION)
    if Guard.CHANGED in guards and Guard.PAST in inherited:
        guards.discard(Guard.PAST)
    return Judgement(frozenset(guards))


def _judge_turn(
    clauses: Sequence[Clause], whole: set[Guard], spans: Sequence[tuple[Guard, Span]], asked: str
) -> list[Judged]:
    judged: list[Judged] = []
    carried: set[Guard] = set()
    sentence = -1
    opening = True
    for clause in clauses:
        if clause.sentence != sentence:
            sentence, carried = clause.sentence, set()
        foreign = {guard for guard, (start, end) in spans if start <= clause.start + 1 and clause.end - 1 <= end}
        judgement = judge(clause, whole | carried | foreign)
        carried = {guard for guard in (*_CARRIED, Guard.THIRD_PERSON) if guard in judgement.guards}
        filler = bool(_FILLER.match(clause.folded))
        judged.append(Judged(clause, judgement, asked if opening and not filler else ""))
        opening = opening and filler
    return judged


def _found(cue: str, text: str) -> bool:
    return any(getattr(cues, cue).search(text) for cues in CUES.values())


def _retracted_turns(messages: Sequence[Message]) -> set[int]:
    turns = [turn for turn, message in enumerate(messages) if message.role == "user"]
    retracted: set[int] = set()
    for place, turn in enumerate(turns):
        if _found("retraction", fold(messages[turn].content)):
            retracted |= set(turns[max(0, place - _RETRACTED_TURNS) : place + 1])
    return retracted


def _foreign_spans(content: str, folded: str, *, announced: bool) -> Iterable[tuple[Guard, Span]]:
    """Yield the spans that are not the user's own words. An empty pasted span announces the next message."""
    if announced:
        yield Guard.PASTED, (0, len(content))
    for expression in _QUOTED:
        for found in expression.finditer(content):
            yield Guard.QUOTED, found.span()
    for cues in CUES.values():
        found_pasted = cues.pasted.search(folded)
        if found_pasted:
            rest = content[found_pasted.end() :]
            start = found_pasted.end()
            yield Guard.PASTED, (start, len(content) if rest.strip() else start)


def _question_before(messages: Sequence[Message], turn: int) -> str:
    """Return what the assistant's message before ``turn`` asks at its end, folded; empty when it asks nothing."""
    if not turn or messages[turn - 1].role != "assistant":
        return ""
    sentences = split_sentences(messages[turn - 1].content[-1000:], turn - 1)
    asking = [s for s in sentences[-2:] if "?" in s.ender or "？" in s.ender or _INDIRECT.search(s.folded)]
    return asking[-1].folded if asking else ""
