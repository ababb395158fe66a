"""What keeps a clause from being a plain statement of the user about himself or herself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from easy_data.pipeline.extraction.clauses import Clause


class Guard(StrEnum):
    """A property of a clause that changes what it says."""

    QUESTION = "question"
    CONDITIONAL = "conditional"
    HYPOTHETICAL = "hypothetical"
    JOKE = "joke"
    ROLE_PLAY = "role_play"
    QUOTED = "quoted"
    PASTED = "pasted"
    THIRD_PERSON = "third_person"
    SECOND_PERSON = "second_person"
    HEDGED = "hedged"
    ONE_OFF = "one_off"
    PAST = "past"
    CHANGED = "changed"
    INSTRUCTION = "instruction"
    RETRACTED = "retracted"


# A clause under one of these asserts nothing about the user; a pattern may allow single ones.
BLOCKING = frozenset(
    {
        Guard.QUESTION,
        Guard.CONDITIONAL,
        Guard.HYPOTHETICAL,
        Guard.JOKE,
        Guard.ROLE_PLAY,
        Guard.QUOTED,
        Guard.PASTED,
        Guard.THIRD_PERSON,
        Guard.SECOND_PERSON,
        Guard.RETRACTED,
    }
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The guards that hold for a clause."""

    guards: frozenset[Guard] = frozenset()

    def has(self, guard: Guard) -> bool:
        """Tell if ``guard`` holds."""
        return guard in self.guards

    def blocking(self, allowed: frozenset[Guard] = frozenset()) -> frozenset[Guard]:
        """Return the guards that forbid reading the clause as a statement, but for the ``allowed`` ones."""
        return (self.guards & BLOCKING) - allowed

    @property
    def asserted(self) -> bool:
        """Tell if the user states this, about himself or herself, in earnest."""
        return not self.blocking()


@dataclass(frozen=True, slots=True)
class Judged:
    """A clause of a user turn with its judgement.

    ``asked`` is the assistant's last sentence before the turn when this clause opens the turn: what it may answer.
    """

    clause: Clause
    judgement: Judgement
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Cues:
    """The words of one language that raise a guard. Expressions are searched in folded text, ignoring case.

    ``clause`` maps a guard to what raises it in a clause. ``first_person`` says the clause speaks of the user and so
    ends an inherited third person. ``negation`` is what, right before a match, takes its truth or its subject away: a
    negation, a wish, a request, somebody else (it ends with ``$``). ``retraction`` in a later user turn takes back what
    was said before as a joke. ``role_play`` in a user turn opens a frame that lasts for its next turns.
    ``ended`` beside a negative statement says that something came to an end; ``over`` says so beside any, ``gone``
    beside a pet. ``pasted`` announces text of somebody else: the rest of the message, or the next one when nothing
    follows. ``slip`` says that the user misspoke before. ``restated`` opens a sentence that says a value again
    (``new``). ``corrections`` have the groups ``new`` and, mostly, ``old``.
    """

    clause: Mapping[Guard, re.Pattern[str]]
    first_person: re.Pattern[str]
    negation: re.Pattern[str]
    ended: re.Pattern[str]
    over: re.Pattern[str]
    retraction: re.Pattern[str]
    role_play: re.Pattern[str]
    gone: re.Pattern[str]
    pasted: re.Pattern[str]
    slip: re.Pattern[str]
    restated: re.Pattern[str]
    corrections: tuple[re.Pattern[str], ...]
