"""Step three: similarity nominates stored memories that each candidate may repeat or contradict. It decides nothing."""

from __future__ import annotations

from easy_data.pipeline.records import record_of
from easy_data.pipeline.rendering import searchable
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Plan
from easy_data.schemas.ports import IndexQuery
from easy_data.schemas.receipts import State
from easy_data.schemas.records import Bucket
from easy_data.stores.repositories import candidates, claims, entities, outbox
from easy_data.stores.repositories.candidates import CandidateRow
from easy_data.stores.repositories.conversations import InboxRow

NOMINEES = 10
# Memories the index has not heard of yet are nominated outright; more than this many never wait in practice.
UNINDEXED = 100


def dedupe(row: InboxRow, runtime: Runtime) -> bool:
    """Plan every candidate that may be written; False when another worker has taken the conversation."""
    with runtime.database.read() as connection:
        found = [c for c in candidates.of_conversation(connection, row.id) if _needs_plan(c)]
        version = entities.version(connection, row.scope) or 0
        unindexed = outbox.waiting_ids(connection, row.scope, limit=UNINDEXED) if found else []
    nominated = _nominate(found, row, runtime) if version else [()] * len(found)
    with runtime.database.write() as connection:
        for candidate, nominees in zip(found, nominated, strict=True):
            known = tuple(dict.fromkeys((*nominees, *unindexed)))
            candidates.plan(connection, candidate.id, Plan(nominees=known, entity_version=version))
        moved = claims.advance(connection, row, State.PLANNED)
        if not moved:
            connection.rollback()
    runtime.reached("dedupe.committed")
    return moved


def _needs_plan(row: CandidateRow) -> bool:
    # Facts are found by their slot, in SQL, inside the transaction that writes.
    return row.verdict in ("accept", "event_only") and row.candidate.bucket is not Bucket.PROFILE


def _nominate(found: list[CandidateRow], row: InboxRow, runtime: Runtime) -> list[tuple[str, ...]]:
    if not found:
        return []
    texts = [searchable(record_of(c.classified(), row.scope.entity_id), runtime.registry) for c in found]
    vectors = runtime.embedder.embed(texts)
    nominated = []
    for candidate, text, vector in zip(found, texts, vectors, strict=True):
        bucket = Bucket.WORKSPACE if candidate.candidate.bucket is Bucket.WORKSPACE else Bucket.EVENT
        hits = runtime.index.search(
            IndexQuery(
                tenant_id=row.scope.tenant_id,
                entity_id=row.scope.entity_id,
                vector=vector,
                text=text,
                limit=NOMINEES,
                buckets=(bucket,),
            )
        )
        nominated.append(tuple(hit.id for hit in hits))
    return nominated
