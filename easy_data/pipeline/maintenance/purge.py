"""Purge: texts and logs whose time is over. The quotes that memories rest on stay with the memories."""

from __future__ import annotations

from datetime import timedelta

from easy_data.pipeline.runtime import Runtime
from easy_data.stores.database import Connection
from easy_data.stores.repositories import conversations, logs, windows


def purge(connection: Connection, runtime: Runtime) -> dict[str, int]:
    """Delete what is past its retention, and return how much of each kind."""
    settings, now = runtime.settings, runtime.clock.now()
    tenant = settings.tenant_id
    return {
        "transcripts": conversations.purge_texts(
            connection, tenant, before=now - timedelta(days=settings.transcript_days)
        ),
        "recalls": logs.purge_recalls(connection, before=now - timedelta(days=settings.recall_log_days)),
        "windows": windows.purge(connection, tenant, before=now - timedelta(days=settings.ledger_days)),
    }
