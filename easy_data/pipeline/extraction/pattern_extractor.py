"""Reads a conversation without a model: clauses, guards, then patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from easy_data.pipeline.extraction.clauses import Clause, split_sentences
from easy_data.pipeline.extraction.corrections import Placed, corrected
from easy_data.pipeline.extraction.events import find_events
from easy_data.pipeline.extraction.guards import Guard, Judged, Judgement
from easy_data.pipeline.extraction.judging import CUES, judge_dialogue
from easy_data.pipeline.extraction.matching import Hit, Pattern, load_patterns, run
from easy_data.pipeline.extraction.values import normalise
from easy_data.pipeline.extraction.workspaces import find_workspaces
from easy_data.schemas.candidates import Candidate, Certainty, Change
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.ports import Extraction
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry

_HELD_BACK = {
    "zh": "对话里有一条写给助手的指令，未采纳",
    "en": "The conversation held an instruction to the assistant; it was not adopted",
}


class PatternExtractor:
    """The extractor that needs no model: deterministic, Chinese and English."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def extract(self, conversation: Conversation) -> Extraction:
        """Return the candidates in the order they were said: profile, then events, then workspaces."""
        judged = judge_dialogue(conversation)
        candidates = [
            *self.find_profile(conversation, judged),
            *find_instructions(judged),
            *find_events(conversation, list(judged)),
            *find_workspaces(conversation, list(judged)),
        ]
        return Extraction(candidates=tuple(candidates))

    def find_profile(self, conversation: Conversation, judged: Sequence[Judged]) -> list[Candidate]:
        """Return the profile candidates of the judged clauses."""
        placed: list[Placed] = []
        for _, group in groupby(judged, key=lambda j: (j.clause.turn, j.clause.sentence)):
            clauses = list(group)
            content = conversation.messages[clauses[0].clause.turn].content
            placed += _most_specific(list(self._of_sentence(content, clauses)))
        sentences = [
            sentence
            for turn in sorted({j.clause.turn for j in judged})
            for sentence in split_sentences(conversation.messages[turn].content, turn)
        ]
        placed = corrected(placed, sentences, self._registry)
        placed.sort(key=lambda p: p.place)
        return _with_replaced([p.candidate for p in placed])

    def _of_sentence(self, content: str, clauses: Sequence[Judged]) -> Iterator[Placed]:
        for judged in clauses:
            for language in judged.clause.languages:
                for pattern in load_patterns(language):
                    if pattern.spec.scope == "sentence" or (pattern.ask and not pattern.ask.search(judged.asked)):
                        continue
                    for hit in run(pattern, judged.clause.folded):
                        yield from self._candidate(judged.clause, judged.judgement, hit)
        whole = _joined(content, clauses)
        for language in whole.languages:
            for pattern in load_patterns(language):
                if pattern.spec.scope != "sentence":
                    continue
                for hit in run(pattern, whole.folded):
                    yield from self._candidate(whole, _judgement_at(clauses, whole, hit), hit)

    def _candidate(self, clause: Clause, judgement: Judgement, hit: Hit) -> Iterator[Placed]:
        pattern = hit.pattern
        attr = pattern.spec.attr
        if attr not in self._registry or judgement.blocking(pattern.allow):
            return
        if CUES[pattern.language].negation.search(clause.folded[max(0, hit.start - 24) : hit.start]):
            return
        one_off = judgement.has(Guard.ONE_OFF) and Guard.ONE_OFF not in pattern.allow
        if one_off and self._registry.get(attr).type == "preference":
            return
        value = pattern.spec.value or normalise(attr, clause.text[hit.value_start : hit.value_end])
        if not value:
            return
        candidate = Candidate(
            bucket=Bucket.PROFILE,
            quote=clause.text,
            turn=clause.turn,
            certainty=_certainty(pattern, judgement),
            attr_name=attr,
            value=value,
            polarity=pattern.spec.polarity,
            change=_change(pattern, judgement),
            flags=("instruction",) if judgement.has(Guard.INSTRUCTION) else (),
        )
        yield Placed(candidate, clause.start + hit.value_start)


def find_instructions(judged: Sequence[Judged]) -> list[Candidate]:
    """Return one flagged candidate for each turn that tries to give the assistant standing orders.

    Its summary does not repeat the order; the quote is evidence for the person who reviews it.
    """
    found: dict[int, Candidate] = {}
    for item in judged:
        clause = item.clause
        if item.judgement.has(Guard.INSTRUCTION) and clause.turn not in found:
            found[clause.turn] = Candidate(
                bucket=Bucket.EVENT,
                event_type="remark",
                summary=_HELD_BACK[clause.language],
                quote=clause.text,
                turn=clause.turn,
                certainty=Certainty.WEAK,
                flags=("instruction",),
            )
    return list(found.values())


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


def _joined(content: str, clauses: Sequence[Judged]) -> Clause:
    """Return the whole sentence as one clause."""
    first, last = clauses[0].clause, clauses[-1].clause
    if len(clauses) == 1:
        return first
    turn, sentence = first.turn, first.sentence
    whole = next(s for s in split_sentences(content[first.start : last.end], turn))
    return Clause(
        text=content[first.start : last.end],
        turn=turn,
        start=first.start,
        end=last.end,
        sentence=sentence,
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
    """Leave out what another candidate of the same attribute, found in the same sentence, says more fully."""
    kept: list[Placed] = []
    for item in sorted(placed, key=lambda p: -len(p.candidate.value)):
        same = [k for k in kept if k.candidate.attr_name == item.candidate.attr_name]
        if not any(item.candidate.value.casefold() in k.candidate.value.casefold() for k in same):
            kept.append(item)
    return sorted(kept, key=lambda p: p.place)


def _with_replaced(candidates: list[Candidate]) -> list[Candidate]:
    """Name, in a changed value, the former one that the same dialogue mentions."""
    former = {c.attr_name: c.value for c in candidates if c.change is Change.PAST}
    return [
        c.model_copy(update={"change": Change.CHANGED, "replaces": former[c.attr_name]})
        if c.attr_name in former and c.change in (Change.NONE, Change.CHANGED)
        else c
        for c in candidates
    ]
