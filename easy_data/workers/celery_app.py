"""Makes the Celery application: settings under which a message may be lost or doubled and nothing goes wrong."""

from __future__ import annotations

from functools import partial
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_process_init, worker_process_shutdown, worker_shutdown

from easy_data.pipeline.runtime import build_runtime, load_libraries
from easy_data.schemas.errors import EasyDataError, SettingsError
from easy_data.schemas.settings import Settings
from easy_data.stores.broker import VISIBILITY_LEASES, broker_options, broker_queues
from easy_data.workers.process import PROCESS
from easy_data.workers.queues import task_routes
from easy_data.workers.schedules import beat_schedule
from easy_data.workers.tasks import TASKS

# A link to the broker that died silently is noticed within about this time.
WAIT_SECONDS = 5.0
# Soft limit < hard limit < lease < visibility timeout: a step is over before another worker may begin it.
SOFT_SHARE = 0.3
HARD_SHARE = 0.4
# Maintenance walks over all entities and holds no conversation: it may go on until its message would come again.
LONG_TASK = "easy_data.maintain"
LONG_SOFT_LEASES = 0.8 * VISIBILITY_LEASES
LONG_HARD_LEASES = 0.9 * VISIBILITY_LEASES


def make_app(settings: Settings, **parts: Any) -> Celery:
    """Return the application of the service that the settings describe; nothing is connected yet.

    ``parts`` go to ``build_runtime`` in each worker process. Raises ``SettingsError`` when the settings are not those
    of a service with a broker.
    """
    if settings.backend != "postgresql" or settings.broker_url is None:
        raise SettingsError("a worker needs backend = postgresql, with database_url and broker_url")
    PROCESS.prepare(partial(build_runtime, settings, **parts), load=partial(load_libraries, settings))
    app = Celery("easy_data")
    app.conf.update(**_celery_settings(settings, settings.broker_url.get_secret_value()))
    lease = settings.lease_seconds
    long = {"soft_time_limit": int(LONG_SOFT_LEASES * lease), "time_limit": int(LONG_HARD_LEASES * lease)}
    for name, task in TASKS.items():
        # An outage is expected: one line in the log tells it, without a trace.
        app.task(name=name, throws=(EasyDataError,), **(long if name == LONG_TASK else {}))(task)
    return app


def _celery_settings(settings: Settings, url: str) -> dict[str, Any]:
    lease = settings.lease_seconds
    return {
        **broker_options(url, deployment=settings.deployment, lease_seconds=lease, wait_seconds=WAIT_SECONDS),
        "broker_connection_retry_on_startup": True,
        "timezone": "UTC",
        "enable_utc": True,
        # Code never comes out of a message.
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        # How far a conversation is stands in SQL.
        "result_backend": None,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "task_soft_time_limit": max(1, int(SOFT_SHARE * lease)),
        "task_time_limit": max(2, int(HARD_SHARE * lease)),
        "worker_consumer": "easy_data.workers.strict_consumer:StrictConsumer",
        "worker_prefetch_multiplier": 1,
        "worker_disable_prefetch": url.startswith("redis"),
        "worker_eta_task_limit": 100,
        "worker_max_tasks_per_child": 5_000,
        "worker_max_memory_per_child": 400_000,
        "worker_soft_shutdown_timeout": 60,
        "worker_enable_soft_shutdown_on_idle": True,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "task_queues": broker_queues(url, deployment=settings.deployment),
        "task_create_missing_queues": False,
        "task_routes": task_routes(url, deployment=settings.deployment),
        "beat_schedule": beat_schedule(settings.tenant_id),
    }


def _close(**_: object) -> None:
    """Release what this process opened; in a new child, forget what the parent may have: it is the parent's."""
    PROCESS.close()


def _load(**_: object) -> None:
    """Import before forking what every child needs; a child that does it itself may take a task's time for it."""
    PROCESS.load()


worker_init.connect(_load)
for signal in (worker_process_init, worker_process_shutdown, worker_shutdown):
    signal.connect(_close)
