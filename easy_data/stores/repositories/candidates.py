"""Candidates: what was proposed from each conversation, what each step said of it, and its fate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Row, bindparam, delete, insert, select, update

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


@dataclass(frozen=True, slots=True)
class End:
    """How a candidate ended: its id, its fate and what it touched."""

    row_id: str
    fate: Fate
    reason: str
    memory_id: str | None = None
    review_id: str | None = None


# Built once: every conversation passes through them.
_ROW: BindParameter[str] = bindparam("row")
_OF_CONVERSATION = select(table).where(table.c.conversation_row_id == _ROW).order_by(table.c.ordinal)
_JUDGE = (
    update(table)
    .where(table.c.id == _ROW)
    .values(verdict=bindparam("to_verdict"), confidence=bindparam("to_confidence"), reason=bindparam("to_reason"))
)
_REWORD = update(table).where(table.c.id == _ROW).values(content=bindparam("to_content"))
_PLAN = update(table).where(table.c.id == _ROW).values(plan=bindparam("to_plan"))
_END = (
    update(table)
    .where(table.c.id == _ROW)
    .values(
        fate=bindparam("to_fate"),
        reason=bindparam("to_reason"),
        memory_id=bindparam("to_memory"),
        review_id=bindparam("to_review"),
    )
)


def add(
    connection: Connection, scope: Scope, conversation_row_id: str, start: int, found: Sequence[Candidate]
) -> list[CandidateRow]:
    """Append candidates, numbered from ``start``, and return their rows."""
    rows = [CandidateRow(new_id(), candidate, None, 0.0, "", None) for candidate in found]
    if rows:
        connection.execute(
            insert(table),
            [
                {
                    "id": row.id,
                    "tenant_id": scope.tenant_id,
                    "entity_id": scope.entity_id,
                    "conversation_row_id": conversation_row_id,
                    "ordinal": ordinal,
                    "content": row.candidate.model_dump(mode="json"),
                    "reason": "",
                }
                for ordinal, row in enumerate(rows, start)
            ],
        )
    return rows


def of_conversation(connection: Connection, conversation_row_id: str) -> list[CandidateRow]:
    """Return the candidates of a conversation in the order they were proposed."""
    return [_row(row) for row in connection.execute(_OF_CONVERSATION, {"row": conversation_row_id})]


def judge(connection: Connection, verdicts: Sequence[tuple[CandidateRow, Classified]]) -> None:
    """Write down what policy said of each candidate, and the candidate where policy changed it."""
    judged = [
        {"row": row.id, "to_verdict": said.verdict, "to_confidence": said.confidence, "to_reason": said.reason}
        for row, said in verdicts
    ]
    changed = [
        {"row": row.id, "to_content": said.candidate.model_dump(mode="json")}
        for row, said in verdicts
        if said.candidate is not row.candidate
    ]
    for statement, values in ((_JUDGE, judged), (_REWORD, changed)):
        if values:
            connection.execute(statement, values)


def plan(connection: Connection, plans: Sequence[tuple[str, Plan]]) -> None:
    """Write down what dedupe found for each candidate: (row id, plan) items."""
    if plans:
        connection.execute(_PLAN, [{"row": name, "to_plan": found.model_dump(mode="json")} for name, found in plans])


def end(connection: Connection, ends: Sequence[End]) -> None:
    """Write down the fates of candidates."""
    if ends:
        connection.execute(
            _END,
            [
                {
                    "row": each.row_id,
                    "to_fate": each.fate,
                    "to_reason": each.reason,
                    "to_memory": each.memory_id,
                    "to_review": each.review_id,
                }
                for each in ends
            ],
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
