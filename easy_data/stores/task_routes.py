"""Which task exists, which queue carries it, and how soon it is taken: what publishers and workers agree on."""

from __future__ import annotations

from dataclasses import dataclass

from easy_data.schemas.receipts import State


@dataclass(frozen=True, slots=True)
class Route:
    """A task's queue and its rank there and across queues; 0 is taken first, 9 last."""

    queue: str
    rank: int


# What was begun is finished before more is begun. Slow calls of a model have a queue, and so workers, of their own.
ROUTES = {
    "easy_data.settle": Route("write", 0),
    "easy_data.sweep": Route("write", 0),
    "easy_data.dedupe": Route("write", 3),
    "easy_data.classify": Route("write", 3),
    # Until it is taken, a published conversation is in the broker alone.
    "easy_data.submit": Route("write", 3),
    "easy_data.index": Route("index", 3),
    # Not in the index's queue: a message there means that the index will be brought up to date.
    "easy_data.summary": Route("maintain", 6),
    "easy_data.extract": Route("extract", 6),
    "easy_data.maintain": Route("maintain", 9),
}
RANKS = sorted({route.rank for route in ROUTES.values()})
QUEUES = sorted({route.queue for route in ROUTES.values()})
# The task that does the step after each state.
STAGES = {
    State.RECEIVED: "easy_data.extract",
    State.EXTRACTED: "easy_data.classify",
    State.CLASSIFIED: "easy_data.dedupe",
    State.PLANNED: "easy_data.settle",
}
