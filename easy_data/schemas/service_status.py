"""What a running system says of its work: how much waits, for how long, and how fast it goes on."""

from __future__ import annotations

from datetime import date, datetime

from pydantic import BaseModel, ConfigDict

from easy_data.schemas.receipts import Outcome, State


# The outcome and reason that say: no model was asked, for the day's budget was used up.
OVER_BUDGET = "over_budget"


class ModelDay(BaseModel):
    """What the model calls of one tenant used on one day (UTC), and what they may use."""

    model_config = ConfigDict(frozen=True)

    day: date
    tokens: int
    cost: float
    # tokens that may be used; None: no budget
    budget: int | None
    # conversations that patterns alone read, for the budget was used up
    over_budget: int

    @property
    def is_spent(self) -> bool:
        """Tell if no more calls are to be made on this day."""
        return self.budget is not None and self.tokens >= self.budget


class ServiceStatus(BaseModel):
    """The state of the work of one tenant. Ages are seconds; None where nothing waits."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    # messages in each queue; None: the broker does not answer. Empty without a broker
    queues: dict[str, int | None]
    conversations: dict[State, int]
    outcomes: dict[Outcome, int]
    # since the oldest conversation that is not settled came in
    oldest_open_seconds: float | None
    # conversations that a worker could take now, and since when the first of them could have been
    due: int
    oldest_due_seconds: float | None
    # open conversations that failed so far or wait for something that is down, by the code of the reason
    postponed: dict[str, int]
    settled_last_minute: int
    settled_last_hour: int
    # memories that the vector index does not know yet
    unindexed: int
    oldest_unindexed_seconds: float | None
    model_today: ModelDay

    @property
    def open(self) -> int:
        """How many conversations are not settled."""
        return sum(number for state, number in self.conversations.items() if state is not State.SETTLED)

    @property
    def dead_letters(self) -> int:
        """How many conversations could not be processed."""
        return self.outcomes.get(Outcome.DEAD_LETTER, 0)
