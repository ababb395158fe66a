"""The command line for every acceptance test that wants it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.fixtures.command_line import CommandLine


@pytest.fixture
def command_line(tmp_path: Path) -> Iterator[CommandLine]:
    yield CommandLine(tmp_path / "memory.db")
    structlog.reset_defaults()
