"""Waits for a conversation as long as that makes sense: not for a model that is down."""

from __future__ import annotations

from easy_data.client.receipt import Receipt
from easy_data.schemas.errors import ModelUnavailable
from easy_data.schemas.receipts import ReceiptStatus

_LOOK_SECONDS = 1.0


def settled(receipt: Receipt) -> ReceiptStatus:
    """Return the status of a conversation once it is settled.

    Raises ``ModelUnavailable`` when the model that should read it cannot be reached: it waits in the store then.
    """
    while True:
        try:
            return receipt.wait(_LOOK_SECONDS)
        except TimeoutError:
            reason = receipt.status().reason
        if reason.startswith(ModelUnavailable.code):
            raise ModelUnavailable(f"kept, not read yet: {reason.partition(': ')[2]} It is read once the model answers")
