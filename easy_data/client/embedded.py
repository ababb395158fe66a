"""``EasyMemory``: the whole memory in one process, with no server; or this process's way into the service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from easy_data.client.background import Background
from easy_data.client.keeping import Keeping
from easy_data.client.operating import Operating
from easy_data.client.reading import Reading
from easy_data.client.receipt import Receipt
from easy_data.client.service import Service
from easy_data.client.writing import Writing
from easy_data.pipeline import inbox, intake
from easy_data.pipeline.runtime import Runtime, build_runtime
from easy_data.providers.clock import SystemClock
from easy_data.schemas.checking import checked_model
from easy_data.schemas.conversation import ConversationInput
from easy_data.schemas.errors import InputError
from easy_data.schemas.ports import Clock, Embedder, Extractor
from easy_data.schemas.receipts import ReceiptStatus
from easy_data.schemas.records import Language
from easy_data.schemas.registry import Attribute
from easy_data.schemas.settings import Settings, load_settings
from easy_data.stores.repositories import conversations, outbox
from easy_data.stores.store_lock import StoreLock

STOP_SECONDS = 30.0
INDEX_SECONDS = 10.0


class EasyMemory(Writing, Reading, Keeping, Operating):
    """Long-term memory of an agent's users. Safe to use from threads; ``close`` it, or use it with ``with``.

    ``path`` is the SQLite file (its folder is made); every other setting of docs/settings.md can be given as a
    keyword. With ``backend="postgresql"`` the memory is the service's: ``database_url`` and the other addresses take
    the place of ``path``, workers do the work, and any number of processes may be attached. ``attributes`` and
    ``event_types`` add to the registry. ``extractor``, ``embedder`` and ``clock`` replace the parts the settings would
    build; the first two may also be the name that the setting takes. Raises ``SettingsError``, ``StoreLocked`` when
    another process has the store open, or another ``StoreError``.
    """

    def __init__(  # noqa: PLR0913 - each is optional, all but two by keyword
        self,
        backend: str | None = None,
        path: str | Path | None = None,
        *,
        attributes: Iterable[Attribute] = (),
        event_types: Iterable[str] = (),
        extractor: Extractor | str | None = None,
        embedder: Embedder | str | None = None,
        clock: Clock | None = None,
        config: str | Path | None = None,
        **settings: Any,
    ) -> None:
        chosen = load_settings(
            config=Path(config) if config else None,
            backend=backend,
            path=Path(path) if path is not None else None,
            extractor=extractor if isinstance(extractor, str) else None,
            embedder=embedder if isinstance(embedder, str) else None,
            **settings,
        )
        clock = clock or SystemClock()
        lock = _locked(chosen, clock)
        try:
            runtime = build_runtime(
                chosen,
                clock=clock,
                attributes=attributes,
                event_types=event_types,
                extractor=None if isinstance(extractor, str) else extractor,
                embedder=None if isinstance(embedder, str) else embedder,
            )
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        self._open(runtime, lock)

    @classmethod
    def over(cls, runtime: Runtime) -> Self:
        """Return a memory over a runtime that is built already; it takes the store's lock and closes both."""
        memory = cls.__new__(cls)
        memory._open(runtime, _locked(runtime.settings, runtime.clock))  # noqa: SLF001 - an instance of this class
        return memory

    def _open(self, runtime: Runtime, lock: StoreLock | None) -> None:
        self._runtime = runtime
        self._lock = lock
        self._background = Background(runtime) if lock is not None else Service(runtime)
        self._closed = False
        self._background.start()

    def end_conversation(  # noqa: PLR0913 - each is optional, all but two by keyword
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
    ) -> Receipt:
        """Hand over a finished conversation and get a receipt: it is durable then, and read in the background.

        ``messages`` are OpenAI messages (dictionaries or objects). The same ``conversation_id`` with the same
        messages returns the same receipt; with other messages it is a ``ConversationConflict`` unless ``revise`` is
        set. A naive ``ended_at`` is wall time in the entity's zone; None is now. Raises ``InputError`` or
        ``StoreError``.
        """
        given = checked_model(
            ConversationInput,
            {
                "entity_id": entity_id,
                "messages": _listed(messages),
                "conversation_id": conversation_id,
                "source": source,
                "ended_at": ended_at,
                "time_zone": time_zone,
                "language": language,
                "revise": revise,
            },
        )
        accepted = intake.accept(given, self._runtime)
        self._background.wake()
        return self.receipt(accepted.row_id, duplicate=accepted.duplicate)

    def receipt(self, receipt_id: str, *, duplicate: bool = False) -> Receipt:
        """Return the receipt with this id, also one of an earlier process."""
        return Receipt(receipt_id, duplicate=duplicate, read=self._status, wait=self._wait)

    def replay(self, receipt_id: str) -> Receipt:
        """Process a dead letter again from the start. Raises ``NotFound`` when it is none."""
        inbox.replay(self._runtime, receipt_id)
        self._background.wake()
        return self.receipt(receipt_id)

    def flush(self, timeout: float | None = 60.0) -> bool:
        """Wait until every accepted conversation is settled and indexed; False when the time runs out first."""
        self._background.wake()
        return self._background.wait_until(self._is_idle, timeout=timeout)

    def close(self) -> None:
        """Finish the conversation in hand and release the store; what is left goes on at the next start."""
        if not self._closed:
            self._closed = True
            self._background.stop(timeout=STOP_SECONDS)
            try:
                self._runtime.close()
            finally:
                if self._lock is not None:
                    self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _status(self, receipt_id: str) -> ReceiptStatus:
        return inbox.status(self._runtime, receipt_id)

    def _wait(self, receipt_id: str, timeout: float | None) -> bool:
        entity_id = self._status(receipt_id).entity_id
        if not self._background.wait_until(lambda: self._status(receipt_id).settled, timeout=timeout):
            return False
        # Recall finds it once the index knows; if the index is down, recall works from SQL and nobody should wait.
        self._background.wait_until(lambda: self._is_indexed(entity_id), timeout=INDEX_SECONDS)
        return True

    def _is_indexed(self, entity_id: str) -> bool:
        with self._runtime.database.read() as connection:
            unindexed = outbox.waiting_ids(connection, self._runtime.scope(entity_id), limit=1)
        return not unindexed or bool(self._background.failure)

    def _is_idle(self) -> bool:
        tenant_id = self._runtime.settings.tenant_id
        with self._runtime.database.read() as connection:
            number, _ = conversations.open_count(connection, tenant_id)
            return number + outbox.waiting(connection, tenant_id) == 0 and not self._background.rebuilding


def _listed(messages: object) -> list[Any]:
    """Return the messages as a list; one message alone, or a text, is none."""
    if isinstance(messages, Iterable) and not isinstance(messages, str | bytes | Mapping):
        return list(messages)
    raise InputError("must be a list of messages", field="messages")


def _locked(settings: Settings, clock: Clock) -> StoreLock | None:
    """Take the lock of an embedded store; the service's stores are for everybody and have none."""
    if settings.backend != "sqlite":
        return None
    lock = StoreLock(settings.path)
    lock.acquire(now=clock.now())
    return lock
