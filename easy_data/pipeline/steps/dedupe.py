"""Step three: similarity nominates stored memories that each candidate may repeat or contradict. It decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.nominating import UNINDEXED, nominate
from easy_data.pipeline.records import record_of
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Plan
from easy_data.schemas.receipts import State
from easy_data.schemas.records import Bucket
from easy_data.stores.database import Connection
from easy_data.stores.repositories import candidates, claims, entities, outbox
from easy_data.stores.repositories.candidates import CandidateRow
from easy_data.stores.repositories.conversations import InboxRow


def dedupe(row: InboxRow, runtime: Runtime) -> bool:
    """Plan every candidate that may be written; False when another worker has taken the conversation."""
    with runtime.database.write(durable=False) as connection:
        found = [c for c in candidates.of_conversation(connection, row.id) if _needs_plan(c)]
        version = entities.version(connection, row.scope) or 0
        # Whose version is 0 has no memory that could be repeated.
        asks = bool(found and version)
        unindexed = tuple(outbox.waiting_ids(connection, row.scope, limit=UNINDEXED)) if asks else ()
        moved = not asks and _plan(connection, row, [(c, ()) for c in found], version)
    if asks:
        # No transaction is open while the model and the index are asked.
        records = [record_of(c.classified(), row.scope.entity_id) for c in found]
        nominated = nominate(records, row.scope, runtime, unindexed=unindexed)
        with runtime.database.write(durable=False) as connection:
            moved = _plan(connection, row, list(zip(found, nominated, strict=True)), version)
    runtime.reached("dedupe.committed")
    return moved


def _plan(
    connection: Connection, row: InboxRow, nominated: Sequence[tuple[CandidateRow, tuple[str, ...]]], version: int
) -> bool:
    plans = [(c.id, Plan(nominees=nominees, entity_version=version)) for c, nominees in nominated]
    candidates.plan(connection, plans)
    moved = claims.advance(connection, row, State.PLANNED)
    if not moved:
        connection.rollback()
    return moved


def _needs_plan(row: CandidateRow) -> bool:
    # Facts are found by their slot, in SQL, inside the transaction that writes.
    return row.verdict in ("accept", "event_only") and row.candidate.bucket is not Bucket.PROFILE
