"""Leaves a server alone for a while after it failed, so that one that hangs is not waited for in every call."""

from __future__ import annotations

import time


class Cooldown:
    """Says when to try again. Threads may share it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0
        # How often it failed, for those who look after the system.
        self.failures = 0

    @property
    def resting(self) -> bool:
        """Tell if the server should be left alone now."""
        return time.monotonic() < self._until

    def failed(self) -> None:
        """Begin a rest."""
        self.failures += 1
        self._until = time.monotonic() + self._seconds

    def worked(self) -> None:
        """End the rest."""
        self._until = 0.0
