"""What the acceptance tests share: one local embedder, and memories that are closed at the end of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from easy_data import EasyMemory
from easy_data.providers.local_embedder import LocalEmbedder
from easy_data.schemas.ports import Embedder

Open = Callable[..., EasyMemory]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The real local embedder, its weights loaded once for all tests."""
    return LocalEmbedder()


@pytest.fixture
def open_memory(tmp_path: Path, embedder: Embedder) -> Iterator[Open]:
    """Open a memory on the test's store; settings as keywords."""
    opened: list[EasyMemory] = []

    def open_one(**settings: Any) -> EasyMemory:
        settings = {"path": tmp_path / "memory.db", "embedder": embedder, "retry_seconds": 0.01} | settings
        opened.append(EasyMemory(**settings))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> EasyMemory:
    """A memory that reads conversations with the patterns."""
    return open_memory()
