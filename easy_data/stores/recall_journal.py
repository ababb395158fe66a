"""The recall log's buffer: recall appends in memory, and rows reach SQL in batches off the read path."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import Any

from easy_data.schemas.ids import Scope
from easy_data.stores.database import Database
from easy_data.stores.repositories import logs

CAPACITY = 10_000


class RecallJournal:
    """Bounded, thread-safe buffer of recall log rows; when it is full the oldest go.

    With ``flush_at`` it writes itself to SQL when it holds that many; else its owner does.
    """

    def __init__(self, database: Database, *, flush_at: int | None = None) -> None:
        self._database = database
        self._flush_at = flush_at
        self._rows: deque[dict[str, Any]] = deque(maxlen=CAPACITY)

    def add(  # noqa: PLR0913 - one for each column
        self,
        scope: Scope,
        *,
        recall_id: str,
        at: datetime,
        query_sha256: str,
        served_from: str,
        degraded: tuple[str, ...],
        hits: list[dict[str, Any]],
        took_ms: float,
    ) -> None:
        """Note one recall: ids and scores, never text."""
        self._rows.append(
            {
                "id": recall_id,
                "tenant_id": scope.tenant_id,
                "entity_id": scope.entity_id,
                "at": at,
                "query_sha256": query_sha256,
                "served_from": served_from,
                "degraded": list(degraded),
                "hits": hits,
                "took_ms": took_ms,
            }
        )
        if self._flush_at is not None and len(self._rows) >= self._flush_at:
            self.flush()

    def flush(self) -> int:
        """Write what is buffered to SQL and return how many rows that were."""
        rows = [self._rows.popleft() for _ in range(len(self._rows))]
        if rows:
            with self._database.write() as connection:
                logs.add_recalls(connection, rows)
        return len(rows)
