"""``Runtime``: everything the steps need, built in one place and passed to each of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pydantic import SecretStr

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.pipeline.unqueued import Unqueued
from easy_data.providers.clock import SystemClock
from easy_data.schemas.errors import SettingsError
from easy_data.schemas.ids import Scope
from easy_data.schemas.ports import Clock, Embedder, Extractor, SummaryCache, VectorIndex, WorkQueue
from easy_data.schemas.records import Entity
from easy_data.schemas.registry import Attribute, Registry
from easy_data.schemas.settings import Settings
from easy_data.stores.broker import is_redis
from easy_data.stores.database import Connection, Database
from easy_data.stores.edge_index import EdgeIndex
from easy_data.stores.migrate import ensure_schema
from easy_data.stores.recall_journal import RecallJournal
from easy_data.stores.summaries import InProcessSummaries

if TYPE_CHECKING:
    from easy_data.stores.redis_receipts import RedisReceipts

# Without a thread to do it, the recall log is written whenever this many recalls have gathered, and at the end.
RECALLS_A_FLUSH = 100


def _nothing(_point: str) -> None:
    """Pass a named point of the write path without doing anything."""


@dataclass(frozen=True)
class Runtime:
    """The parts of one running system.

    ``reached`` is called with the name of each point of the write path as it is passed; a fault harness stops the
    process there. ``extractor`` is None when conversations are to be kept but not read, ``receipts`` when there is no
    place to leave them.
    """

    settings: Settings
    registry: Registry
    database: Database
    index: VectorIndex
    embedder: Embedder
    extractor: Extractor | None
    summaries: SummaryCache
    recalls: RecallJournal
    clock: Clock
    reached: Callable[[str], None] = field(default=_nothing)
    queue: WorkQueue = field(default_factory=Unqueued)
    receipts: RedisReceipts | None = None

    def scope(self, entity_id: str) -> Scope:
        """Return the scope of an entity in this system's tenant."""
        return Scope(self.settings.tenant_id, entity_id)

    def newcomer(self, entity_id: str) -> Entity:
        """Return an entity as it is before anything is known of it."""
        return Entity(
            tenant_id=self.settings.tenant_id,
            entity_id=entity_id,
            time_zone=self.settings.time_zone,
            language=self.settings.language or "en",
        )

    def queue_time(self, connection: Connection) -> datetime:
        """Return the time that leases and due times are measured in: all workers must have the same."""
        return self.database.now(connection) or self.clock.now()

    def close(self) -> None:
        """Release everything; a second call does nothing."""
        with ExitStack() as closing:
            for part in (self.database, self.index, self.summaries, self.queue, self.receipts):
                if part is not None:
                    closing.callback(part.close)
            self.recalls.flush()


def build_runtime(
    settings: Settings,
    *,
    clock: Clock | None = None,
    attributes: Iterable[Attribute] = (),
    event_types: Iterable[str] = (),
    extractor: Extractor | None = None,
    embedder: Embedder | None = None,
    reached: Callable[[str], None] = _nothing,
) -> Runtime:
    """Build the runtime that the settings describe, on an upgraded database.

    With backend ``sqlite`` everything is in this process; with ``postgresql`` it is what clients and workers of the
    service share. Parts that are given replace the ones the settings would build. Raises ``SettingsError``, or
    ``StoreError`` when a store cannot be opened; nothing stays open then.
    """
    registry = Registry(attributes, event_types)
    embedder = embedder or build_embedder(settings)
    service = settings.backend == "postgresql"
    with ExitStack() as opened:
        database = build_database(settings)
        opened.callback(database.close)
        ensure_schema(database)
        index = build_index(settings, embedder)
        opened.callback(index.close)
        runtime = Runtime(
            settings=settings,
            registry=registry,
            database=database,
            index=index,
            embedder=embedder,
            extractor=(extractor or build_extractor(settings, registry)) if settings.auto_extract else None,
            summaries=build_summaries(settings),
            recalls=RecallJournal(database, flush_at=RECALLS_A_FLUSH if service else None),
            clock=clock or SystemClock(),
            reached=reached,
            queue=build_queue(settings),
            receipts=build_receipts(settings),
        )
        opened.pop_all()
    return runtime


def build_database(settings: Settings) -> Database:
    """Return the database that the settings name; nothing is connected yet."""
    if settings.backend == "sqlite":
        return Database.of_file(settings.path)
    service_part("psycopg2")
    return Database(_secret(settings.database_url, "database_url"), tenant_id=settings.tenant_id)


def build_index(settings: Settings, embedder: Embedder) -> VectorIndex:
    """Return the vector index that the settings name."""
    if settings.qdrant_url is None:
        folder = settings.index_path or index_folder(settings.path)
        return EdgeIndex(folder, embedder_name=embedder.name, size=embedder.size)
    key = settings.qdrant_api_key
    server: VectorIndex = service_part("easy_data.stores.qdrant_index").QdrantIndex(
        settings.qdrant_url,
        embedder_name=embedder.name,
        size=embedder.size,
        api_key=key.get_secret_value() if key else None,
        prefix=settings.deployment,
        tenant_id=settings.tenant_id,
    )
    return server


def build_summaries(settings: Settings) -> SummaryCache:
    """Return the cache of hot summaries that the settings name."""
    if settings.cache_url is None:
        return InProcessSummaries()
    shared: SummaryCache = service_part("easy_data.stores.redis_summaries").RedisSummaries(
        settings.cache_url.get_secret_value(), deployment=settings.deployment
    )
    return shared


def build_queue(settings: Settings) -> WorkQueue:
    """Return the queue that wakes workers, if the settings name a broker."""
    if settings.broker_url is None:
        return Unqueued()
    queue: WorkQueue = service_part("easy_data.stores.queue").TaskQueue(
        settings.broker_url.get_secret_value(),
        tenant_id=settings.tenant_id,
        deployment=settings.deployment,
        lease_seconds=settings.lease_seconds,
    )
    return queue


def build_receipts(settings: Settings) -> RedisReceipts | None:
    """Return where workers leave the receipts of published conversations: the broker if it is Redis, else the cache."""
    url = settings.broker_url
    if url is not None and not is_redis(url.get_secret_value()):
        url = settings.cache_url
    if settings.broker_url is None or url is None:
        return None
    receipts: RedisReceipts = service_part("easy_data.stores.redis_receipts").RedisReceipts(
        url.get_secret_value(), deployment=settings.deployment
    )
    return receipts


def index_folder(path: Path) -> Path:
    """Return the folder beside the database that holds its vector index."""
    return path.with_name(path.name + ".index")


def build_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name; the local one loads its weights on first use."""
    # Each of the two costs up to a second to import; only the one that is used is loaded.
    if settings.embedder == "openai":
        remote: Embedder = importlib.import_module("easy_data.pipeline.models").build_openai_embedder(settings)
        return remote
    local: Embedder = importlib.import_module("easy_data.providers.local_embedder").LocalEmbedder()
    return local


def build_extractor(settings: Settings, registry: Registry) -> Extractor:
    """Return the extractor that the settings name."""
    if settings.extractor == "chat" or (settings.extractor == "auto" and settings.llm_base_url):
        chat: Extractor = importlib.import_module("easy_data.pipeline.models").build_chat_extractor(settings, registry)
        return chat
    return PatternExtractor(registry)


def load_libraries(settings: Settings) -> None:
    """Import what ``build_runtime`` would, and connect to nothing: what forks does it once for all its children."""
    wanted = {
        "easy_data.stores.qdrant_index": settings.qdrant_url is not None,
        "easy_data.stores.redis_summaries": settings.cache_url is not None,
        "easy_data.stores.queue": settings.broker_url is not None,
        "easy_data.stores.redis_receipts": settings.broker_url is not None,
        "easy_data.pipeline.models": settings.embedder == "openai" or settings.llm_base_url is not None,
        "easy_data.providers.local_embedder": settings.embedder == "local",
    }
    for module, is_wanted in wanted.items():
        if is_wanted:
            service_part(module)


def service_part(module: str) -> ModuleType:
    """Load what only the service needs, from libraries of an extra. Raises ``SettingsError`` when they are missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise SettingsError("the service needs more libraries; run: pip install 'easy-data[service]'") from None


def _secret(value: SecretStr | None, name: str) -> str:
    if value is None:
        raise SettingsError(f"{name} is not set")
    return value.get_secret_value()
