"""How publishers and workers talk to the broker: the same options on both sides, and an end to every wait."""

from __future__ import annotations

from typing import Any

from easy_data.stores.task_routes import QUEUES, RANKS

# A message that was taken and not acknowledged comes back after this many leases: a task is over long before.
VISIBILITY_LEASES = 3
MAX_DELIVERIES = 20
UNROUTABLE = "unroutable"


def is_redis(url: str) -> bool:
    """Tell if this is the URL of Redis, not of RabbitMQ."""
    return url.startswith("redis")


def broker_options(url: str, *, deployment: str, lease_seconds: float, wait_seconds: float) -> dict[str, Any]:
    """Return the Celery settings of a connection on which nothing waits longer than ``wait_seconds`` for the network.

    Without the socket options together, a link that died silently stops a worker for ever.
    """
    if not is_redis(url):
        # The broker acknowledges each message once a majority has it on disk.
        options = {"confirm_publish": True, "read_timeout": wait_seconds, "write_timeout": wait_seconds}
        return {"broker_url": url, "broker_transport_options": options, "broker_connection_timeout": wait_seconds}
    return {
        "broker_url": url,
        "broker_connection_timeout": wait_seconds,
        "broker_transport_options": {
            "visibility_timeout": int(VISIBILITY_LEASES * lease_seconds),
            "unacked_restore_interval": 10,
            "unacked_restore_throttle": 1,
            "socket_timeout": wait_seconds,
            "socket_connect_timeout": wait_seconds,
            "socket_keepalive": True,
            "health_check_interval": 5,
            "retry_on_timeout": True,
            "global_keyprefix": f"{deployment}:",
            "deadletter_queue": UNROUTABLE,
            "priority_steps": RANKS,
        },
    }


def broker_queues(url: str, *, deployment: str) -> dict[str, dict[str, Any]]:
    """Return the queues by name; on RabbitMQ replicated ones, which give up a message that kills its workers."""
    options: dict[str, Any] = {}
    if not is_redis(url):
        options["queue_arguments"] = {"x-queue-type": "quorum", "x-delivery-limit": MAX_DELIVERIES}
    names = [queue_name(url, name, deployment=deployment) for name in QUEUES]
    return {name: {"exchange": name, "routing_key": name, **options} for name in names}


def queue_name(url: str, name: str, *, deployment: str) -> str:
    """Return a queue's name at the broker. Redis puts the deployment before every key itself."""
    return name if is_redis(url) else f"{deployment}.{name}"
