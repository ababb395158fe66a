"""What was recalled, and what model calls cost. Ids and figures only, never text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, delete, func, insert, select

from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.ports import Usage
from easy_data.schemas.service_status import OVER_BUDGET
from easy_data.stores.tables import llm_calls, recall_log


def add_recalls(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Append recall log rows."""
    if rows:
        connection.execute(insert(recall_log), list(rows))


def recalls(connection: Connection, scope: Scope, *, limit: int) -> list[dict[str, Any]]:
    """Return the newest recalls of an entity."""
    found = connection.execute(
        select(recall_log)
        .where(recall_log.c.tenant_id == scope.tenant_id, recall_log.c.entity_id == scope.entity_id)
        .order_by(recall_log.c.at.desc(), recall_log.c.id.desc())
        .limit(limit)
    )
    return [dict(row._mapping) for row in found]


def purge_recalls(connection: Connection, *, before: datetime) -> int:
    """Delete recall log rows older than ``before``."""
    return connection.execute(delete(recall_log).where(recall_log.c.at < before)).rowcount


def add_calls(
    connection: Connection,
    scope: Scope,
    conversation_row_id: str,
    usages: Sequence[Usage],
    *,
    purpose: str,
    now: datetime,
) -> None:
    """Append what model calls used."""
    if usages:
        connection.execute(
            insert(llm_calls),
            [
                {
                    "id": new_id(),
                    "tenant_id": scope.tenant_id,
                    "entity_id": scope.entity_id,
                    "conversation_row_id": conversation_row_id,
                    "purpose": purpose,
                    "model": usage.model,
                    "prompt_tokens": usage.prompt_tokens,
                    "completion_tokens": usage.completion_tokens,
                    "cost": usage.cost,
                    "latency_ms": usage.latency_ms,
                    "attempts": usage.attempts,
                    "outcome": usage.outcome,
                    "at": now,
                }
                for usage in usages
            ],
        )


def used_since(connection: Connection, tenant_id: str, since: datetime) -> tuple[int, float, int]:
    """Return what a tenant's calls used from this moment on: tokens, cost, and how often the budget forbade one."""
    forbidden = case((llm_calls.c.outcome == OVER_BUDGET, 1), else_=0)
    tokens, cost, times = connection.execute(
        select(
            func.coalesce(func.sum(llm_calls.c.prompt_tokens + llm_calls.c.completion_tokens), 0),
            func.coalesce(func.sum(llm_calls.c.cost), 0.0),
            func.coalesce(func.sum(forbidden), 0),
        ).where(llm_calls.c.tenant_id == tenant_id, llm_calls.c.at >= since)
    ).one()
    return int(tokens), float(cost), int(times)


def calls(connection: Connection, scope: Scope, *, limit: int) -> list[dict[str, Any]]:
    """Return the newest model calls for an entity."""
    found = connection.execute(
        select(llm_calls)
        .where(llm_calls.c.tenant_id == scope.tenant_id, llm_calls.c.entity_id == scope.entity_id)
        .order_by(llm_calls.c.at.desc(), llm_calls.c.id.desc())
        .limit(limit)
    )
    return [dict(row._mapping) for row in found]
