"""Easy Data: long-term memory for AI agents, kept as data.

The names load on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from easy_data.client.embedded import EasyMemory
    from easy_data.client.publisher import ConversationPublisher
    from easy_data.client.receipt import Receipt
    from easy_data.schemas.errors import EasyDataError
    from easy_data.schemas.recall import Context
    from easy_data.schemas.records import Bucket, EventRecord, Polarity, ProfileRecord, WorkspaceRecord
    from easy_data.schemas.registry import Attribute
    from easy_data.schemas.review import ReviewItem
    from easy_data.schemas.settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "Attribute": "easy_data.schemas.registry",
    "Bucket": "easy_data.schemas.records",
    "Context": "easy_data.schemas.recall",
    "ConversationPublisher": "easy_data.client.publisher",
    "EasyDataError": "easy_data.schemas.errors",
    "EasyMemory": "easy_data.client.embedded",
    "EventRecord": "easy_data.schemas.records",
    "Polarity": "easy_data.schemas.records",
    "ProfileRecord": "easy_data.schemas.records",
    "Receipt": "easy_data.client.receipt",
    "ReviewItem": "easy_data.schemas.review",
    "Settings": "easy_data.schemas.settings",
    "WorkspaceRecord": "easy_data.schemas.records",
}

__all__ = [
    "Attribute",
    "Bucket",
    "Context",
    "ConversationPublisher",
    "EasyDataError",
    "EasyMemory",
    "EventRecord",
    "Polarity",
    "ProfileRecord",
    "Receipt",
    "ReviewItem",
    "Settings",
    "WorkspaceRecord",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value: object = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
