"""Finds tasks left unfinished when the dialogue ended, so that they can be taken up again."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from easy_data.pipeline.extraction.clauses import split_sentences
from easy_data.pipeline.extraction.events import Sentence, sentences_of
from easy_data.pipeline.extraction.guards import Guard, Judged
from easy_data.schemas.candidates import Candidate
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.records import Bucket, Language

# A task is put aside in one of the last words of the user.
LAST_TURNS = 3
# A longer message is more work, not a remark about when to go on with it.
MAX_REMARK_CHARS = 240
MAX_NAME_CHARS = 40
MAX_STEP_CHARS = 160
MAX_STEPS = 12
_KINDS = ("resume", "remain", "hold", "leave")
# "Can we do the rest tomorrow?" puts a task aside in the form of a question.
_PROPOSES = re.compile(
    r"\b(?:can|could|shall|may|should) (?:we|i|you)\b.{0,40}\b(?:tomorrow|later|tonight|next|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|another)\b|(?:明[天早晚]|下次|下周|改天|回头|晚上)[^，。！？]{0,8}(?:再|接着|继续)[^，。！？]{0,8}(?:吗|吧|行不|好不好|可以)",
    re.IGNORECASE,
)
# "Can you help me sort these?" sets out to do something in the form of a question.
_ASKS_FOR_HELP = re.compile(
    r"^(?:hi|hey|hello|ok|so|please|[ ,!])*\b(?:can|could|would|will) (?:you|u|we) (?:please |maybe )?(?:help (?:me|us)|go)\b"
    r"|^(?:你好|您好|嗨|[，, ])*(?:能|可以|可不可以|能不能|麻烦)(?:你|您)?(?:帮我|帮忙|陪我)",
    re.IGNORECASE,
)
_NOT_MEANT = frozenset({Guard.JOKE, Guard.ROLE_PLAY, Guard.QUOTED, Guard.PASTED, Guard.RETRACTED, Guard.HYPOTHETICAL})


@dataclass(frozen=True, slots=True)
class Cues:
    """The expressions of one language, by what they say about a task."""

    said: Mapping[str, re.Pattern[str]]
    greeting: re.Pattern[str]
    progress: re.Pattern[str]


@lru_cache(maxsize=4)
def load_cues(language: Language) -> Cues:
    """Read and compile the workspace file of one language, once."""
    path = files("easy_data.pipeline.extraction").joinpath("patterns", language, "workspaces.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    said = {name: re.compile("|".join(value), re.IGNORECASE) for name, value in data.items() if isinstance(value, list)}
    return Cues(
        said=said,
        greeting=re.compile(data["greeting"], re.IGNORECASE),
        progress=re.compile(data["progress"], re.IGNORECASE),
    )


def find_workspaces(conversation: Conversation, judged: Sequence[Judged]) -> list[Candidate]:
    """Return the task the user put aside at the end of the dialogue, or finished after taking it up again; or nothing.

    ``state`` holds ``goal`` (what the user set out to do), ``steps`` (what the user asked for, in order), ``done``
    (what the assistant reported), ``next`` (the words that put it aside) and ``status``.
    """
    sentences = [s for s in sentences_of(conversation, judged) if not _foreign(s)]
    turns = sorted({sentence.turn for sentence in sentences})
    answered = any(m.role == "assistant" and m.content.strip() for m in conversation.messages)
    if len(turns) == 1:
        # Nobody else says that this is work in progress, so the words must: what is left, and when it goes on.
        told = [s for s in sentences if _says("remain", s) and _says("strong", s) and not _withheld(s)]
        return [_candidate(conversation, sentences, told, closed=False)] if told else []
    if not turns or not answered:
        return []
    last = [s for s in sentences if s.turn in turns[-LAST_TURNS:] and s.turn != turns[0]]
    short = [s for s in last if sum(len(other.text) for other in last if other.turn == s.turn) <= MAX_REMARK_CHARS]
    shelved = _shelved(short) or _put_off(short, sentences, turns)
    finished = [s for s in last if _says("closed", s)]
    resumed = any(_says("resumed", s) for s in sentences if s.turn == turns[0])
    if shelved and not (finished and finished[-1].turn > shelved[-1].turn):
        return [_candidate(conversation, sentences, shelved, closed=False)]
    if resumed and finished:
        return [_candidate(conversation, sentences, finished[-1:], closed=True)]
    return []


def _foreign(sentence: Sentence) -> bool:
    return all(j.judgement.guards & _NOT_MEANT for j in sentence.clauses)


def _says(what: str, sentence: Sentence) -> bool:
    return any(load_cues(language).said[what].search(sentence.folded) for language in sentence.languages)


def _shelved(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences that put a task aside, if together they say so clearly enough."""
    stated = [s for s in sentences if not _withheld(s)]
    signs = [{kind for kind in _KINDS if _says(kind, s)} for s in stated]
    strong = [_says("strong", s) for s in stated]
    kinds = set().union(*signs)
    if any(strong) or ("remain" in kinds and len(kinds) > 1) or {"hold", "resume"} <= kinds:
        return [s for s, own, clear in zip(stated, signs, strong, strict=True) if clear or own]
    return []


def _put_off(last: Sequence[Sentence], sentences: Sequence[Sentence], turns: Sequence[int]) -> list[Sentence]:
    """Return what puts a part off in a dialogue that opens with a task and goes on about its parts.

    There one such word is enough, in the last two turns.
    """
    putting = [s for s in last if s.turn in turns[-2:] and not _withheld(s) and _says("defer", s)]
    opening = [
        s for s in sentences if s.turn == turns[0] and (not _withheld(s) or _ASKS_FOR_HELP.search(s.folded))
    ]
    if (
        putting
        and any(_says("part", s) for s in sentences if s.turn != turns[0])
        and any(_says("task", s) for s in opening)
    ):
        return putting
    return []


def _withheld(sentence: Sentence) -> bool:
    """Tell if the sentence asks or is not said in earnest; a question inside a statement is none."""
    last = sentence.clauses[-1].judgement
    asks = last.has(Guard.QUESTION) and not _PROPOSES.search(sentence.folded)
    return asks or any(j.judgement.guards & _NOT_MEANT for j in sentence.clauses)


def _candidate(
    conversation: Conversation, sentences: Sequence[Sentence], telling: Sequence[Sentence], *, closed: bool
) -> Candidate:
    goal = _goal(sentences)
    steps = [_short(s.text) for s in sentences if s.turn < telling[0].turn and s is not goal and not _is_greeting(s)]
    following = " ".join(s.text for s in telling)
    return Candidate(
        bucket=Bucket.WORKSPACE,
        quote=telling[-1].text,
        turn=telling[-1].turn,
        task_id=_name(goal.text),
        summary=f"{_short(goal.text)} - {following}"[: 2 * MAX_STEP_CHARS],
        state={
            "goal": _short(goal.text),
            "steps": steps[-MAX_STEPS:],
            "done": _done(conversation, sentences[0].languages[0])[-MAX_STEPS:],
            "next": "" if closed else following[: 2 * MAX_STEP_CHARS],
            "status": "done" if closed else "open",
        },
        closed=closed,
    )


def _goal(sentences: Sequence[Sentence]) -> Sentence:
    """Return the first sentence that is more than a greeting: what the dialogue set out to do."""
    return next((s for s in sentences if not _is_greeting(s)), sentences[0])


def _is_greeting(sentence: Sentence) -> bool:
    return any(load_cues(language).greeting.search(sentence.folded) for language in ("zh", "en"))


def _done(conversation: Conversation, language: Language) -> list[str]:
    """Return what the assistant reported as done, one sentence a turn."""
    reports = []
    for turn, message in enumerate(conversation.messages):
        if message.role != "assistant":
            continue
        for sentence in split_sentences(message.content[:1000], turn):
            if any(load_cues(name).progress.search(sentence.folded) for name in sentence.languages or (language,)):
                reports.append(_short(sentence.text))
                break
    return reports


def _name(goal: str) -> str:
    """Return a short stable name of the task: the first words of what was to be done."""
    words = re.sub(r"[^\w\s-]+", " ", goal).split()
    name = ""
    for word in words:
        if name and len(name) + 1 + len(word) > MAX_NAME_CHARS:
            break
        name = f"{name} {word}".strip()
    return name[:MAX_NAME_CHARS] or "task"


def _short(text: str) -> str:
    return text.strip()[:MAX_STEP_CHARS]
