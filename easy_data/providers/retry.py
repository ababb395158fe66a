"""When a call to a model endpoint fails: whose fault it was, and if and when it is tried again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeVar

import openai
import stamina
import stamina.instrumentation

from easy_data.schemas.errors import ModelError, ModelRefused, ModelUnavailable

# By itself stamina would report through structlog, which prints to standard output where nobody has configured it.
stamina.instrumentation.set_on_retry_hooks([stamina.instrumentation.LoggingOnRetryHook])

Result = TypeVar("Result")

_LATER = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
_SHORTEST_TIMEOUT = 1.0  # seconds; below this an attempt is not worth starting


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long one call is tried: ``attempts`` requests within ``budget_seconds``, waiting in between.

    Waits start at ``first_wait`` seconds, double, are jittered by up to ``first_wait`` and end at ``longest_wait``. An
    endpoint that names a longer wait (Retry-After) is not asked again within this call.
    """

    attempts: int = 3
    budget_seconds: float = 120.0
    first_wait: float = 0.5
    longest_wait: float = 8.0


def with_retries(call: Callable[[float], Result], policy: RetryPolicy, *, deadline: float, timeout: float) -> Result:
    """Return ``call(seconds)``, tried again while it raises ``ModelUnavailable``.

    ``deadline`` is an instant of ``time.monotonic``; each attempt is given at most ``timeout`` seconds and never more
    than is left. Any other error, and the last ``ModelUnavailable``, is raised as it is.
    """

    def wait_before_next(error: Exception) -> bool | float:
        if not isinstance(error, ModelUnavailable) or deadline - time.monotonic() < _SHORTEST_TIMEOUT:
            return False
        if error.retry_after is None:
            return True
        return error.retry_after if error.retry_after <= policy.longest_wait else False

    for attempt in stamina.retry_context(
        on=wait_before_next,
        attempts=policy.attempts,
        timeout=policy.budget_seconds,
        wait_initial=policy.first_wait,
        wait_jitter=policy.first_wait,
        wait_max=policy.longest_wait,
    ):
        with attempt:
            left = deadline - time.monotonic()
            return call(min(timeout, max(left, _SHORTEST_TIMEOUT)))
    raise ModelUnavailable  # not reached: the last attempt returns or raises


def translated(error: openai.OpenAIError) -> ModelError:
    """Return the error of our tree for one of the SDK's.

    Messages name the status only: what an endpoint writes into its errors may repeat the key or the prompt.
    """
    if isinstance(error, openai.APITimeoutError):
        return ModelUnavailable("The model endpoint did not answer in time.")
    if isinstance(error, openai.APIConnectionError):
        return ModelUnavailable("The model endpoint could not be reached.")
    if not isinstance(error, openai.APIStatusError):
        return ModelRefused("The model client could not make the request: check the settings of the endpoint.")
    return _of_status(error)


def _of_status(error: openai.APIStatusError) -> ModelError:
    status = error.status_code
    if status in _LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        unavailable = ModelUnavailable(f"The model endpoint answered {status}; it can be asked again later.")
        unavailable.retry_after = _retry_after(error)
        unavailable.status = status
        return unavailable
    refused = ModelRefused(
        f"The model endpoint refused the request with {status}: check the key, the model's name and the base URL."
    )
    refused.status = status
    return refused


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Read the Retry-After header (RFC 9110, 10.2.3: seconds or a date) as seconds."""
    headers = error.response.headers
    value = headers.get("retry-after", "").strip()
    if value.isdigit():
        return float(value)
    try:
        # Against the answer's own Date, so that the two clocks need not agree.
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return max(0.0, wait.total_seconds())
