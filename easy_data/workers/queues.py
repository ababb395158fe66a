"""Where each task goes, as Celery wants to know it."""

from __future__ import annotations

from typing import Any

from easy_data.stores.broker import is_redis, queue_name
from easy_data.stores.task_routes import ROUTES


def task_routes(url: str, *, deployment: str) -> dict[str, dict[str, Any]]:
    """Return queue and priority of each task by its name; RabbitMQ's replicated queues have no priorities."""
    routes: dict[str, dict[str, Any]] = {}
    for name, route in ROUTES.items():
        routes[name] = {"queue": queue_name(url, route.queue, deployment=deployment)}
        if is_redis(url):
            routes[name]["priority"] = route.rank
    return routes
