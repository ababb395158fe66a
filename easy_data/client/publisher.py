"""``ConversationPublisher``: the way in for an agent that only has a broker. It needs neither SQL nor the pipeline."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Self

from easy_data.client.journal import Journal
from easy_data.providers.clock import SystemClock
from easy_data.schemas.checking import checked_model
from easy_data.schemas.conversation import ConversationInput
from easy_data.schemas.errors import InputError, NotFound, SettingsError
from easy_data.schemas.ids import DEFAULT_TENANT, checked_name, new_id
from easy_data.schemas.ports import Clock
from easy_data.schemas.publishing import Publication, PublishState, packed
from easy_data.schemas.records import Language
from easy_data.schemas.zones import zone_of
from easy_data.stores.broker import is_redis
from easy_data.stores.queue import TaskQueue
from easy_data.stores.redis_receipts import RedisReceipts

# The agent waits no longer than this for a broker that hangs, and then leaves it alone for a while.
WAIT_SECONDS = 2.0
# A publish sends what earlier ones could not, but not all of a long backlog.
SENT_WITH_EACH = 20
BATCH = 200
LONGEST_RESEND_SECONDS = 3600.0
DEFAULT_MAX_BYTES = 5_000_000
# A message is tied to the worker's settings only through the names of queues, not through its lease.
_LEASE_SECONDS = 300.0
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 0.5
_SCHEMES = ("redis://", "rediss://", "amqp://", "amqps://")


class ConversationPublisher:
    """Publishes finished conversations through the broker, and keeps each in its journal until its receipt is known.

    What it guarantees: when ``publish`` returns, the conversation is on this machine's disk, in ``journal``. From there
    it is sent, and sent again, until a worker has it in SQL and says so; coming twice it is one conversation. So
    neither a broker that is down or loses everything, nor a worker or this process that is killed loses it, as long as
    the journal's disk lives and somebody calls ``publish``, ``flush`` or ``wait`` on it again.

    What it does not: a conversation in state ``kept`` or ``sent`` is not in the memory yet, and nobody else knows of
    it; order among conversations is not kept (facts are ordered by when they were said); the fates of what was said are
    not told here (``EasyMemory.receipt(receipt_id)`` does that). Until they are accepted, the words of a conversation
    stand in the journal and in the broker's message, out of reach of ``forget``: guard both like the database.

    On RabbitMQ each message is confirmed by the broker. Receipts come through Redis: the broker, or ``cache_url`` where
    the broker is RabbitMQ. ``tenant_id`` and ``deployment`` are the service's. A conversation without a receipt is sent
    again after ``resend_seconds``, then after twice as long. Threads, and processes, may share a journal. Raises
    ``SettingsError`` or ``StoreError``.
    """

    def __init__(  # noqa: PLR0913 - each is optional, all but two by keyword
        self,
        broker_url: str,
        journal: str | Path,
        *,
        cache_url: str | None = None,
        tenant_id: str = DEFAULT_TENANT,
        deployment: str = "easy-data",
        resend_seconds: float = 60.0,
        max_bytes: int = DEFAULT_MAX_BYTES,
        clock: Clock | None = None,
    ) -> None:
        if not broker_url.startswith(_SCHEMES):
            raise SettingsError(f"broker_url must begin with {' or '.join(_SCHEMES)}")
        receipts_url = broker_url if is_redis(broker_url) else cache_url
        if receipts_url is None:
            raise SettingsError("RabbitMQ carries no receipts; give the cache_url of the service, too")
        if resend_seconds <= 0:
            raise SettingsError("resend_seconds must be above 0")
        self._queue = TaskQueue(
            broker_url,
            tenant_id=checked_name(tenant_id, field="tenant_id"),
            deployment=deployment,
            lease_seconds=_LEASE_SECONDS,
            wait_seconds=WAIT_SECONDS,
        )
        self._receipts = RedisReceipts(receipts_url, deployment=deployment)
        self._resend_seconds = resend_seconds
        self._max_bytes = max_bytes
        self._clock = clock or SystemClock()
        self._journal = Journal(Path(journal))

    def publish(  # noqa: PLR0913 - each is optional, all but two by keyword
        self,
        entity_id: str,
        messages: Sequence[Any],
        *,
        conversation_id: str | None = None,
        source: str = "default",
        ended_at: datetime | str | float | None = None,
        time_zone: str | None = None,
        language: Language | None = None,
        revise: bool = False,
    ) -> Publication:
        """Keep a finished conversation on disk and send it; return where it is: ``kept`` or ``sent``.

        The arguments are those of ``EasyMemory.end_conversation``; one without an id gets one. Earlier conversations
        that were not sent go first. Raises ``InputError``, ``ConversationTooLarge`` or ``StoreError``; then nothing was
        kept.
        """
        now = self._clock.now()
        given = checked_model(
            ConversationInput,
            {
                "entity_id": checked_name(entity_id, field="entity_id"),
                "messages": _listed(messages),
                "conversation_id": new_id()
                if conversation_id is None
                else checked_name(conversation_id, field="conversation_id"),
                "source": checked_name(source, field="source"),
                # It may be taken in much later than it is published.
                "ended_at": now if ended_at is None else ended_at,
                "time_zone": time_zone,
                "language": language,
                "revise": revise,
            },
        )
        if given.time_zone is not None:
            zone_of(given.time_zone)
        publication = Publication(
            id=new_id(),
            entity_id=given.entity_id,
            conversation_id=given.conversation_id or "",
            state=PublishState.KEPT,
            published_at=now,
        )
        self._journal.add(publication, self._body(given))
        self._send(SENT_WITH_EACH)
        return self._journal.get(publication.id) or publication

    def flush(self) -> int:
        """Send everything that is due, and read receipts; return how many conversations have none yet.

        Without a broker it changes nothing. An application calls it at its start and from time to time.
        """
        self._read_receipts()
        while self._send(BATCH) == BATCH:
            pass
        self._read_receipts()
        return len(self.pending())

    def wait(self, timeout: float | None = 60.0) -> bool:
        """Flush until every conversation has a receipt; False when the time (seconds, None: for ever) runs out."""
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = _FIRST_PAUSE_SECONDS
        while self.flush():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            Event().wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
        return True

    def confirm(self) -> list[Publication]:
        """Read receipts and return what is settled: accepted (each told once) or refused (until it is discarded)."""
        self._read_receipts()
        settled = self._journal.listed(PublishState.ACCEPTED, PublishState.REFUSED)
        self._journal.remove([each.id for each in settled if each.state is PublishState.ACCEPTED])
        return settled

    def status(self, publication_id: str) -> Publication:
        """Return where one conversation is. Raises ``NotFound`` when ``confirm`` told of it already, or nobody did."""
        found = self._journal.get(publication_id)
        if found is None:
            raise NotFound("the journal has no publication with this id")
        return found

    def pending(self) -> list[Publication]:
        """Return the conversations without a receipt, as the journal knows them, the oldest first."""
        return self._journal.listed(PublishState.KEPT, PublishState.SENT)

    def discard(self, publication_id: str) -> None:
        """Drop a conversation that was refused. Raises ``NotFound``, or ``InputError`` while it has no receipt."""
        if self.status(publication_id).state in (PublishState.KEPT, PublishState.SENT):
            raise InputError("it has no receipt yet; only what was refused is discarded", field="publication_id")
        self._journal.remove([publication_id])

    def close(self) -> None:
        """Release everything. What has no receipt is in the journal, for the next publisher on it."""
        self._queue.close()
        self._receipts.close()
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _body(self, given: ConversationInput) -> str:
        fields = given.model_dump(exclude={"messages"}) | {"messages": [_plain(each) for each in given.messages]}
        if isinstance(given.ended_at, datetime):
            fields["ended_at"] = given.ended_at.isoformat()
        try:
            body = packed(fields, limit=self._max_bytes)
        except (TypeError, ValueError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("hold something that JSON cannot carry", field="messages") from None
        return body

    def _send(self, limit: int) -> int:
        """Send what is due, the oldest first, up to ``limit``; return how many the broker took."""
        due = self._journal.due(self._clock.now(), limit=limit, later_than=LONGEST_RESEND_SECONDS)
        for number, each in enumerate(due):
            if not self._queue.submit(each.id, each.body):
                return number
            wait = min(LONGEST_RESEND_SECONDS, self._resend_seconds * 2 ** min(each.attempts, 20))
            self._journal.sent(each.id, again_at=self._clock.now().timestamp() + wait)
        return len(due)

    def _read_receipts(self) -> None:
        self._journal.settle(self._receipts.take(self._journal.open_ids()))


def _listed(messages: object) -> object:
    # What is no list is refused by the check, not taken apart.
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        return messages
    return list(messages)


def _plain(value: object) -> object:
    """Return a message as JSON has it: a dictionary, or what an object of a client library says of itself."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if callable(dump := getattr(value, "model_dump", None)):
        return dump(mode="json")
    if hasattr(value, "role") and hasattr(value, "content"):
        return _plain({name: item for name, item in vars(value).items() if not name.startswith("_")})
    return value
