"""``easy_data.index`` and ``easy_data.summary``: what is derived from SQL follows it."""

from __future__ import annotations

from easy_data.pipeline.indexing import relay
from easy_data.pipeline.recall.summary import build_summary
from easy_data.workers.messages import EntityMessage, Message, checked
from easy_data.workers.process import PROCESS


def index(*arguments: object, **fields: object) -> None:
    """Work the index outbox off, and make the summaries of the entities in it."""
    checked(Message, arguments, fields)
    runtime = PROCESS.runtime()
    for scope in relay(runtime):
        build_summary(runtime, scope)


def summary(*arguments: object, **fields: object) -> None:
    """Make the hot summary of one entity."""
    message = checked(EntityMessage, arguments, fields)
    runtime = PROCESS.runtime()
    build_summary(runtime, runtime.scope(message.entity_id))
