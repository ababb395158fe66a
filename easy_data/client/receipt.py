"""What ``end_conversation`` returns: proof of acceptance, and later the fate of every candidate."""

from __future__ import annotations

from collections.abc import Callable

from easy_data.schemas.candidates import CandidateFate
from easy_data.schemas.receipts import Outcome, ReceiptStatus


class Receipt:
    """An accepted conversation. It is durable when this exists; ``wait`` returns when its fates are known."""

    def __init__(
        self,
        receipt_id: str,
        *,
        duplicate: bool,
        read: Callable[[str], ReceiptStatus],
        wait: Callable[[str, float | None], bool],
    ) -> None:
        self.id = receipt_id
        self.duplicate = duplicate
        self._read = read
        self._wait = wait

    def status(self) -> ReceiptStatus:
        """Return what SQL says of the conversation now."""
        return self._read(self.id).model_copy(update={"duplicate": self.duplicate})

    def wait(self, timeout: float | None = 60.0) -> ReceiptStatus:
        """Wait until the conversation is settled and can be recalled; return its status then.

        ``timeout`` in seconds, None for ever. Raises ``TimeoutError`` when it runs out; the conversation goes on.
        """
        if not self._wait(self.id, timeout):
            raise TimeoutError(f"not settled after {timeout} seconds; the conversation is safe and goes on")
        return self.status()

    @property
    def outcome(self) -> Outcome | None:
        """How the conversation ended, None while it is under way."""
        return self.status().outcome

    @property
    def fates(self) -> tuple[CandidateFate, ...]:
        """The fate of every candidate so far."""
        return self.status().fates

    def __repr__(self) -> str:
        return f"Receipt(id={self.id!r}, duplicate={self.duplicate})"
