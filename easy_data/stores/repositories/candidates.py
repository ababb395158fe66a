"""Candidates: what was proposed from each conversation, what each step said of it, and its fate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from easy_data.schemas.candidates import Candidate, CandidateFate, Classified, Fate, Plan, Verdict
from easy_data.schemas.ids import Scope, new_id
from easy_data.stores.tables import candidates as table


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate as the steps pass it on. ``verdict`` and ``plan`` are None until their step has run."""

    id: str
    candidate: Candidate
    verdict: Verdict | None
    confidence: float
    reason: str
    plan: Plan | None

    def classified(self) -> Classified:
        """Return what the classify step said."""
        return Classified(
            candidate=self.candidate, verdict=self.verdict or "reject", confidence=self.confidence, reason=self.reason
        )


def replace_all(connection: Connection, scope: Scope, conversation_row_id: str, found: Sequence[Candidate]) -> None:
    """Store what extraction proposed; an earlier, unfinished attempt's rows go."""
    connection.execute(delete(table).where(table.c.conversation_row_id == conversation_row_id))
    if found:
        connection.execute(
            insert(table),
            [
                {
                    "id": new_id(),
                    "tenant_id": scope.tenant_id,
                    "entity_id": scope.entity_id,
                    "conversation_row_id": conversation_row_id,
                    "ordinal": ordinal,
                    "content": candidate.model_dump(mode="json"),
                    "reason": "",
                }
                for ordinal, candidate in enumerate(found)
            ],
        )


def add(connection: Connection, scope: Scope, conversation_row_id: str, start: int, found: Sequence[Candidate]) -> None:
    """Append candidates that a later step found, numbered from ``start``."""
    for ordinal, candidate in enumerate(found, start):
        connection.execute(
            insert(table).values(
                id=new_id(),
                tenant_id=scope.tenant_id,
                entity_id=scope.entity_id,
                conversation_row_id=conversation_row_id,
                ordinal=ordinal,
                content=candidate.model_dump(mode="json"),
                reason="",
            )
        )


def of_conversation(connection: Connection, conversation_row_id: str) -> list[CandidateRow]:
    """Return the candidates of a conversation in the order they were proposed."""
    found = connection.execute(
        select(table).where(table.c.conversation_row_id == conversation_row_id).order_by(table.c.ordinal)
    )
    return [_row(row) for row in found]


def judge(connection: Connection, row_id: str, verdict: Classified) -> None:
    """Write down what policy said of a candidate, and the candidate as policy left it."""
    connection.execute(
        update(table)
        .where(table.c.id == row_id)
        .values(
            verdict=verdict.verdict,
            confidence=verdict.confidence,
            reason=verdict.reason,
            content=verdict.candidate.model_dump(mode="json"),
        )
    )


def plan(connection: Connection, row_id: str, found: Plan) -> None:
    """Write down what dedupe found for a candidate."""
    connection.execute(update(table).where(table.c.id == row_id).values(plan=found.model_dump(mode="json")))


def end(
    connection: Connection,
    row_id: str,
    fate: Fate,
    *,
    reason: str,
    memory_id: str | None = None,
    review_id: str | None = None,
) -> None:
    """Write down the fate of a candidate."""
    connection.execute(
        update(table)
        .where(table.c.id == row_id)
        .values(fate=fate, reason=reason, memory_id=memory_id, review_id=review_id)
    )


def fates(connection: Connection, conversation_row_id: str) -> tuple[CandidateFate, ...]:
    """Return the fates of a conversation's candidates that have one."""
    found = connection.execute(
        select(table)
        .where(table.c.conversation_row_id == conversation_row_id, table.c.fate.is_not(None))
        .order_by(table.c.ordinal)
    )
    return tuple(_fate(row) for row in found)


def of_memory(connection: Connection, memory_id: str) -> list[tuple[str, CandidateFate]]:
    """Return (conversation row id, fate) of every candidate that touched a memory."""
    found = connection.execute(select(table).where(table.c.memory_id == memory_id).order_by(table.c.id))
    return [(row._mapping["conversation_row_id"], _fate(row)) for row in found]


def forget(connection: Connection, conversation_row_id: str) -> int:
    """Delete the candidates of a conversation; return how many there were."""
    return connection.execute(delete(table).where(table.c.conversation_row_id == conversation_row_id)).rowcount


def _row(row: Row[Any]) -> CandidateRow:
    found = row._mapping
    return CandidateRow(
        id=found["id"],
        candidate=Candidate.model_validate(found["content"]),
        verdict=found["verdict"],
        confidence=found["confidence"] or 0.0,
        reason=found["reason"],
        plan=None if found["plan"] is None else Plan.model_validate(found["plan"]),
    )


def _fate(row: Row[Any]) -> CandidateFate:
    found = row._mapping
    candidate = Candidate.model_validate(found["content"])
    fact = f"{candidate.attr_name} = {candidate.value}" if candidate.value else candidate.attr_name
    what = fact or candidate.summary or candidate.task_id
    return CandidateFate(
        candidate_id=found["id"],
        bucket=candidate.bucket,
        what=what,
        quote=candidate.quote,
        turn=candidate.turn,
        fate=Fate(found["fate"]),
        reason=found["reason"],
        confidence=found["confidence"] or 0.0,
        memory_id=found["memory_id"],
        review_id=found["review_id"],
    )
