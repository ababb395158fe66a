"""What the options before the command say; every command finds it in its context."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer


@dataclass(frozen=True, slots=True)
class Session:
    """The global options. ``json``: standard output is for machines."""

    json: bool = False
    path: Path | None = None
    config: Path | None = None


def session_of(context: typer.Context) -> Session:
    """Return the global options of a running command."""
    found = context.find_object(Session)
    return found if found is not None else Session()
