"""Similarity nominates: stored memories that a record may repeat or contradict. Rules decide, later and elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from easy_data.pipeline.rendering import searchable
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope
from easy_data.schemas.ports import IndexQuery
from easy_data.schemas.records import MemoryRecord
from easy_data.stores.repositories import outbox
from easy_data.stores.repositories.rows import bucket_of

NOMINEES = 10
# Memories the index has not heard of yet are nominated outright; more than this many never wait in practice.
UNINDEXED = 100


def nominate(
    records: Sequence[MemoryRecord], scope: Scope, runtime: Runtime, *, unindexed: tuple[str, ...] | None = None
) -> list[tuple[str, ...]]:
    """Return the nominees' ids for each record, the likest first; ``unindexed`` is what ``waiting`` gave, if asked.

    Raises ``IndexUnavailable`` or ``ModelError``.
    """
    if not records:
        return []
    if unindexed is None:
        unindexed = waiting(scope, runtime)
    texts = [searchable(record, runtime.registry) for record in records]
    nominated = []
    for record, text, vector in zip(records, texts, runtime.embedder.embed(texts), strict=True):
        hits = runtime.index.search(
            IndexQuery(
                tenant_id=scope.tenant_id,
                entity_id=scope.entity_id,
                vector=vector,
                text=text,
                limit=NOMINEES,
                buckets=(bucket_of(record),),
            )
        )
        nominated.append(tuple(dict.fromkeys((*(hit.id for hit in hits), *unindexed))))
    return nominated


def waiting(scope: Scope, runtime: Runtime) -> tuple[str, ...]:
    """Return the memories of an entity that the index does not know in their present form."""
    with runtime.database.read() as connection:
        return tuple(outbox.waiting_ids(connection, scope, limit=UNINDEXED))
