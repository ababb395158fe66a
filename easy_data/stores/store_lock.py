"""One process a store: who holds it is written down beside it."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from easy_data.schemas.errors import StoreError, StoreLocked, StoreReadOnly

_SQLITE = b"SQLite format 3\0"
_REMEDY = 'close it there or give this one another path. Several processes share a memory with backend="postgresql"'


class StoreLock:
    """The lock of an embedded store. The operating system frees it when the process ends, however it ends."""

    def __init__(self, path: Path, *, remedy: str = _REMEDY) -> None:
        """Name what is locked, and what to do when another process holds it."""
        self._lock = FileLock(path.with_name(path.name + ".lock"), thread_local=False)
        self._holder = path.with_name(path.name + ".holder")
        self._path = path
        self._remedy = remedy
        self._process = os.getpid()

    def acquire(self, *, now: datetime) -> None:
        """Take the lock; raise ``StoreLocked`` naming the process that holds it, or another ``StoreError``."""
        if _is_other_file(self._path):
            raise StoreError(f"{self._path} is no SQLite database; choose another path")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
            holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": now.isoformat(timespec="seconds")}
            self._holder.write_text(json.dumps(holder), encoding="utf-8")
        except Timeout:
            raise StoreLocked(f"{self._path} is in use by {self._describe()}; {self._remedy}") from None
        except OSError as error:
            self.release()
            raise StoreReadOnly(
                f"{self._path.parent} cannot be written to ({error.strerror}); free it or choose another path"
            ) from None

    def release(self) -> None:
        """Give the lock back; a second call does nothing, nor does a forked child's: it is the parent's."""
        if self._lock.is_locked and self._process == os.getpid():
            with suppress(OSError):  # a folder that became read-only keeps the note; the lock is what counts
                self._holder.unlink(missing_ok=True)
            self._lock.release()

    def _describe(self) -> str:
        try:
            found = json.loads(self._holder.read_text(encoding="utf-8"))
            if found["pid"] == os.getpid():
                return "this very process"
            return f"process {found['pid']} on {found['host']} since {found['since']}"
        except (OSError, ValueError, KeyError):
            return "another process"


def _is_other_file(path: Path) -> bool:
    """Tell if ``path`` is a file that SQLite did not write; what cannot be read is left to SQLite to refuse."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE))
    except OSError:
        return False
    return bool(start) and start != _SQLITE
