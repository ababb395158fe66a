"""Every key this package itself writes to Redis. The broker's keys carry the same prefix, put there by its client."""

from __future__ import annotations


def summary_key(deployment: str, tenant_id: str, entity_id: str) -> str:
    """Return the key of a hot summary. The tenant's length keeps ids that hold colons apart."""
    return f"{deployment}:summary:{len(tenant_id)}:{tenant_id}:{entity_id}"


def receipt_key(deployment: str, submission_id: str) -> str:
    """Return the key under which the receipt of a published conversation waits for its publisher."""
    return f"{deployment}:receipt:{submission_id}"
