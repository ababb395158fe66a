"""What a worker does with messages that are no task of ours: it refuses and counts them, and is silent about the rest.

Celery writes the body of such a message into the log, and some bodies and headers end the whole worker or leave it
waiting for ever, again after each redelivery.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Any

from celery.worker.consumer import Consumer
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from easy_data.workers.messages import rejected

_logger = logging.getLogger(__name__)


class Headers(BaseModel):
    """The headers of a task as our own side sends them (Celery's message protocol, version 2). Others are not read."""

    model_config = ConfigDict(strict=True, frozen=True)

    id: str = Field(min_length=1)
    task: str
    timelimit: Annotated[list[int | None], Field(min_length=2, max_length=2)]
    retries: int
    root_id: str
    eta: None = None
    expires: str | None = None
    lang: str | None = None
    shadow: str | None = None
    group: str | None = None
    group_index: int | None = None
    parent_id: str | None = None
    argsrepr: str | None = None
    kwargsrepr: str | None = None
    origin: str | None = None
    ignore_result: bool | None = None
    replaced_task_nesting: int | None = None
    stamped_headers: list[str] | None = None
    stamps: dict[str, object] | None = None


class StrictConsumer(Consumer):  # type: ignore[misc]  # Celery has no types
    """Celery's consumer behind a check of each message's form; what a task's fields may be, the task checks itself."""

    def create_task_handler(self, *arguments: Any, **options: Any) -> Callable[[Any], None]:
        """Return what takes a message off a queue."""
        take = super().create_task_handler(*arguments, **options)

        def take_ours(message: Any) -> None:
            flaw = self._flaw(message)
            if flaw:
                self._refuse(message, flaw)
            else:
                take(message)

        return take_ours

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Refuse a task whose headers Celery cannot use."""
        del body, exc
        self._refuse(message, "it is not made as tasks are")

    def _flaw(self, message: Any) -> str:
        """Return why this is no task of ours; empty when it is one."""
        try:
            headers = Headers.model_validate(message.headers)
        except ValidationError:
            return "it is not made as tasks are"
        if headers.task not in self.strategies:
            return "this worker has no such task"
        try:
            body = message.payload
        except Exception:  # noqa: BLE001 - unpacking runs nothing but may fail in any way
            return "its body cannot be read"
        match body:
            # Arguments, fields, and what is to follow the task, which is never anything.
            case [list(), dict(), dict(more)] if not any(more.values()):
                return ""
        return "it is not made as tasks are"

    def _refuse(self, message: Any, reason: str) -> None:
        rejected(reason)
        message.reject_log_error(_logger, self.connection_errors)
