"""Looking after the work behind memory: how much waits, and what could not be done."""

from __future__ import annotations

from easy_data.client.part import Part
from easy_data.pipeline import inbox, operating
from easy_data.schemas.checking import checked_limit
from easy_data.schemas.receipts import ReceiptStatus
from easy_data.schemas.service_status import ServiceStatus


class Operating(Part):
    """The methods of ``EasyMemory`` for whoever keeps the system running."""

    def status(self) -> ServiceStatus:
        """Return how much waits, for how long, and how fast it goes on. Raises ``StoreError``."""
        return operating.service_status(self._runtime)

    def sweep(self) -> int:
        """Wake the service's workers for everything that is due, as beat does each minute; return how much was.

        A memory in this process does its work by itself: 0 then.
        """
        return inbox.sweep(self._runtime)

    def dead_letters(self, *, limit: int = 100) -> list[ReceiptStatus]:
        """Return the conversations that could not be processed, each with its reason, the newest first."""
        return inbox.dead_letters(self._runtime, limit=checked_limit(limit))

    def dead_letter(self, receipt_id: str) -> ReceiptStatus:
        """Return one of them, with the fates its candidates had. Raises ``NotFound`` when it is none."""
        return operating.dead_letter(self._runtime, receipt_id)

    def replay_all(self) -> list[str]:
        """Process every dead letter there is now again from the start; return their receipts."""
        replayed = operating.replay_all(self._runtime)
        self._background.wake()
        return replayed
