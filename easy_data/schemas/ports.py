"""The few protocols. A port exists only where two implementations exist; both pass the same contract test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from easy_data.schemas.candidates import Candidate
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.receipts import State
from easy_data.schemas.records import Bucket

Answer = TypeVar("Answer", bound=BaseModel)


class Clock(Protocol):
    """Tells the time; passed in, so that nothing in the core reads the wall clock."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """A stable name of model and version; part of the collection's name."""
        ...

    @property
    def size(self) -> int:
        """The number of dimensions."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit-length vector of ``size`` floats for each text. Raises ``ModelError``."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model call used. ``cost`` in the currency of the configured prices; 0 when none are set."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    latency_ms: float
    attempts: int
    outcome: str


class ChatModel(Protocol):
    """Asks a chat model for one validated answer."""

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        ...

    def ask(self, *, system: str, user: str, answer: type[Answer]) -> tuple[Answer, Usage]:
        """Return the answer as a validated ``answer`` and what it used.

        Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelAnswerUnreadable``; each carries a ``usage`` when any
        call was paid for.
        """
        ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of reading one conversation: what was proposed, and what the calls cost."""

    candidates: tuple[Candidate, ...]
    usages: tuple[Usage, ...] = ()
    # messages of chunks that could not be read after all attempts: (first turn, last turn, reason)
    unread: tuple[tuple[int, int, str], ...] = ()


class Extractor(Protocol):
    """Reads a conversation and proposes candidates, each with a quote of a user turn."""

    def extract(self, conversation: Conversation) -> Extraction:
        """Return the candidates. Raises ``ModelError`` when a model could not be asked or read."""
        ...


@dataclass(frozen=True, slots=True)
class Point:
    """One memory as the vector index keeps it. ``text`` is tokenised for the keyword side and is not stored.

    ``happened_at`` is epoch seconds; ``version`` is the memory's row version.
    """

    id: str
    version: int
    tenant_id: str
    entity_id: str
    bucket: Bucket
    kind: str
    status: str
    happened_at: float
    vector: Sequence[float]
    text: str


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """What to look for. Conditions narrow first; the vector and the text order what is left.

    ``tenant_id`` and ``entity_id`` are mandatory. ``since`` and ``until`` are epoch seconds, half-open.
    """

    tenant_id: str
    entity_id: str
    vector: Sequence[float] | None
    text: str
    limit: int
    buckets: tuple[Bucket, ...] = ()
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("active", "conflict")
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True)
class IndexHit:
    """One candidate of the index: cosine similarity and keyword (BM25) score; None where that side did not find it."""

    id: str
    dense: float | None
    keyword: float | None


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the index says of itself, for doctor and rebuild."""

    collection: str
    points: int
    rebuilt_reason: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


class VectorIndex(Protocol):
    """Vectors and keywords of memories; derived data, rebuilt from SQL at will. Raises ``IndexUnavailable``."""

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points by id; durable when it returns."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are no error."""
        ...

    def search(self, query: IndexQuery) -> list[IndexHit]:
        """Return the union of the best ``limit`` of each side, in no promised order."""
        ...

    def versions(self, tenant_id: str, entity_id: str) -> dict[str, int]:
        """Return the version of every point of one entity, by id."""
        ...

    def clear(self) -> None:
        """Remove every point. Only the rebuild command calls this."""
        ...

    def rebuilt(self) -> None:
        """Record that every memory of SQL is in; ``state().rebuilt_reason`` is empty from now on."""
        ...

    def state(self) -> IndexState:
        """Describe the index; ``rebuilt_reason`` says why it is not filled from SQL yet."""
        ...

    def close(self) -> None:
        """Flush and release the index; a second call does nothing."""
        ...


class SummaryCache(Protocol):
    """The hot summary of an entity, served only when its version equals the one in SQL."""

    def get(self, tenant_id: str, entity_id: str) -> bytes | None:
        """Return the stored value, or None."""
        ...

    def put(self, tenant_id: str, entity_id: str, value: bytes) -> None:
        """Store a value."""
        ...

    def drop(self, tenant_id: str, entity_id: str) -> None:
        """Forget the entity."""
        ...

    def close(self) -> None:
        """Release what is held; a second call does nothing."""
        ...


class WorkQueue(Protocol):
    """Tells workers that there is work; never raises. A message that is lost costs time: the sweeper says it again."""

    def wake(self, state: State, row_id: str) -> None:
        """Ask for the step that follows ``state`` of a conversation."""
        ...

    def index(self) -> None:
        """Ask for the index to be brought up to date with SQL."""
        ...

    def summary(self, entity_id: str) -> None:
        """Ask for the hot summary of an entity to be made."""
        ...

    def room(self, state: State) -> int:
        """Return how many more messages for the step after ``state`` the sweeper may send."""
        ...

    def lengths(self) -> dict[str, int | None]:
        """Return how many messages wait in each queue, None for all when the broker does not answer."""
        ...

    @property
    def failures(self) -> int:
        """How many messages could not be sent so far."""
        ...

    def close(self) -> None:
        """Release what is held; a second call does nothing."""
        ...
