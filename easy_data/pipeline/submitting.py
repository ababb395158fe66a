"""Takes published conversations in: the same intake as for everyone, and a receipt for a publisher without SQL."""

from __future__ import annotations

from easy_data.pipeline.intake import accept
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.checking import checked_model
from easy_data.schemas.conversation import ConversationInput
from easy_data.schemas.errors import ConversationTooLarge, InputError
from easy_data.schemas.ids import checked_record_id
from easy_data.schemas.publishing import SubmissionReceipt, unpacked


def submit(runtime: Runtime, submission_id: str, body: str) -> SubmissionReceipt:
    """Take a published conversation in, durably, and leave its receipt where the publisher looks.

    Coming again changes nothing. What intake cannot use is refused in the receipt. Raises ``NotFound`` for a submission
    id that is none, ``InputError`` for a body that no publisher made, and ``StoreError`` when it cannot be stored now;
    no receipt is left then.
    """
    submission_id = checked_record_id(submission_id)
    try:
        fields = unpacked(body, limit=runtime.settings.max_conversation_bytes)
    except ConversationTooLarge as error:
        receipt = _refusal(error)
    else:
        receipt = _accepted(fields, submission_id, runtime)
    if runtime.receipts is not None:
        runtime.receipts.put(submission_id, receipt)
    return receipt


def _accepted(fields: dict[str, object], submission_id: str, runtime: Runtime) -> SubmissionReceipt:
    try:
        # Without an id of its own, each delivery would be another conversation.
        given = checked_model(
            ConversationInput, fields | {"conversation_id": fields.get("conversation_id") or submission_id}
        )
        accepted = accept(given, runtime)
    except InputError as error:
        return _refusal(error)
    return SubmissionReceipt(receipt_id=accepted.row_id, duplicate=accepted.duplicate)


def _refusal(error: InputError) -> SubmissionReceipt:
    return SubmissionReceipt(reason=f"{error.code}: {error}")
