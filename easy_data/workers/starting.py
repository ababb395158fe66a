"""Starts a worker or beat in this process, after a look at what they need: what is wrong is said in one sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from celery import Celery
from celery.beat import Scheduler, Service
from celery.signals import beat_init, worker_init, worker_ready

from easy_data.pipeline.connections import refuse_unready_broker, refuse_unready_database
from easy_data.schemas.errors import EasyDataError, SettingsError
from easy_data.schemas.settings import Settings
from easy_data.stores.broker import queue_name
from easy_data.stores.task_routes import QUEUES
from easy_data.workers.celery_app import make_app


def run_worker(
    settings: Settings,
    *,
    queues: Sequence[str] = (),
    concurrency: int | None = None,
    log_level: str = "WARNING",
    ready: Callable[[], None],
) -> int:
    """Work until told to stop, on these queues or on all; return the exit code. ``ready`` is called once it works.

    ``concurrency`` is the number of processes, None: one for each CPU. SIGTERM lets each finish what it is at. Raises
    ``SettingsError`` or ``StoreError`` when it cannot begin.
    """
    unknown = sorted(set(queues) - set(QUEUES))
    if unknown:
        raise SettingsError(f"there is no queue {', '.join(unknown)}; there are {', '.join(QUEUES)}")
    if settings.index_path is not None and concurrency != 1:
        raise SettingsError(
            "index_path is one process's alone: start one worker with a concurrency of 1, or set qdrant_url"
        )
    app = make_app(settings)
    refuse_unready(settings)
    url = app.conf.broker_url
    worker_ready.connect(_alone_on_standard_output(ready), weak=False)
    app.conf.worker_redirect_stdouts = False
    worker = app.Worker(
        queues=[queue_name(url, name, deployment=settings.deployment) for name in queues or QUEUES],
        concurrency=concurrency,
        pool="prefork",
        hostname=f"easy-data-{os.getpid()}@%h",
        loglevel=log_level,
        quiet=True,  # standard output holds results alone
        # Workers have nothing to tell each other: who has what stands in SQL.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def run_beat(settings: Settings, *, ready: Callable[[], None]) -> None:
    """Tick until told to stop, the first time at once. Raises ``SettingsError`` or ``StoreError``.

    It keeps no file: what is due at a tick is worked out from SQL, so that a late or doubled tick changes nothing.
    """
    app = make_app(settings)
    refuse_unready_broker(settings)
    for name, entry in app.conf.beat_schedule.items():
        app.send_task(name, kwargs=entry["kwargs"], **entry["options"])
    beat_init.connect(_without_arguments(ready), weak=False)
    signal.signal(signal.SIGTERM, _end)
    Service(app, scheduler_cls=Scheduler).start()


def refuse_unready(settings: Settings) -> None:
    """Raise what keeps a worker from beginning, as ``SettingsError`` or ``StoreError``."""
    refuse_unready_database(settings)
    refuse_unready_broker(settings)


def refuse_at_start(app: Celery, settings: Settings) -> None:
    """Let a worker of ``app`` that Celery's own command starts end with the sentence, instead of trying for ever."""

    def refuse(sender: Any = None, **_: object) -> None:
        if getattr(sender, "app", app) is app:
            try:
                refuse_unready(settings)
            except EasyDataError as error:
                raise SystemExit(str(error)) from None

    worker_init.connect(refuse, weak=False)


def _alone_on_standard_output(ready: Callable[[], None]) -> Callable[..., None]:
    def receive(**_: object) -> None:
        ready()
        # Celery takes its leave on standard output, where whoever started this reads results.
        os.dup2(2, 1)

    return receive


def _without_arguments(call: Callable[[], None]) -> Callable[..., None]:
    def receive(**_: object) -> None:
        call()

    return receive


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
