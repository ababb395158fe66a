"""Reads a conversation without a model: clauses, guards, then patterns."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.extraction.events import find_events
from easy_data.pipeline.extraction.guards import Guard, Judged
from easy_data.pipeline.extraction.judging import judge_dialogue, unread_turns
from easy_data.pipeline.extraction.own_patterns import own_patterns
from easy_data.pipeline.extraction.profiles import find_profile
from easy_data.pipeline.extraction.workspaces import find_workspaces
from easy_data.schemas.candidates import Candidate, Certainty
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.ports import Extraction
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry

_HELD_BACK = {
    "zh": "对话里有一条写给助手的指令，未采纳",
    "en": "The conversation held an instruction to the assistant; it was not adopted",
}

# Why a turn is reported unread: only its two ends were read.
_TOO_LONG = "message_too_long"


class PatternExtractor:
    """The extractor that needs no model: deterministic, Chinese and English."""

    def __init__(self, registry: Registry) -> None:
        """Read by the built-in patterns and those of the registry. Raises ``SettingsError`` for one that is unusable."""
        own_patterns(registry)
        self._registry = registry

    def extract(self, conversation: Conversation) -> Extraction:
        """Return the candidates in the order they were said: profile, instructions, events, then workspaces."""
        judged = judge_dialogue(conversation)
        return Extraction(
            candidates=(
                *find_profile(conversation, judged, self._registry),
                *find_instructions(judged),
                *find_events(conversation, list(judged)),
                *find_workspaces(conversation, list(judged)),
            ),
            unread=tuple((turn, turn, _TOO_LONG) for turn in unread_turns(conversation)),
        )


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
