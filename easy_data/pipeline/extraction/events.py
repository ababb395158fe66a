"""Finds what happened to the user: tasks completed, decisions, things learned, milestones, dated plans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from easy_data.pipeline.extraction.clauses import fold
from easy_data.pipeline.extraction.dates import DateMention, find_dates
from easy_data.pipeline.extraction.event_vocabulary import Trigger, load_vocabulary
from easy_data.pipeline.extraction.guards import Guard, Judged
from easy_data.pipeline.extraction.judging import CUES
from easy_data.pipeline.extraction.local_calendar import Lean
from easy_data.pipeline.extraction.matching import MAX_CHARS
from easy_data.pipeline.extraction.retelling import add_event
from easy_data.schemas.candidates import Candidate, Certainty
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.records import Bucket, Language
from easy_data.schemas.zones import zone_of

# A sentence with less content than this (an ideograph is 1, a Latin word 2) does not say what it is about.
MIN_CONTENT = 3
# A sentence that gives the date of the one beside it has less content than this.
MAX_BESIDE_CONTENT = 8
# With less than this after everything before it was added, nothing is known to have happened.
LEAST_CONTENT = 2
# How many user turns back the subject of an elliptic report is looked for.
TURNS_BACK = 2
MAX_SUMMARY_CHARS = 300
_PLAN = "plan"
# What follows them in the sentence is what was learned or decided, no event of its own.
_WITH_CONTENT = ("info_learned", "decision_made")
_CLAUSE_MARKS = " ,，、;；:："
# "at 3pm", "十点半": an hour without a day is more often a habit than a date.
_CLOCK_ALONE = re.compile(r"(?:at|around|by)\b|[\d一二两三四五六七八九十]{1,3}[点时:]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a user turn with its judged clauses; ``content[start:end] == text``."""

    turn: int
    start: int
    text: str
    folded: str
    clauses: tuple[Judged, ...]

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages whose vocabulary applies."""
        return tuple(dict.fromkeys(name for judged in self.clauses for name in judged.clause.languages))


@dataclass(frozen=True, slots=True)
class Found:
    """A trigger that fired: where in the sentence, on which clauses."""

    trigger: Trigger
    start: int
    end: int
    clauses: tuple[Judged, ...]


def find_events(conversation: Conversation, judged: Sequence[Judged]) -> list[Candidate]:
    """Return the events the user reports, in the order they were told; one for each event however often it is told."""
    sentences = sentences_of(conversation, judged)
    zone = zone_of(conversation.time_zone)
    events: list[Candidate] = []
    for place, sentence in enumerate(sentences):
        said_at = conversation.messages[sentence.turn].said_at or conversation.ended_at
        told = _told(sentences, place, said_at, zone)
        for event in told:
            add_event(events, event)
        if events and not told:
            _move_date(events, sentence, said_at, zone)
    return events


def sentences_of(conversation: Conversation, judged: Sequence[Judged]) -> list[Sentence]:
    """Group judged clauses into the sentences they were cut from."""
    sentences = []
    for (turn, _), group in groupby(judged, key=lambda j: (j.clause.turn, j.clause.sentence)):
        clauses = tuple(group)
        start, last = clauses[0].clause.start, clauses[-1].clause
        text = conversation.messages[turn].content[start : last.end]
        sentences.append(Sentence(turn=turn, start=start, text=text, folded=fold(text), clauses=clauses))
    return sentences


def _told(sentences: Sequence[Sentence], place: int, said_at: datetime, zone: ZoneInfo) -> list[Candidate]:
    """Return the events of one sentence: what happened, and a plan made in other clauses of it."""
    told: list[tuple[Found, Candidate]] = []
    for found in _triggered(sentences[place]):
        if any(_is_plan(found) == _is_plan(other) or _share(found, other) for other, _ in told):
            continue
        event = _event(sentences, place, found, said_at, zone)
        if event is not None:
            told.append((found, event))
        if len(told) > 1:
            break
    if len(told) > 1:
        told.sort(key=lambda item: item[0].start)
        (_, event), (second, other) = told
        if event.event_type in _WITH_CONTENT:
            return [event]
        sentence = sentences[place]
        end = second.clauses[0].clause.start - sentence.start
        return [event.model_copy(update={"summary": sentence.text[:end].rstrip(_CLAUSE_MARKS)}), other]
    return [event for _, event in told]


def _is_plan(found: Found) -> bool:
    return found.trigger.spec.type == _PLAN


def _share(one: Found, other: Found) -> bool:
    return not {j.clause.start for j in one.clauses}.isdisjoint(j.clause.start for j in other.clauses)


def _event(
    sentences: Sequence[Sentence], place: int, found: Found, said_at: datetime, zone: ZoneInfo
) -> Candidate | None:
    spec = found.trigger.spec
    mention = _date_for(sentences, place, found, said_at, zone)
    summary = None if spec.dated and mention is None else _summary(sentences, place, found)
    if summary is None:
        return None
    hedged = any(j.judgement.has(Guard.HEDGED) for j in found.clauses) and Guard.HEDGED not in found.trigger.allow
    return Candidate(
        bucket=Bucket.EVENT,
        quote=sentences[place].text,
        turn=sentences[place].turn,
        certainty=Certainty.HEDGED if hedged else Certainty.STATED,
        event_type=spec.type,
        summary=summary,
        happened_at=mention.begins if mention else None,
        happened_until=mention.until if mention else None,
        time_phrase=mention.phrase if mention else "",
    )


def _triggered(sentence: Sentence) -> Iterator[Found]:
    """Yield the triggers of a sentence that its guards let pass, in the order of the file."""
    if len(sentence.text) > MAX_CHARS or all(j.judgement.has(Guard.PASTED) for j in sentence.clauses):
        return
    for language in sentence.languages:
        for trigger in load_vocabulary(language).triggers:
            for match in trigger.match.finditer(sentence.folded):
                if trigger.without is not None and trigger.without.search(sentence.folded):
                    break
                clauses = _covered(sentence, *match.span())
                allow = trigger.allow
                if CUES[language].first_person.search(match.group()):
                    allow |= {Guard.THIRD_PERSON}
                if not any(_stopped(judged, allow) for judged in clauses):
                    yield Found(trigger, *match.span(), clauses)


def _stopped(judged: Judged, allow: frozenset[Guard]) -> bool:
    return bool(judged.judgement.blocking(allow)) or judged.judgement.has(Guard.INSTRUCTION)


def _covered(sentence: Sentence, start: int, end: int) -> tuple[Judged, ...]:
    first, last = sentence.start + start, sentence.start + end
    return tuple(j for j in sentence.clauses if j.clause.start < last and first < j.clause.end)


def _date_for(
    sentences: Sequence[Sentence], place: int, found: Found, said_at: datetime, zone: ZoneInfo
) -> DateMention | None:
    """Return the date nearest to the trigger in its sentence, else that of a sentence beside it that says little."""
    plan = found.trigger.spec.type == _PLAN
    here = _dates(sentences[place], said_at, zone, plan=plan)
    if here:
        return min(here, key=lambda m: max(m.start - found.end, found.start - m.end))
    if _any_dates(sentences[place]):
        return None
    for beside in (place - 1, place + 1):
        if 0 <= beside < len(sentences) and sentences[beside].turn == sentences[place].turn:
            other = sentences[beside]
            dates = _dates(other, said_at, zone, plan=plan)
            if dates and _content(other, dates) < MAX_BESIDE_CONTENT:
                return dates[0]
    return None


def _dates(sentence: Sentence, said_at: datetime, zone: ZoneInfo, *, plan: bool) -> list[DateMention]:
    """Return the dates an event can have: not after it was told; for plans, after."""
    language = sentence.clauses[0].clause.language
    lean: Lean = "future" if plan else "past"
    mentions = find_dates(sentence.folded, language, said_at=said_at, zone=zone, lean=lean)
    return [
        mention
        for mention in mentions
        if mention.precision != "year" and (mention.begins > said_at) == plan and not _CLOCK_ALONE.match(mention.phrase)
    ]


def _content(sentence: Sentence, dates: Sequence[DateMention] = ()) -> int:
    """Measure what a sentence says beside dates and words that stand for other words."""
    text = sentence.folded
    for mention in dates:
        text = text.replace(mention.phrase, " ")
    return sum(1 if char else 2 for char in _tokens(text, sentence.languages))


def _tokens(text: str, languages: Sequence[Language]) -> list[bool]:
    """Return, for each token of content, if it is an ideograph (else a Latin word)."""
    for language in languages:
        text = load_vocabulary(language).empty.sub(" ", text)
    return [token.group(1) is not None for token in _TOKEN.finditer(text)]


_TOKEN = re.compile(r"([\u3400-\u9fff])|[A-Za-z][A-Za-z'-]+")


def _summary(sentences: Sequence[Sentence], place: int, found: Found) -> str | None:
    """Return the user's words for the event, with what was said before when the sentence alone is elliptic.

    None when even then nothing tells what it is about.
    """
    sentence = sentences[place]
    dates = list(_any_dates(sentence))
    pointing = any(
        load_vocabulary(language).pronoun.search(judged.clause.folded)
        for judged in found.clauses
        for language in judged.clause.languages
    )
    parts = [sentence.text]
    content = 0 if pointing else _content(sentence, dates)
    turns = {sentence.turn}
    for earlier in (sentences[index] for index in range(place - 1, -1, -1)):
        turns.add(earlier.turn)
        enough = MIN_CONTENT if earlier.turn == sentence.turn else LEAST_CONTENT
        if content >= enough or len(turns) > 1 + TURNS_BACK:
            break
        parts.insert(0, earlier.text)
        content += _content(earlier)
    if pointing:
        content += _content(sentence, dates)
    return _clipped(parts) if content >= LEAST_CONTENT else None


def _any_dates(sentence: Sentence) -> list[DateMention]:
    anchor = datetime(2000, 1, 15, tzinfo=zone_of("UTC"))
    return find_dates(sentence.folded, sentence.clauses[0].clause.language, said_at=anchor, zone=zone_of("UTC"))


def _clipped(parts: Sequence[str]) -> str:
    kept = list(parts)
    while len(kept) > 1 and sum(map(len, kept)) > MAX_SUMMARY_CHARS:
        kept.pop(0)
    return " ".join(part.strip() for part in kept)[:MAX_SUMMARY_CHARS]


def _move_date(events: list[Candidate], sentence: Sentence, said_at: datetime, zone: ZoneInfo) -> None:
    """Take a later bare date ("yesterday", "no wait, it was Thursday") as the date of the last event told."""
    last = events[-1]
    if sentence.turn == last.turn or any(j.judgement.has(Guard.QUESTION) for j in sentence.clauses):
        return
    dates = _dates(sentence, said_at, zone, plan=last.event_type == _PLAN)
    if len(dates) != 1 or _content(sentence, dates) >= MIN_CONTENT:
        return
    slip = any(CUES[language].slip.search(sentence.folded) for language in sentence.languages)
    if last.happened_at is None or slip:
        mention = dates[0]
        events[-1] = last.model_copy(
            update={"happened_at": mention.begins, "happened_until": mention.until, "time_phrase": mention.phrase}
        )
