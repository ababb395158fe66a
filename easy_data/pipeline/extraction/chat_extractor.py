"""Extraction by a chat model: bounded prompts, validated answers, evidence checked in code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus

from easy_data.pipeline.extraction.chunking import Chunk, Chunker
from easy_data.pipeline.extraction.grounding import Evidence, Grounding
from easy_data.pipeline.extraction.guarding import guarded
from easy_data.pipeline.extraction.judging import judge_dialogue
from easy_data.pipeline.extraction.pattern_extractor import find_instructions
from easy_data.pipeline.prompts.extract import (
    PROMPT_VERSION,
    DialogueReading,
    EventItem,
    ProfileItem,
    WorkspaceItem,
    system_prompt,
    user_prompt,
)
from easy_data.pipeline.prompts.local_time import instants
from easy_data.schemas.candidates import Candidate, Certainty
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelError, SettingsError
from easy_data.schemas.ports import ChatModel, Extraction, Usage
from easy_data.schemas.records import Bucket, Polarity
from easy_data.schemas.registry import Registry
from easy_data.schemas.zones import zone_of

_SMALLEST_CHUNK = 1000
_CONTEXT_SHARE = 5  # one part in so many of a prompt is context
_CONTEXT_LINE = 100  # characters below which a line of context says nothing
_LONGEST_JUDGED = 6000  # characters; a longer message is a document, where only what was taken from it matters
_LONGEST_NAME = 40  # characters; many endpoints name a model by the path of its file, whose end tells most
_HOPELESS_CHUNKS = 2  # so many unread chunks and none read: the model is at fault, not what was said
# Errors with these statuses may be about what was said: a content filter, a length, a server that fails on it.
_ABOUT_THE_PROMPT = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
    }
)


class ChatExtractor:
    """Implements ``ports.Extractor`` with a chat model.

    The dialogue in one prompt has at most ``chunk_chars`` characters; up to ``overlap_messages`` messages before it are
    repeated, shortened, as context. An unreadable answer is asked for ``attempts_per_chunk`` times. A chunk that stays
    unreadable is halved to find the messages that cause it; they end in ``Extraction.unread`` and the rest is kept.
    """

    def __init__(
        self,
        model: ChatModel,
        registry: Registry,
        *,
        chunk_chars: int = 12_000,
        overlap_messages: int = 4,
        attempts_per_chunk: int = 2,
    ) -> None:
        if chunk_chars < _SMALLEST_CHUNK or overlap_messages < 0 or attempts_per_chunk < 1:
            raise SettingsError(
                f"chunk_chars must be at least {_SMALLEST_CHUNK}, overlap_messages 0, attempts_per_chunk 1"
            )
        self.model = model
        self.registry = registry
        self.chunk_chars = chunk_chars
        self.overlap_messages = min(overlap_messages, chunk_chars // _CONTEXT_SHARE // _CONTEXT_LINE)
        self.attempts_per_chunk = attempts_per_chunk

    def extract(self, conversation: Conversation) -> Extraction:
        """Return the candidates in the order they were said; no call is made where no user said anything.

        Raises ``ModelError`` with the usage so far when the endpoint fails or refuses, and when nothing was readable.
        """
        if not conversation.has_user_text():
            return Extraction(candidates=())
        return _Reader(self, conversation).read()


class _Reader:
    """Reads one conversation."""

    def __init__(self, extractor: ChatExtractor, conversation: Conversation) -> None:
        self._extractor = extractor
        self._zone = zone_of(conversation.time_zone)
        self._conversation = conversation
        self._grounding = Grounding(conversation.messages)
        self._system = system_prompt(conversation.language, extractor.registry)
        context_room = extractor.chunk_chars // _CONTEXT_SHARE if extractor.overlap_messages else 0
        self._chunker = Chunker(
            conversation,
            room=extractor.chunk_chars - context_room - len(self._prompt([])),
            context_room=context_room,
        )
        self._label = f"chat:{extractor.model.name[-_LONGEST_NAME:]}:{PROMPT_VERSION}"
        self._candidates: dict[tuple[object, ...], Candidate] = {}
        self._usages: list[Usage] = []
        self._read_turns: list[int] = []
        self._unread: list[tuple[int, int, str]] = []

    def read(self) -> Extraction:
        first_error: ModelError | None = None
        for chunk in self._chunker.chunks():
            error = self._failure(chunk)
            if error is None:
                continue
            first_error = first_error or error
            self._narrow(chunk, error)
            if not self._read_turns and len(self._unread) >= _HOPELESS_CHUNKS:
                break
        if first_error is not None and not self._read_turns:
            raise self._with_usages(first_error)
        return Extraction(
            candidates=tuple(sorted(self._guarded(), key=lambda candidate: candidate.turn)),
            usages=tuple(self._usages),
            unread=tuple(dict.fromkeys(sorted(self._unread))),
        )

    def _failure(self, chunk: Chunk) -> ModelError | None:
        """Read a chunk; return the error when it cannot be read. Raises errors that are not about this chunk."""
        if not chunk.is_source:
            return None
        prompt = self._prompt([*self._context(chunk), *(piece.line for piece in chunk.pieces)])
        for attempt in range(1, self._extractor.attempts_per_chunk + 1):
            try:
                reading, usage = self._extractor.model.ask(system=self._system, user=prompt, answer=DialogueReading)
            except ModelError as error:
                self._usages.extend(error.usage)
                if not isinstance(error, ModelAnswerUnreadable):
                    if error.status not in _ABOUT_THE_PROMPT:
                        raise self._with_usages(error) from None
                    return error
                if attempt == self._extractor.attempts_per_chunk:
                    return error
            else:
                self._usages.append(usage)
                self._keep(reading)
                self._read_turns.extend(sorted({piece.turn for piece in chunk.pieces}))
                return None
        return None  # not reached: at least one attempt is made

    def _narrow(self, chunk: Chunk, error: ModelError) -> None:
        """Read the half of a failed chunk that can be read, and look for the cause in the other one.

        When both halves fail, the whole is left unread: going on would cost more calls than it saves messages.
        """
        halves = chunk.halves()
        errors = [self._failure(half) for half in halves] if halves else []
        if halves is None or all(errors):
            self._unread.append((chunk.first_turn, chunk.last_turn, error.code))
            return
        for half, half_error in zip(halves, errors, strict=True):
            if half_error is not None:
                self._narrow(half, half_error)

    def _context(self, chunk: Chunk) -> list[str]:
        """Return the messages before the chunk; never one that could not be read, it would spoil this chunk too."""
        most = self._extractor.overlap_messages
        spoilt = {turn for first, last, _ in self._unread for turn in range(first, last + 1)}
        before = [turn for turn in dict.fromkeys(self._read_turns) if turn < chunk.first_turn and turn not in spoilt]
        return self._chunker.context(before[-most:]) if most else []

    def _prompt(self, lines: list[str]) -> str:
        ended_at = self._conversation.ended_at.astimezone(self._zone)
        return user_prompt(ended_at=ended_at, time_zone=self._conversation.time_zone, lines=lines)

    def _keep(self, reading: DialogueReading) -> None:
        """Keep each candidate once, though overlapping parts may yield it twice."""
        for candidate in self._proposed(reading):
            same = (
                candidate.bucket,
                candidate.turn,
                candidate.attr_name or candidate.event_type or candidate.task_id,
                candidate.value or candidate.summary,
                candidate.polarity,
            )
            self._candidates.setdefault(same, candidate)

    def _proposed(self, reading: DialogueReading) -> Iterator[Candidate]:
        for profile in reading.profile:
            yield self._profile(profile)
        for event in reading.events:
            yield self._event(event)
        for workspace in reading.workspace:
            yield self._workspace(workspace)

    def _weighed(self, item: ProfileItem | EventItem, content: str) -> tuple[Evidence, Certainty]:
        evidence = self._grounding.evidence(item.quote, item.turn)
        if evidence.flags:
            return evidence, item.certainty
        certainty, flags = self._grounding.weight(content, evidence.turn, item.certainty)
        return replace(evidence, flags=flags), certainty

    def _profile(self, item: ProfileItem) -> Candidate:
        evidence, certainty = self._weighed(item, item.value)
        return Candidate(
            bucket=Bucket.PROFILE,
            quote=evidence.quote,
            turn=evidence.turn,
            extractor=self._label,
            flags=evidence.flags,
            certainty=certainty,
            attr_name=item.attr_name,
            value=item.value.strip(),
            polarity=Polarity.NEGATIVE if item.polarity == "negative" else Polarity.POSITIVE,
            change=item.change,
            replaces=item.replaces.strip(),
            target_ids=tuple(item.target_ids),
        )

    def _event(self, item: EventItem) -> Candidate:
        evidence, certainty = self._weighed(item, item.summary)
        happened_at, happened_until = instants(item.happened_at, item.happened_until, self._zone)
        return Candidate(
            bucket=Bucket.EVENT,
            quote=evidence.quote,
            turn=evidence.turn,
            extractor=self._label,
            flags=evidence.flags,
            certainty=certainty,
            event_type=item.event_type,
            summary=item.summary.strip(),
            happened_at=happened_at,
            happened_until=happened_until,
            time_phrase=item.time_phrase.strip(),
        )

    def _workspace(self, item: WorkspaceItem) -> Candidate:
        evidence = self._grounding.evidence(item.quote, item.turn)
        return Candidate(
            bucket=Bucket.WORKSPACE,
            quote=evidence.quote,
            turn=evidence.turn,
            extractor=self._label,
            flags=evidence.flags,
            task_id=item.task_id.strip(),
            summary=item.summary.strip(),
            state={"steps": item.steps, "done": item.done, "next": item.next},
            closed=item.closed,
        )

    def _guarded(self) -> list[Candidate]:
        """Return the candidates as the guards let them stand; one for review stands in for all that rest on an order.

        What counts as a standing order to the assistant is not left to the model, which is what such text is aimed at.
        """
        messages = self._judged()
        judged = judge_dialogue(self._conversation.model_copy(update={"messages": messages}))
        orders = find_instructions(judged)
        kept = (c for c in self._candidates.values() if not any(_rests_on(c, order) for order in orders))
        return [*(guarded(candidate, judged, messages) for candidate in kept), *orders]

    def _judged(self) -> tuple[Message, ...]:
        """Return the messages with the quoted words alone in place of an over-long one, which takes long to judge."""
        quotes: dict[int, list[str]] = {}
        for candidate in self._candidates.values():
            quotes.setdefault(candidate.turn, []).append(candidate.quote)
        return tuple(
            message
            if len(message.content) <= _LONGEST_JUDGED
            else message.model_copy(update={"content": "\n".join(quotes.get(turn, []))})
            for turn, message in enumerate(self._conversation.messages)
        )

    def _with_usages(self, error: ModelError) -> ModelError:
        error.usage = tuple(self._usages)
        return error


def _rests_on(candidate: Candidate, order: Candidate) -> bool:
    return candidate.turn == order.turn and (order.quote in candidate.quote or candidate.quote in order.quote)
