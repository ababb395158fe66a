"""Step one: read the conversation and put down what it proposes."""

from __future__ import annotations

from easy_data.pipeline.budget import is_spent, read_without_model
from easy_data.pipeline.runtime import Runtime
from easy_data.pipeline.turns import end_unread
from easy_data.schemas.errors import ModelError
from easy_data.schemas.log import get_logger
from easy_data.schemas.ports import Usage
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories import candidates, claims, logs
from easy_data.stores.repositories.conversations import InboxRow

log = get_logger(__name__)

OFF = "auto_extract is off"


def extract(row: InboxRow, runtime: Runtime) -> bool:
    """Store the candidates of a conversation; False when it ended here or another worker has taken it.

    When the day's budget is used up no model is asked: the patterns read alone, which the receipt says.
    Raises ``ModelError`` when the model could not be asked or read; what its calls cost is written down either way.
    """
    conversation = row.conversation()
    if conversation is None:
        return _end(row, runtime, Outcome.CANCELLED, "the text is gone")
    if not conversation.has_user_text():
        return _end(row, runtime, Outcome.EMPTY, "no user said anything")
    if runtime.extractor is None:
        return _end(row, runtime, Outcome.EMPTY, OFF)
    try:
        if is_spent(runtime):
            log.warning("conversation.over_budget", receipt=row.id)
            found = read_without_model(conversation, runtime)
        else:
            found = runtime.extractor.extract(conversation)
    except ModelError as error:
        _account(row, runtime, tuple(getattr(error, "usage", ())))
        raise
    runtime.reached("extract.done")
    # What a model was paid for is forced to disk; the patterns would find the same once more.
    with runtime.database.write(durable=bool(found.usages)) as connection:
        logs.add_calls(connection, row.scope, row.id, found.usages, purpose="extract", now=runtime.clock.now())
        if row.fence > 1:
            candidates.forget(connection, row.id)
        candidates.add(connection, row.scope, row.id, 0, found.candidates)
        moved = claims.advance(connection, row, State.EXTRACTED, unread=[list(span) for span in found.unread])
        if not moved:
            connection.rollback()
    runtime.reached("extract.committed")
    return moved


def _end(row: InboxRow, runtime: Runtime, outcome: Outcome, reason: str) -> bool:
    end_unread(row, runtime, outcome, reason)
    return False


def _account(row: InboxRow, runtime: Runtime, usages: tuple[Usage, ...]) -> None:
    with runtime.database.write() as connection:
        logs.add_calls(connection, row.scope, row.id, usages, purpose="extract", now=runtime.clock.now())
