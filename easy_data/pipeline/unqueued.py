"""The work queue of embedded mode: there is none, the process's own thread looks for work itself."""

from __future__ import annotations

from easy_data.schemas.receipts import State


class Unqueued:
    """A ``WorkQueue`` nobody listens to."""

    failures = 0

    def wake(self, state: State, row_id: str) -> None:
        """Tell nobody."""

    def index(self) -> None:
        """Tell nobody."""

    def summary(self, entity_id: str) -> None:
        """Tell nobody."""

    def room(self, state: State) -> int:
        """Return 0: there is nothing to send to."""
        del state
        return 0

    def lengths(self) -> dict[str, int | None]:
        """Return nothing: there are no queues."""
        return {}

    def close(self) -> None:
        """Do nothing."""
