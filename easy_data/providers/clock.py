"""The wall clock, read in one place."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return datetime.now(UTC)
