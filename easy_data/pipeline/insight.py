"""Why a memory is there: its evidence, its history, what it was proposed from and where it was used."""

from __future__ import annotations

from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import NotFound
from easy_data.schemas.ids import checked_record_id
from easy_data.schemas.insight import Explanation, Use
from easy_data.schemas.records import Revision
from easy_data.stores.repositories import candidates, evidence, history, logs, memories

USES = 20
LOOKED_THROUGH = 500


def explain(runtime: Runtime, entity_id: str, memory_id: str) -> Explanation:
    """Return everything known about one memory, live or not. Raises ``NotFound``."""
    memory_id = checked_record_id(memory_id)
    scope = runtime.scope(entity_id)
    runtime.recalls.flush()
    with runtime.database.read() as connection:
        record = memories.find(connection, scope, memory_id)
        if record is None:
            raise NotFound("no memory of this entity has this id")
        uses = [
            Use(recall_id=row["id"], at=row["at"])
            for row in logs.recalls(connection, scope, limit=LOOKED_THROUGH)
            if any(hit.get("id") == memory_id for hit in row["hits"])
        ]
        return Explanation(
            record=record,
            evidence=tuple(evidence.of_memory(connection, scope, memory_id)),
            revisions=tuple(history.of_memory(connection, scope, memory_id)),
            fates=tuple(fate for _, fate in candidates.of_memory(connection, memory_id)),
            uses=tuple(uses[:USES]),
        )


def revisions(runtime: Runtime, entity_id: str, memory_id: str) -> list[Revision]:
    """Return the history of one memory, the oldest first; empty when there never was one."""
    memory_id = checked_record_id(memory_id)
    with runtime.database.read() as connection:
        return history.of_memory(connection, runtime.scope(entity_id), memory_id)
