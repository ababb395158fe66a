"""Reads a conversation twice, with a chat model and with patterns, and lays the two readings together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from easy_data.pipeline.extraction.agreement import agreed, covers, disputed, matches
from easy_data.schemas.candidates import Candidate, Certainty, ReviewReason
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.ports import Extraction, Extractor
from easy_data.schemas.records import Bucket
from easy_data.schemas.registry import Registry


class CombinedExtractor:
    """Implements ``ports.Extractor`` with two others: ``model``, which costs, and ``patterns``, which are precise.

    What both found is one candidate and surer than either's. Where they understood the same words differently, both
    candidates are flagged, for a person to decide. What only one of them found stands as that one found it.
    """

    def __init__(self, model: Extractor, patterns: Extractor, registry: Registry) -> None:
        self._model = model
        self._patterns = patterns
        self._registry = registry

    def extract(self, conversation: Conversation) -> Extraction:
        """Return the candidates in the order they were said.

        Raises what the model's reading raises: while it cannot be had, the conversation is not taken for read.
        ``unread`` are the turns that the model did not read; what the patterns found in them is kept.
        """
        read = self._model.extract(conversation)
        found = self._patterns.extract(conversation)
        merged = _Merge(conversation, self._registry).of(read.candidates, found.candidates)
        return Extraction(candidates=tuple(merged), usages=read.usages, unread=read.unread)


class _Merge:
    """Lays two readings of one conversation together."""

    def __init__(self, conversation: Conversation, registry: Registry) -> None:
        self._conversation = conversation
        self._registry = registry

    def of(self, read: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
        # What is refused or held back anyway neither agrees nor disagrees with anything; it is told once.
        held = [c for c in read if c.flags]
        told = {(c.turn, c.flags) for c in held}
        alone = [c for c in found if (c.turn, c.flags) not in told]
        joined, alone = self._joined([c for c in read if not c.flags], alone)
        return sorted([*self._weighed(joined, alone), *held], key=lambda candidate: candidate.turn)

    def _joined(self, read: list[Candidate], found: list[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """Make one of each two that say the same, the likest first; return the model's, and what is left of found."""
        joined: dict[int, Candidate] = {}
        used: set[int] = set()
        for _, at, place in sorted(self._pairs(read, found)):
            if at not in joined and place not in used:
                joined[at] = agreed(read[at], found[place], self._conversation)
                used.add(place)
        told = joined.values()
        left = [c for at, c in enumerate(found) if at not in used]
        left = [c for c in left if not any(covers(whole, c, self._conversation) for whole in told)]
        return [joined.get(at, c) for at, c in enumerate(read)], left

    def _pairs(self, read: list[Candidate], found: list[Candidate]) -> Iterator[tuple[int, int, int]]:
        """Yield the positions of two that say the same, behind a number that is lower the likelier it is."""
        tasks = [[at for at, c in enumerate(side) if c.bucket is Bucket.WORKSPACE] for side in (read, found)]
        if [len(side) for side in tasks] == [1, 1]:
            # A dialogue is about one task as a rule; two names for it would be two open tasks.
            yield 0, tasks[0][0], tasks[1][0]
        for at, candidate in enumerate(read):
            for place, pattern in enumerate(found):
                likeness = 0 if pattern.flags else matches(candidate, pattern, self._conversation, self._registry)
                if likeness:
                    yield -likeness, at, place

    def _weighed(self, read: list[Candidate], found: list[Candidate]) -> list[Candidate]:
        """Flag those that cannot both be true of the same words.

        What the model concluded or put into other words gives way to what the patterns read there.
        """
        flagged: set[int] = set()
        dropped: set[int] = set()
        everything = [*read, *found]
        for place, pattern in enumerate(found, len(read)):
            for at, candidate in enumerate(read):
                if not disputed(candidate, pattern, self._conversation, self._registry):
                    continue
                if candidate.certainty is Certainty.INFERRED:
                    dropped.add(at)
                else:
                    flagged |= {at, place}
        return [_flagged(c) if at in flagged else c for at, c in enumerate(everything) if at not in dropped]


def _flagged(candidate: Candidate) -> Candidate:
    return candidate.model_copy(update={"flags": (ReviewReason.DISPUTED.value,)})
