"""Export: everything kept, as JSON objects, one a line when written to a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easy_data.pipeline.reviewing import pending
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.checking import MAX_INTEGER
from easy_data.schemas.ids import Scope, checked_name
from easy_data.schemas.records import Bucket
from easy_data.stores.repositories import entities, erasure, evidence, history, memories
from easy_data.stores.repositories.rows import bucket_of

FORMAT = 1
PAGE = 200


def export(runtime: Runtime, entity_id: str | None) -> Iterator[dict[str, Any]]:
    """Yield an entity's record, then each memory with its evidence and history, then the questions that wait."""
    if entity_id is None:
        with runtime.database.read() as connection:
            names = entities.names(connection, runtime.settings.tenant_id)
    else:
        names = [checked_name(entity_id, field="entity_id")]
    for name in names:
        yield from _entity(runtime, runtime.scope(name))


def _entity(runtime: Runtime, scope: Scope) -> Iterator[dict[str, Any]]:
    with runtime.database.read() as connection:
        entity = entities.find(connection, scope)
        erased = entity is not None and entity.erased_epoch and not any(erasure.remains(connection, scope).values())
    if entity is None or erased:
        # The bare row of somebody who was forgotten only keeps work in flight from bringing anything back.
        return
    yield {"type": "entity", "format": FORMAT, **entity.model_dump(mode="json")}
    for bucket in Bucket:
        after = ""
        while True:
            with runtime.database.read() as connection:
                records = memories.page(connection, scope, bucket, after=after, statuses=(), limit=PAGE)
                ids = [record.id for record in records]
                quotes = evidence.of_memories(connection, scope, ids)
                changes = history.of_memories(connection, scope, ids)
            if not records:
                break
            after = ids[-1]
            for record in records:
                yield {
                    "type": "memory",
                    "format": FORMAT,
                    "bucket": bucket_of(record).value,
                    "record": record.model_dump(mode="json"),
                    "evidence": [e.model_dump(mode="json") for e in quotes.get(record.id, [])],
                    "revisions": [r.model_dump(mode="json") for r in changes.get(record.id, [])],
                }
    for item in pending(runtime, scope.entity_id, limit=MAX_INTEGER):
        yield {"type": "question", "format": FORMAT, **item.model_dump(mode="json")}
