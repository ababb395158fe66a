from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import openai
import pytest

from easy_data.providers.retry import RetryPolicy, translated, with_retries
from easy_data.schemas.errors import ModelRefused, ModelUnavailable

QUICK = RetryPolicy(attempts=3, budget_seconds=30, first_wait=0, longest_wait=1)


def vendor_error(status: int, **headers: str) -> openai.APIStatusError:
    response: Any = SimpleNamespace(status_code=status, headers=headers, request=None)
    return openai.APIStatusError("Incorrect API key provided: sk-123", response=response, body=None)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_may_pass_is_unavailable(status: int) -> None:
    error = translated(vendor_error(status))
    assert isinstance(error, ModelUnavailable)
    assert error.status == status


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_stays_wrong_is_refused_without_repeating_the_vendors_words(status: int) -> None:
    error = translated(vendor_error(status))
    assert isinstance(error, ModelRefused)
    assert error.status == status
    assert "sk-123" not in str(error)


def test_retry_after_is_read_as_seconds_and_as_a_date() -> None:
    seconds = translated(vendor_error(429, **{"retry-after": "7"}))
    date = translated(
        vendor_error(429, **{"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"})
    )
    nonsense = translated(vendor_error(429, **{"retry-after": "soon"}))
    assert [getattr(error, "retry_after", "") for error in (seconds, date, nonsense)] == [7.0, 30.0, None]


def run(outcomes: list[Exception | str], policy: RetryPolicy = QUICK, *, seconds: float = 30) -> tuple[str, int]:
    calls = 0

    def call(timeout: float) -> str:
        nonlocal calls
        calls += 1
        outcome = outcomes[calls - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    try:
        result = with_retries(call, policy, deadline=time.monotonic() + seconds, timeout=5)
    except (ModelUnavailable, ModelRefused) as error:
        result = error.code
    return result, calls


def test_an_unavailable_model_is_asked_again() -> None:
    assert run([ModelUnavailable(), ModelUnavailable(), "yes"]) == ("yes", 3)


def test_attempts_are_bounded() -> None:
    assert run([ModelUnavailable()] * 9) == ("model_unavailable", 3)


def test_a_refusal_is_not_tried_again() -> None:
    assert run([ModelRefused(), "yes"]) == ("model_refused", 1)


def test_a_wait_longer_than_allowed_is_left_to_the_caller() -> None:
    error = ModelUnavailable()
    error.retry_after = 60
    assert run([error, "yes"]) == ("model_unavailable", 1)


def test_nothing_is_tried_again_once_the_budget_is_used_up() -> None:
    assert run([ModelUnavailable(), "yes"], seconds=0) == ("model_unavailable", 1)


def test_an_attempt_is_given_no_more_time_than_is_left() -> None:
    given: list[float] = []
    with_retries(given.append, QUICK, deadline=time.monotonic() + 3, timeout=5)
    assert 1 <= given[0] <= 3
