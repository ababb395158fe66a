"""What a worker does with messages that are no task of ours: it refuses and counts them, and is silent about the rest.

Celery writes the body of such a message into the log, and some bodies and headers end the whole worker, again and again
after each redelivery.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery.worker import state
from celery.worker.consumer import Consumer

from easy_data.workers.messages import rejected

_logger = logging.getLogger(__name__)


class StrictConsumer(Consumer):  # type: ignore[misc]  # Celery has no types
    """Celery's consumer behind a check of each message's form; what a task's fields may be, the task checks itself."""

    def create_task_handler(self, *arguments: Any, **options: Any) -> Callable[[Any], None]:
        """Return what takes a message off a queue."""
        take = super().create_task_handler(*arguments, **options)

        def take_ours(message: Any) -> None:
            flaw = self._flaw(message)
            if flaw:
                self._refuse(message, flaw)
                return
            try:
                take(message)
            except (*self.connection_errors, *self.channel_errors):
                raise
            except Exception:  # noqa: BLE001 - what else a foreign header can cause must not end the worker
                self._let_go(message.headers["id"])
                self._refuse(message, "it is not made as tasks are")

        return take_ours

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Refuse a task whose headers Celery cannot use."""
        del body, exc
        self._refuse(message, "it is not made as tasks are")

    def _flaw(self, message: Any) -> str:
        """Return why this is no task of ours; empty when it is one."""
        headers = message.headers if isinstance(message.headers, dict) else {}
        if not all(isinstance(headers.get(name), str) for name in ("id", "task")):
            return "it is no task"
        if headers["task"] not in self.strategies:
            return "this worker has no such task"
        try:
            body = message.payload
        except Exception:  # noqa: BLE001 - unpacking runs nothing but may fail in any way
            return "its body cannot be read"
        match body:
            case [list(), dict(), dict()]:
                return ""
        return "it is not made as tasks are"

    def _let_go(self, task_id: str) -> None:
        """Forget a task that was begun on: the worker takes no other while it counts as reserved."""
        for request in [each for each in state.reserved_requests if each.id == task_id]:
            state.task_ready(request)

    def _refuse(self, message: Any, reason: str) -> None:
        rejected(reason)
        message.reject_log_error(_logger, self.connection_errors)
