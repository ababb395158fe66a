"""``easy_data.sweep`` and ``easy_data.maintain``: what beat's tick asks for. Doubled ticks do no harm."""

from __future__ import annotations

from easy_data.pipeline import inbox
from easy_data.pipeline.maintenance import maintain as schedules
from easy_data.pipeline.reconcile import reconcile
from easy_data.workers.messages import Message, checked
from easy_data.workers.process import PROCESS


def sweep(*arguments: object, **fields: object) -> None:
    """Wake workers for everything that is due."""
    checked(Message, arguments, fields)
    inbox.sweep(PROCESS.runtime())


def maintain(*arguments: object, **fields: object) -> None:
    """Do the maintenance of every local day and month that has ended, and fill an index that is new or was lost."""
    checked(Message, arguments, fields)
    runtime = PROCESS.runtime()
    schedules.maintain(runtime)
    runtime.queue.index()
    if runtime.index.state().rebuilt_reason:
        reconcile(runtime)
