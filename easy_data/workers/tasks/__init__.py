"""The tasks, each a few lines over one call of the pipeline, by the name that messages carry."""

from __future__ import annotations

from collections.abc import Callable

from easy_data.stores.task_routes import STAGES
from easy_data.workers.tasks.index import index, summary
from easy_data.workers.tasks.keep import maintain, sweep
from easy_data.workers.tasks.stages import stage
from easy_data.workers.tasks.submit import submit

TASKS: dict[str, Callable[..., None]] = {name: stage(state) for state, name in STAGES.items()} | {
    "easy_data.index": index,
    "easy_data.summary": summary,
    "easy_data.maintain": maintain,
    "easy_data.submit": submit,
    "easy_data.sweep": sweep,
}
