"""Opens the store that the command line names."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, tzinfo
from pathlib import Path

from easy_data.cli.session import Session
from easy_data.client.embedded import EasyMemory
from easy_data.schemas.errors import NotFound
from easy_data.schemas.settings import Settings, load_settings
from easy_data.schemas.zones import zone_of


def settings_of(session: Session) -> Settings:
    """Return the settings as this command line sees them. Raises ``SettingsError``."""
    return load_settings(config=session.config, path=session.path)


@contextmanager
def opened(session: Session, *, create: bool = False) -> Iterator[EasyMemory]:
    """Open the memory for one command: the store of this process, or its way into the service.

    A command that only looks does not make a store: without ``create``, a missing one is ``NotFound``. Raises
    ``SettingsError`` or ``StoreError``.
    """
    log_to_standard_error()
    settings = settings_of(session)
    if settings.backend == "sqlite":
        refuse_missing(settings.path, create=create)
    with EasyMemory(path=settings.path, config=session.config) as memory:
        yield memory


def refuse_missing(path: Path, *, create: bool) -> None:
    """Raise ``NotFound`` when there is no store at ``path``, or with ``create`` no folder for one."""
    if not create and not path.is_file():
        raise NotFound(f"there is no store at {path}; name another with --path, or write something first")
    if not path.absolute().parent.is_dir():
        # A path that was mistyped must not become a second store.
        raise NotFound(f"there is no folder {path.absolute().parent}; make it first, or name another --path")


def log_to_standard_error() -> None:
    """Send what the parts log, from warnings on, to standard error: standard output holds results alone."""
    # Each retry of a call is not worth a line: what comes of them all is said.
    logging.getLogger("stamina").setLevel(logging.ERROR)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s", stream=sys.stderr, force=True)


def zone_in(memory: EasyMemory, entity_id: str) -> tzinfo:
    """Return the time zone of an entity; UTC when nobody is known by that name."""
    found = memory.entity(entity_id)
    return zone_of(found.time_zone) if found else UTC
