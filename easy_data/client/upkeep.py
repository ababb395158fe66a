"""What ``EasyMemory`` asks of whoever does the work behind it: a thread of its own, or the service's workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Upkeep(Protocol):
    """Takes care of what was committed: conversations to be read, memories to be indexed, summaries to be made."""

    @property
    def failure(self) -> str:
        """What keeps the work from going on, while it does; else empty."""
        ...

    @property
    def notice(self) -> str:
        """What the doctor should mention."""
        ...

    @property
    def rebuilding(self) -> bool:
        """Tell if the index does not hold everything of SQL yet."""
        ...

    def start(self) -> None:
        """Begin."""
        ...

    def wake(self) -> None:
        """Say that a conversation was committed."""
        ...

    def relay(self) -> None:
        """Say that memories were committed. An outage is no error of this call: they are durable already."""
        ...

    def rebuild(self, progress: Callable[[int, int], None] | None = None, *, repair: bool = False) -> int:
        """Fill the index from SQL anew, or only where it differs; return how many memories it holds."""
        ...

    def wait_until(self, done: Callable[[], bool], *, timeout: float | None) -> bool:
        """Wait until ``done()`` holds; False when ``timeout`` seconds pass first."""
        ...

    def stop(self, *, timeout: float) -> None:
        """End; what is left goes on later."""
        ...
