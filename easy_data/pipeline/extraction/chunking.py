"""Cuts a dialogue into prompts of bounded size, oldest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from easy_data.pipeline.prompts.extract import message_line, said_at
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.zones import zone_of

# Only these are shown to the model: instructions to and tools of another agent say nothing about the user.
_SHOWN_ROLES = frozenset({"user", "assistant"})
_PART_OVERLAP_CHARS = 200  # a statement up to this length lies whole in one part of an over-long message
_LINE_JOINT = 2  # characters between two lines


@dataclass(frozen=True, slots=True)
class Piece:
    """One message, or a part of one, as a line of the prompt."""

    turn: int
    line: str
    is_source: bool  # holds something a user said


@dataclass(frozen=True, slots=True)
class Chunk:
    """The pieces of one prompt, in order."""

    pieces: tuple[Piece, ...]

    @property
    def first_turn(self) -> int:
        """The turn of the first piece."""
        return self.pieces[0].turn

    @property
    def last_turn(self) -> int:
        """The turn of the last piece."""
        return self.pieces[-1].turn

    @property
    def is_source(self) -> bool:
        """Tell if a user said anything in it."""
        return any(piece.is_source for piece in self.pieces)

    def halves(self) -> tuple[Chunk, Chunk] | None:
        """Return the earlier and the later half; None for a single piece."""
        if len(self.pieces) == 1:
            return None
        middle = len(self.pieces) // 2
        return Chunk(self.pieces[:middle]), Chunk(self.pieces[middle:])


class Chunker:
    """Cuts one conversation. No prompt's lines exceed ``room`` characters, those of ``context`` not ``context_room``.

    What the user said is sent whole, in parts where it is too long; of what the assistant said beginning and end are.
    """

    def __init__(self, conversation: Conversation, *, room: int, context_room: int) -> None:
        self._messages = conversation.messages
        self._zone = zone_of(conversation.time_zone)
        self._room = room
        self._context_room = context_room

    def chunks(self) -> list[Chunk]:
        """Return the chunks that a user spoke in."""
        chunks: list[Chunk] = []
        pieces: list[Piece] = []
        used = 0
        for turn, message in enumerate(self._messages):
            for piece in self._pieces(turn, message):
                size = len(piece.line) + _LINE_JOINT
                if pieces and used + size > self._room:
                    chunks.append(Chunk(tuple(pieces)))
                    pieces, used = [], 0
                pieces.append(piece)
                used += size
        if pieces:
            chunks.append(Chunk(tuple(pieces)))
        return [chunk for chunk in chunks if chunk.is_source]

    def context(self, turns: list[int]) -> list[str]:
        """Return one shortened line for each of ``turns``, marked as context."""
        lines = []
        for turn in turns:
            marks: dict[str, Any] = {"context": True}
            most = self._context_room // len(turns) - _LINE_JOINT
            text = _shortened(self._messages[turn].content, most)
            fitting = self._fitting(turn, self._messages[turn], text, most, marks)
            if fitting:
                lines.append(self._line(turn, self._messages[turn], text[:fitting], marks))
        return lines

    def _pieces(self, turn: int, message: Message) -> list[Piece]:
        if message.role not in _SHOWN_ROLES or not message.content.strip():
            return []
        marks: dict[str, Any] = {}
        if message.said_at is not None:
            marks["at"] = said_at(message.said_at.astimezone(self._zone))
        most = self._room - _LINE_JOINT
        if message.role != "user":
            text = _shortened(message.content, most // 4)
            fitting = self._fitting(turn, message, text, most, marks)
            return [Piece(turn, self._line(turn, message, text[:fitting], marks), is_source=False)]
        is_source = any(char.isalnum() for char in message.content)
        whole = self._line(turn, message, message.content, marks)
        if len(whole) <= most:
            return [Piece(turn, whole, is_source=is_source)]
        return self._parts(turn, message, most, marks)

    def _parts(self, turn: int, message: Message, most: int, marks: dict[str, Any]) -> list[Piece]:
        parts: list[Piece] = []
        text, start = message.content, 0
        while True:
            numbered = {**marks, "part": len(parts) + 1}
            end = start + self._fitting(turn, message, text[start : start + most], most, numbered)
            part = text[start:end]
            line = self._line(turn, message, part, numbered)
            parts.append(Piece(turn, line, is_source=any(char.isalnum() for char in part)))
            if end >= len(text):
                return parts
            start = end - min(_PART_OVERLAP_CHARS, (end - start) // 4)

    def _fitting(self, turn: int, message: Message, text: str, most: int, marks: dict[str, Any]) -> int:
        """Return how many characters of ``text`` fit into a line of ``most``; escapes make some of them longer."""
        count = len(text)
        while count > 0 and (size := len(self._line(turn, message, text[:count], marks))) > most:
            count = min(count - 1, count * most // size)
        return count

    def _line(self, turn: int, message: Message, text: str, marks: dict[str, Any]) -> str:
        return message_line(turn, message.role, text, **marks)


def _shortened(text: str, most: int) -> str:
    """Return beginning and end of ``text``, at most ``most`` characters."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 3]} … {text[len(text) - tail :]}"
