"""Step two: policy judges each candidate, and answers to waiting questions are read."""

from __future__ import annotations

from easy_data.pipeline.answers import read_answers
from easy_data.pipeline.policy import classify as judge
from easy_data.pipeline.reviewing import with_current
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.receipts import State
from easy_data.stores.repositories import candidates, claims, reviews
from easy_data.stores.repositories.conversations import InboxRow


def classify(row: InboxRow, runtime: Runtime) -> bool:
    """Write down a verdict for every candidate; False when another worker has taken the conversation."""
    conversation = row.conversation()
    with runtime.database.write(durable=False) as connection:
        found = candidates.of_conversation(connection, row.id)
        if conversation is not None:
            waiting = with_current(connection, row.scope, reviews.pending(connection, row.scope))
            known = {c.candidate.answers_review for c in found}
            answers = [
                a
                for a in read_answers(conversation, waiting, [c.candidate for c in found], runtime.registry)
                if a.answers_review not in known
            ]
            found += candidates.add(connection, row.scope, row.id, len(found), answers)
            verdicts = [judge(c.candidate, conversation, runtime.registry, runtime.settings) for c in found]
            candidates.judge(connection, list(zip(found, verdicts, strict=True)))
        moved = claims.advance(connection, row, State.CLASSIFIED)
        if not moved:
            connection.rollback()
    runtime.reached("classify.committed")
    return moved
