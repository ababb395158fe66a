"""``easy_data.submit``: a conversation from a publisher that only has the broker."""

from __future__ import annotations

from threading import Event

from celery.exceptions import Reject

from easy_data.pipeline import submitting
from easy_data.schemas.errors import InputError, MigrationNeeded, NotFound, StoreBusy, StoreReadOnly
from easy_data.schemas.log import get_logger
from easy_data.workers.messages import SubmitMessage, checked, rejected
from easy_data.workers.process import PROCESS

log = get_logger(__name__)

# The database is away, full or being upgraded: nothing else can be done here meanwhile either.
_AWAY = (StoreBusy, StoreReadOnly, MigrationNeeded)
PAUSE_SECONDS = 1.0


def submit(*arguments: object, **fields: object) -> None:
    """Take the conversation in; while the database is away, the message stays with the broker."""
    try:
        message = checked(SubmitMessage, arguments, fields)
        receipt = submitting.submit(PROCESS.runtime(), message.submission_id, message.body)
    except (NotFound, InputError):
        raise rejected("it is no published conversation") from None
    except _AWAY as error:
        log.warning("submission.postponed", error=type(error).__name__)
        Event().wait(PAUSE_SECONDS)
        raise Reject(error.code, requeue=True) from None
    if receipt.receipt_id is None:
        log.warning("submission.refused", submission=message.submission_id)
    PROCESS.count("refused" if receipt.receipt_id is None else "done")
