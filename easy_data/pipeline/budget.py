"""The day's budget of the chat model: what was used of it, and who reads once it is used up."""

from __future__ import annotations

from datetime import UTC, datetime, time

from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.ports import Extraction, Usage
from easy_data.schemas.service_status import OVER_BUDGET, ModelDay
from easy_data.stores.database import Connection
from easy_data.stores.repositories import logs


def model_day(connection: Connection, runtime: Runtime) -> ModelDay:
    """Return what the tenant's model calls of this day used. Days are those of UTC: a tenant has no zone of its own."""
    day = runtime.clock.now().astimezone(UTC).date()
    since = datetime.combine(day, time(), UTC)
    tokens, cost, forbidden = logs.used_since(connection, runtime.settings.tenant_id, since)
    budget = runtime.settings.llm_daily_tokens
    return ModelDay(day=day, tokens=tokens, cost=cost, budget=budget, over_budget=forbidden)


def is_spent(runtime: Runtime) -> bool:
    """Tell if the day's budget is used up; nothing is asked of SQL where there is none, or no model."""
    if runtime.settings.llm_daily_tokens is None or isinstance(runtime.extractor, PatternExtractor):
        return False
    with runtime.database.read() as connection:
        return model_day(connection, runtime).is_spent


def read_without_model(conversation: Conversation, runtime: Runtime) -> Extraction:
    """Read a conversation with patterns alone, and say so: all of it counts as unread by the model."""
    found = PatternExtractor(runtime.registry).extract(conversation)
    refused = Usage(
        model=runtime.settings.llm_model or "",
        prompt_tokens=0,
        completion_tokens=0,
        cost=0.0,
        latency_ms=0.0,
        attempts=0,
        outcome=OVER_BUDGET,
    )
    unread = (0, len(conversation.messages) - 1, OVER_BUDGET)
    return Extraction(candidates=found.candidates, usages=(refused,), unread=(unread,))
