"""What is said of the work: the same in both modes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from easy_data.pipeline import inbox
from easy_data.pipeline.connections import check_connections
from easy_data.pipeline.intake import accept
from easy_data.pipeline.operating import dead_letter, replay_all, service_status
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.conversation import Conversation, ConversationInput
from easy_data.schemas.errors import ModelRefused, ModelUnavailable, NotFound
from easy_data.schemas.ports import Extraction
from easy_data.schemas.receipts import Outcome, State
from tests.fixtures.memories import Build
from tests.fixtures.service import Service

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
Make = Callable[..., Runtime]


class At:
    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant


class Failing:
    """An extractor that fails at the texts it is told."""

    def __init__(self, errors: dict[str, Exception]) -> None:
        self._errors = errors

    def extract(self, conversation: Conversation) -> Extraction:
        for text, error in self._errors.items():
            if text in conversation.messages[0].content:
                raise error
        return Extraction(candidates=())


@pytest.fixture(params=["embedded", "service"])
def make(request: pytest.FixtureRequest) -> Make:
    """Build the parts of either mode."""
    if request.param == "embedded":
        build: Build = request.getfixturevalue("build")
        return build
    service: Service = request.getfixturevalue("service")
    return service.runtime


def tell(runtime: Runtime, *texts: str) -> list[str]:
    return [
        accept(ConversationInput(entity_id=f"e{n}", messages=[{"role": "user", "content": text}]), runtime).row_id
        for n, text in enumerate(texts)
    ]


def test_nothing_waits_where_nothing_was_said(make: Make) -> None:
    status = service_status(make())
    ages = (status.oldest_open_seconds, status.oldest_due_seconds, status.oldest_unindexed_seconds)
    assert (status.open, status.due, status.unindexed, status.dead_letters) == (0, 0, 0, 0)
    assert ages == (None, None, None)


def test_what_waits_is_told_from_what_failed_and_from_what_is_done(make: Make) -> None:
    runtime = make(extractor=Failing({"away": ModelUnavailable(), "refused": ModelRefused()}))
    tell(runtime, "this one is away", "this one is refused", "this one has nothing")
    assert service_status(runtime).due == 3
    while inbox.work_one(runtime):
        pass
    status = service_status(runtime)
    assert status.conversations[State.RECEIVED] == status.open == 1
    assert status.postponed == {"model_unavailable": 1}
    assert (status.outcomes[Outcome.EMPTY], status.outcomes[Outcome.DEAD_LETTER], status.dead_letters) == (1, 1, 1)
    assert status.settled_last_minute == status.settled_last_hour == 2
    assert status.oldest_open_seconds is not None


def test_ages_grow_with_the_clock(make: Make) -> None:
    clock = At(NOW)
    runtime = make(clock=clock)
    tell(runtime, "I live in Oslo.")
    clock.instant = NOW + timedelta(hours=2)
    assert service_status(runtime).oldest_open_seconds == 7200
    while inbox.work_one(runtime):
        pass
    assert service_status(runtime).unindexed > 0
    clock.instant = NOW + timedelta(hours=4)
    assert (service_status(runtime).settled_last_minute, service_status(runtime).settled_last_hour) == (0, 0)


def test_all_dead_letters_are_replayed_each_once(make: Make) -> None:
    runtime = make(extractor=Failing({"refused": ModelRefused()}))
    receipts = tell(runtime, "refused 1", "fine", "refused 2")
    while inbox.work_one(runtime):
        pass
    assert dead_letter(runtime, receipts[0]).reason.startswith("model_refused")
    with pytest.raises(NotFound):
        dead_letter(runtime, receipts[1])
    assert replay_all(runtime) == [receipts[0], receipts[2]]
    assert replay_all(runtime) == []
    assert service_status(runtime).conversations[State.RECEIVED] == 2


@pytest.mark.parametrize(("apart", "state"), [(0, "ok"), (60, "warning")])
def test_a_host_whose_clock_is_off_is_told_so(service: Service, apart: int, state: str) -> None:
    runtime = service.runtime()
    with runtime.database.read() as connection:
        now = runtime.queue_time(connection)
    found: dict[str, Any] = {
        check.name: check for check in check_connections(runtime.settings, At(now + timedelta(seconds=apart)))
    }
    assert found["clock"].state == state


def test_a_server_that_is_away_hides_no_other(service: Service) -> None:
    runtime = service.runtime()
    settings = runtime.settings.model_copy(
        update={"database_url": SecretStr("postgresql://u:secret@127.0.0.1:1/none")}
    )
    found = {check.name: check.state for check in check_connections(settings, runtime.clock)}
    assert found["database"] == "error"
    assert found["broker"] != "error"
    assert found["cache"] != "error"
