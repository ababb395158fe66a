"""``Runtime``: everything the steps need, built in one place and passed to each of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.providers.clock import SystemClock
from easy_data.schemas.ids import Scope
from easy_data.schemas.ports import Clock, Embedder, Extractor, SummaryCache, VectorIndex
from easy_data.schemas.records import Entity
from easy_data.schemas.registry import Attribute, Registry
from easy_data.schemas.settings import Settings
from easy_data.stores.database import Database
from easy_data.stores.edge_index import EdgeIndex
from easy_data.stores.migrate import ensure_schema
from easy_data.stores.recall_journal import RecallJournal
from easy_data.stores.summaries import InProcessSummaries


def _nothing(_point: str) -> None:
    """Pass a named point of the write path without doing anything."""


@dataclass(frozen=True)
class Runtime:
    """The parts of one running system.

    ``reached`` is called with the name of each point of the write path as it is passed; a fault harness stops the
    process there. ``extractor`` is None when conversations are to be kept but not read.
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

    def close(self) -> None:
        """Release everything; a second call does nothing."""
        self.recalls.flush()
        self.index.close()
        self.database.close()


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
    """Build the embedded runtime that the settings describe, on an upgraded database.

    Parts that are given replace the ones the settings would build. Raises ``StoreError`` when the store cannot be
    opened; nothing stays open then.
    """
    registry = Registry(attributes, event_types)
    clock = clock or SystemClock()
    embedder = embedder or build_embedder(settings)
    database = Database.of_file(settings.path)
    try:
        ensure_schema(database)
        index = EdgeIndex(index_folder(settings.path), embedder_name=embedder.name, size=embedder.size)
    except BaseException:
        database.close()
        raise
    return Runtime(
        settings=settings,
        registry=registry,
        database=database,
        index=index,
        embedder=embedder,
        extractor=(extractor or build_extractor(settings, registry)) if settings.auto_extract else None,
        summaries=InProcessSummaries(),
        recalls=RecallJournal(database),
        clock=clock,
        reached=reached,
    )


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
