"""Step two: policy judges each candidate, and answers to waiting questions are read."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.answers import read_answers
from easy_data.pipeline.flood import is_flood
from easy_data.pipeline.policy import classify as judge
from easy_data.pipeline.policy import quarantined
from easy_data.pipeline.reviewing import with_current
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Candidate
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.log import get_logger
from easy_data.schemas.receipts import State
from easy_data.stores.database import Connection
from easy_data.stores.repositories import candidates, claims, reviews
from easy_data.stores.repositories.candidates import CandidateRow
from easy_data.stores.repositories.conversations import InboxRow

log = get_logger(__name__)


def classify(row: InboxRow, runtime: Runtime) -> bool:
    """Write down a verdict for every candidate; False when another worker has taken the conversation."""
    conversation = row.conversation()
    with runtime.database.write(durable=False) as connection:
        found = candidates.of_conversation(connection, row.id)
        if conversation is not None:
            flood = is_flood(connection, row, runtime.settings)
            if not flood:
                answers = _answers(connection, row, conversation, found, runtime)
                found += candidates.add(connection, row.scope, row.id, len(found), answers)
            verdicts = [judge(c.candidate, conversation, runtime.registry, runtime.settings) for c in found]
            if flood:
                log.warning("conversation.in_flood", receipt=row.id)
                verdicts = [quarantined(verdict) for verdict in verdicts]
            candidates.judge(connection, list(zip(found, verdicts, strict=True)))
        moved = claims.advance(connection, row, State.CLASSIFIED)
        if not moved:
            connection.rollback()
    runtime.reached("classify.committed")
    return moved


def _answers(
    connection: Connection,
    row: InboxRow,
    conversation: Conversation,
    found: Sequence[CandidateRow],
    runtime: Runtime,
) -> list[Candidate]:
    """Return the user's answers to waiting questions that are not among the candidates yet."""
    waiting = with_current(connection, row.scope, reviews.pending(connection, row.scope))
    known = {c.candidate.answers_review for c in found}
    read = read_answers(conversation, waiting, [c.candidate for c in found], runtime.registry)
    return [answer for answer in read if answer.answers_review not in known]
