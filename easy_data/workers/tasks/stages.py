"""``easy_data.extract``, ``.classify``, ``.dedupe`` and ``.settle``: one step of one conversation."""

from __future__ import annotations

from collections.abc import Callable

from easy_data.pipeline.inbox import work_stage
from easy_data.schemas.errors import NotFound
from easy_data.schemas.receipts import State
from easy_data.workers.messages import StageMessage, checked, rejected
from easy_data.workers.process import PROCESS


def stage(state: State) -> Callable[..., None]:
    """Return the task that does the step after ``state``."""

    def run(*arguments: object, **fields: object) -> None:
        """Do the step of the conversation that the message names."""
        message = checked(StageMessage, arguments, fields)
        try:
            done = work_stage(PROCESS.runtime(), message.row_id, state)
        except NotFound:
            raise rejected("its id is none") from None
        PROCESS.count("done" if done else "idle")

    return run
