"""Finds profile candidates: runs the patterns over judged clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from easy_data.pipeline.extraction.clauses import Clause, split_sentences
from easy_data.pipeline.extraction.corrections import Placed, corrected, slip_in
from easy_data.pipeline.extraction.guards import Guard, Judged, Judgement
from easy_data.pipeline.extraction.judging import CUES
from easy_data.pipeline.extraction.matching import Hit, Pattern, run
from easy_data.pipeline.extraction.own_patterns import OwnPatterns, own_patterns
from easy_data.pipeline.extraction.values import normalise
from easy_data.schemas.candidates import Candidate, Certainty, Change
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.records import Bucket, Language, Polarity
from easy_data.schemas.registry import Registry

# Words of somebody else or of a game: no pattern may allow these, so nothing is tried on them.
_CLOSED = frozenset({Guard.PASTED, Guard.QUOTED, Guard.ROLE_PLAY, Guard.RETRACTED, Guard.JOKE})
# The assistant asks what came in the place of the value the user called former.
_AND_NOW = re.compile(r"\b(?:now|these days|nowadays|instead|lately)\b|现在|如今|后来|改成", re.IGNORECASE)
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
# "Learning a language is tough" speaks of learning in general; so may other work.
_SUBJECTS = frozenset({"learning", "current_project", "education", "occupation"})
_GENERAL = re.compile(
    r"[a-z]+ing\b[^,.;!?]{0,80}? (?:is|are|was|were|has been|have been|can|could|brings?|helps?|makes?|gives?|takes?|"
    r"fascinates?|means|requires?|sounds?|feels?|seems?|keeps?)\b",
    re.IGNORECASE,
)
# Where one attribute reads words and more that another one is made for, the other keeps them; these the same words, too.
_EVEN_THE_SAME = frozenset({"hobby", "location"})
_BETTER_FILED = {
    "hobby": frozenset({"music_preference", "learning", "programming_language"}),
    "location": frozenset({"timezone"}),
    "reply_style": frozenset({"reply_language", "reply_format"}),
}
# A sentence of at most this length that holds a slip holds nothing else.
_SLIP_CHARS = 15
_LIST = re.compile(r"\s*(?:,|，|、|/|\band\b|&|和|跟|以及)\s*")


def find_profile(conversation: Conversation, judged: Sequence[Judged], registry: Registry) -> list[Candidate]:
    """Return the profile candidates of the judged clauses, in the order they were said."""
    asked = {j.clause.turn: j.asked for j in judged if j.asked}
    patterns = own_patterns(registry)
    placed: list[Placed] = []
    sentences: list[Clause] = []
    for (turn, _), group in groupby(judged, key=lambda j: (j.clause.turn, j.clause.sentence)):
        clauses = list(group)
        whole = _joined(conversation.messages[turn].content, clauses)
        slipped = slip_in(whole) is not None or _only_slip(sentences, turn)
        sentences.append(whole)
        expected = _expected(placed, turn, asked.get(turn, ""), slipped=slipped)
        found = [
            p
            for p in _of_sentence(clauses, whole, expected, patterns, slipped=slipped)
            if p.candidate.attr_name in registry
        ]
        placed = _without_restated(placed, found, turn)
        placed += _most_specific([p for p in found if _lasting(p, clauses, registry)])
    placed = corrected(placed, sentences, registry)
    placed.sort(key=lambda p: p.place)
    return _with_replaced([p.candidate for p in placed])


def _expected(placed: Sequence[Placed], turn: int, asked: str, *, slipped: bool) -> frozenset[str]:
    """Return the attributes a short remark is about although it does not name them.

    After "wait" it corrects the last turn; after the assistant's "and now?" it gives the present value of a former one.
    """
    and_now = _AND_NOW.search(asked)
    if not slipped and not and_now:
        return frozenset()
    earlier = [p.candidate for p in placed if p.candidate.turn < turn]
    names: set[str] = set()
    if slipped:
        names |= {c.attr_name for c in earlier if c.turn == earlier[-1].turn}
    if and_now:
        answered = {p.candidate.attr_name for p in placed if p.candidate.turn == turn}
        names |= {c.attr_name for c in earlier if c.change is Change.PAST} - answered
    return frozenset(names)


def _only_slip(sentences: Sequence[Clause], turn: int) -> bool:
    """Tell if the sentence before, in the same turn, said no more than that the user misspoke: "typo!!"."""
    if not sentences or sentences[-1].turn != turn:
        return False
    return len(sentences[-1].text) <= _SLIP_CHARS and slip_in(sentences[-1]) is not None


def _without_restated(placed: list[Placed], found: Sequence[Placed], turn: int) -> list[Placed]:
    restated = {p.candidate.attr_name for p in found if p.restated}
    if not restated:
        return placed
    earlier = [p.candidate.turn for p in placed if p.candidate.turn < turn]
    return [p for p in placed if p.candidate.attr_name not in restated or p.candidate.turn != earlier[-1]]


def _of_sentence(
    clauses: Sequence[Judged], whole: Clause, expected: frozenset[str], patterns: OwnPatterns, *, slipped: bool
) -> Iterator[Placed]:
    for judged in clauses:
        if judged.judgement.guards & _CLOSED:
            continue
        found = list(_of_clause(judged, expected, patterns, slipped=slipped))
        yield from found
        if any(p.candidate.attr_name in expected for p in found):
            expected = frozenset()
    for language in whole.languages:
        for pattern in patterns.worth_trying(language, whole.folded):
            if pattern.spec.scope == "sentence":
                for hit in run(pattern, whole.folded):
                    yield from _candidates(whole, _judgement_at(clauses, whole, hit), hit)


def _of_clause(judged: Judged, expected: frozenset[str], patterns: OwnPatterns, *, slipped: bool) -> Iterator[Placed]:
    slip = slip_in(judged.clause)
    for language in _languages(judged):
        for pattern in patterns.worth_trying(language, judged.clause.folded):
            if pattern.spec.scope == "sentence":
                continue
            if pattern.ask is None or pattern.ask.search(judged.asked):
                for hit in run(pattern, judged.clause.folded):
                    yield from _candidates(judged.clause, judged.judgement, hit)
            elif pattern.spec.attr in expected:
                for hit in run(pattern, judged.clause.folded, start=slip.end() if slip else 0):
                    for placed in _candidates(judged.clause, judged.judgement, hit):
                        yield replace(placed, restated=slipped)


def _languages(judged: Judged) -> tuple[Language, ...]:
    """Return the languages to try: those of the clause, and that of the question when a name may answer it."""
    spoken = judged.clause.languages
    if not judged.asked:
        return spoken
    asked: Language = "zh" if _IDEOGRAPH.search(judged.asked) else "en"
    return spoken if asked in spoken else (*spoken, asked)


def _candidates(clause: Clause, judgement: Judgement, hit: Hit) -> Iterator[Placed]:
    spec = hit.pattern.spec
    if judgement.blocking(hit.pattern.allow) or judgement.guards & _CLOSED:
        return
    if CUES[hit.pattern.language].negation.search(clause.folded[max(0, hit.start - 24) : hit.start]):
        return
    if spec.attr in _SUBJECTS and hit.start == 0 and _GENERAL.match(clause.folded):
        return
    said = spec.value or clause.text[hit.value_start : hit.value_end]
    replaces = normalise(spec.attr, clause.text[hit.old_start : hit.old_end])
    ended = _says_it_ended(clause, hit)
    for part in _LIST.split(said) if spec.split else [said]:
        value = normalise(spec.attr, part)
        if not value:
            continue
        candidate = Candidate(
            bucket=Bucket.PROFILE,
            quote=clause.text,
            turn=clause.turn,
            certainty=_certainty(hit.pattern, judgement),
            attr_name=spec.attr,
            value=value,
            polarity=Polarity.POSITIVE if ended else spec.polarity,
            change=Change.ENDED if ended else Change.CHANGED if replaces else _change(hit.pattern, judgement),
            replaces=replaces,
            flags=("instruction",) if judgement.has(Guard.INSTRUCTION) else (),
        )
        yield Placed(candidate, clause.start + hit.value_start, allowed=hit.pattern.allow)


def _says_it_ended(clause: Clause, hit: Hit) -> bool:
    cues = CUES[hit.pattern.language]
    if hit.pattern.spec.attr == "pet" and cues.gone.search(clause.folded):
        return True
    if hit.pattern.spec.polarity < 0:
        return cues.ended.search(clause.folded) is not None
    # "no longer eats meat" is a value that holds the words; "no longer at IBM" is the end of one.
    return any(not hit.value_start <= m.start() < hit.value_end for m in cues.over.finditer(clause.folded))


def _certainty(pattern: Pattern, judgement: Judgement) -> Certainty:
    if pattern.spec.certainty is Certainty.STATED and judgement.has(Guard.HEDGED) and Guard.HEDGED not in pattern.allow:
        return Certainty.HEDGED
    return pattern.spec.certainty


def _change(pattern: Pattern, judgement: Judgement) -> Change:
    if pattern.spec.change is not Change.NONE:
        return pattern.spec.change
    if judgement.has(Guard.PAST) and Guard.PAST not in pattern.allow:
        return Change.PAST
    return Change.CHANGED if judgement.has(Guard.CHANGED) else Change.NONE


def _lasting(placed: Placed, clauses: Sequence[Judged], registry: Registry) -> bool:
    """Tell if this is more than a wish of the moment: "noodles today" is no preference."""
    if registry.get(placed.candidate.attr_name).type != "preference" or Guard.ONE_OFF in placed.allowed:
        return True
    at = [j for j in clauses if j.clause.start <= placed.start < j.clause.end]
    return not any(j.judgement.has(Guard.ONE_OFF) for j in at)


def _joined(content: str, clauses: Sequence[Judged]) -> Clause:
    """Return the whole sentence as one clause."""
    first, last = clauses[0].clause, clauses[-1].clause
    if len(clauses) == 1:
        return first
    whole = split_sentences(content[first.start : last.end], first.turn)[0]
    return Clause(
        text=content[first.start : last.end],
        turn=first.turn,
        start=first.start,
        end=last.end,
        sentence=first.sentence,
        language=whole.language,
        folded=whole.folded,
        ender=last.ender,
        mixed=whole.mixed,
    )


def _judgement_at(clauses: Sequence[Judged], whole: Clause, hit: Hit) -> Judgement:
    """Return the guards of the clauses that the hit touches."""
    start, end = whole.start + hit.start, whole.start + hit.end
    touched = [j.judgement.guards for j in clauses if j.clause.start < end and start < j.clause.end]
    return Judgement(frozenset().union(*touched))


def _most_specific(placed: list[Placed]) -> list[Placed]:
    """Leave out what another candidate of the same sentence says more fully, or files better."""
    kept: list[Placed] = []
    for item in sorted(placed, key=lambda p: -len(p.candidate.value)):
        same = [k for k in kept if k.candidate.attr_name == item.candidate.attr_name]
        if not any(_within(item, k) for k in same) and not any(_yields(item, other) for other in placed):
            kept.append(item)
    return sorted(kept, key=lambda p: p.place)


def _yields(item: Placed, other: Placed) -> bool:
    """Tell if ``other`` files the same words better: what one listens to is music, no hobby besides."""
    name = item.candidate.attr_name
    if other.candidate.attr_name not in _BETTER_FILED.get(name, ()) or not _within(other, item):
        return False
    return name in _EVEN_THE_SAME or not _within(item, other)


def _within(item: Placed, other: Placed) -> bool:
    return item.candidate.value.casefold() in other.candidate.value.casefold()


def _with_replaced(candidates: list[Candidate]) -> list[Candidate]:
    """Name, in a changed value, the former one that the same dialogue mentions."""
    former = {c.attr_name: c.value for c in candidates if c.change is Change.PAST}
    return [
        c.model_copy(update={"change": Change.CHANGED, "replaces": former[c.attr_name]})
        if c.attr_name in former and c.change in (Change.NONE, Change.CHANGED) and not c.replaces
        else c
        for c in candidates
    ]
