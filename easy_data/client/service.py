"""The service behind ``EasyMemory``: workers elsewhere do the work, SQL says how far they are. No thread, no lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from easy_data.pipeline.indexing import rebuild
from easy_data.pipeline.reconcile import reconcile
from easy_data.pipeline.runtime import Runtime, service_part

# A settled conversation is seen after a few milliseconds; a long wait asks SQL twice a second.
FIRST_PAUSE_SECONDS = 0.01
LONGEST_PAUSE_SECONDS = 0.5


class Service:
    """The ``Upkeep`` of a process that is attached to the service. Intake wakes the workers at its commit already."""

    failure = ""
    rebuilding = False

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._stopping = threading.Event()

    @property
    def notice(self) -> str:
        """What the doctor tells."""
        unsent = self._runtime.queue.failures
        return f"{unsent} messages did not reach the broker; the sweeper sends them" if unsent else ""

    def start(self) -> None:
        """Do nothing: the workers run already, or will."""

    def wake(self) -> None:
        """Do nothing: whoever commits a conversation sends its message."""

    def relay(self) -> None:
        """Ask a worker to bring the index up to date."""
        self._runtime.queue.index()

    def rebuild(self, progress: Callable[[int, int], None] | None = None, *, repair: bool = False) -> int:
        """Fill the index from SQL, in this process; recall works meanwhile. Return how many memories it holds.

        When the settings name another embedding model than the index serves, the index is changed to it.
        """
        if self._runtime.settings.qdrant_url is None:
            return (
                reconcile(self._runtime, progress=progress).checked
                if repair
                else rebuild(self._runtime, progress=progress)
            )
        reindexing = service_part("easy_data.pipeline.reindexing")
        return int(reindexing.change_model(self._runtime, anew=not repair, progress=progress).filled.checked)

    def wait_until(self, done: Callable[[], bool], *, timeout: float | None) -> bool:
        """Ask ``done()`` at growing intervals until it holds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = FIRST_PAUSE_SECONDS
        while not done():
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                pause = min(pause, left)
            self._stopping.wait(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
        return True

    def stop(self, *, timeout: float) -> None:
        """Do nothing: there is no thread."""
        del timeout
