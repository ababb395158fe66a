"""Step three: similarity nominates stored memories that each candidate may repeat or contradict. It decides nothing."""

from __future__ import annotations

from easy_data.pipeline.nominating import nominate
from easy_data.pipeline.records import record_of
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Plan
from easy_data.schemas.receipts import State
from easy_data.schemas.records import Bucket
from easy_data.stores.repositories import candidates, claims, entities
from easy_data.stores.repositories.candidates import CandidateRow
from easy_data.stores.repositories.conversations import InboxRow


def dedupe(row: InboxRow, runtime: Runtime) -> bool:
    """Plan every candidate that may be written; False when another worker has taken the conversation."""
    with runtime.database.read() as connection:
        found = [c for c in candidates.of_conversation(connection, row.id) if _needs_plan(c)]
        version = entities.version(connection, row.scope) or 0
    records = [record_of(c.classified(), row.scope.entity_id) for c in found]
    # Whose version is 0 has no memory that could be repeated.
    nominated = nominate(records, row.scope, runtime) if version else [()] * len(found)
    with runtime.database.write() as connection:
        for candidate, nominees in zip(found, nominated, strict=True):
            candidates.plan(connection, candidate.id, Plan(nominees=nominees, entity_version=version))
        moved = claims.advance(connection, row, State.PLANNED)
        if not moved:
            connection.rollback()
    runtime.reached("dedupe.committed")
    return moved


def _needs_plan(row: CandidateRow) -> bool:
    # Facts are found by their slot, in SQL, inside the transaction that writes.
    return row.verdict in ("accept", "event_only") and row.candidate.bucket is not Bucket.PROFILE
