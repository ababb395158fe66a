"""What one worker process works with: its own runtime, built on first use, never inherited from the parent."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from threading import Lock

from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import SettingsError
from easy_data.schemas.log import get_logger

log = get_logger(__name__)


class WorkerProcess:
    """The runtime of the present process. A parent that forks builds none, so nothing connected is ever shared."""

    def __init__(self) -> None:
        self._build: Callable[[], Runtime] | None = None
        self._load: Callable[[], None] | None = None
        self._runtime: Runtime | None = None
        self._pid = 0
        self._lock = Lock()
        # What became of messages, for those who look after the system: "rejected", "idle", "done".
        self.counts: Counter[str] = Counter()

    def prepare(self, build: Callable[[], Runtime], *, load: Callable[[], None] | None = None) -> None:
        """Say how the runtime is built, and how what it is built of is imported; neither is done yet."""
        self._build, self._load = build, load

    def load(self) -> None:
        """Import what the runtime is built of, before the process forks: no child spends a task's time on it."""
        if self._load is not None:
            self._load()

    def runtime(self) -> Runtime:
        """Return the runtime of this process. Raises ``StoreError`` when it cannot be built now."""
        with self._lock:
            if self._runtime is None or self._pid != os.getpid():
                if self._build is None:
                    raise SettingsError("no worker application was made in this process")
                self._runtime, self._pid = self._build(), os.getpid()
            return self._runtime

    def close(self) -> None:
        """Release what this process opened; a second call does nothing."""
        with self._lock:
            if self._runtime is not None and self._pid == os.getpid():
                self._runtime.close()
            self._runtime = None

    def count(self, what: str) -> None:
        """Count what became of one message."""
        self.counts[what] += 1


PROCESS = WorkerProcess()
