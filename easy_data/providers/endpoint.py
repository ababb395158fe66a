"""One OpenAI-compatible endpoint: its address, its key, and requests to it."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import urlsplit

import openai
from pydantic import SecretStr

from easy_data.providers.retry import RetryPolicy, translated
from easy_data.schemas.errors import ModelError, ModelUnavailable, SettingsError

_CONNECT_SECONDS = 5.0
_NO_KEY = "none"  # local servers want no key, the SDK wants one


class Endpoint:
    """Where a model is asked: at most ``attempts`` requests a call, each of at most ``timeout_seconds``.

    All requests of one question, waits included, share ``retries.budget_seconds``: twice the time of one request.

    The client is made on first use and again in a forked process, since two processes cannot share a connection.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: SecretStr | str | None = None,
        timeout_seconds: float = 60.0,
        attempts: int = 3,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingsError("the base URL of a model endpoint must look like https://host/v1")
        self.base_url = base_url
        self.timeout_seconds = timeout_seconds
        self.retries = RetryPolicy(attempts=attempts, budget_seconds=2 * timeout_seconds)
        self._key = api_key if isinstance(api_key, SecretStr) else SecretStr(api_key or "")
        self._client: openai.OpenAI | None = None
        self._pid = 0

    def __repr__(self) -> str:
        return f"Endpoint({urlsplit(self.base_url).hostname!r})"

    def post(self, path: str, body: dict[str, Any], *, timeout: float) -> dict[str, Any]:
        """Return the JSON object the endpoint answers, after one request of at most ``timeout`` seconds.

        Raises ``ModelUnavailable`` or ``ModelRefused``.
        """
        failure: ModelError
        try:
            answer = self._connected().post(
                path,
                cast_to=openai.HttpxBinaryResponseContent,
                body=body,
                options={"timeout": openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))},
            )
            document = json.loads(answer.content)
        except openai.OpenAIError as error:
            failure = translated(error)
        except (ValueError, RecursionError):
            failure = ModelUnavailable("The endpoint's answer is not JSON: check the base URL.")
        else:
            if isinstance(document, dict):
                return document
            failure = ModelUnavailable("The endpoint's answer is not a JSON object: check the base URL.")
        # Raised out here, so that the SDK's error, which knows key and prompt, is not its context.
        raise failure

    def close(self) -> None:
        """Close the connections; the next request opens them again."""
        client, self._client = self._client, None
        if client is not None and self._pid == os.getpid():
            client.close()

    def _connected(self) -> openai.OpenAI:
        client = self._client
        if client is None or self._pid != os.getpid():
            client = openai.OpenAI(
                base_url=self.base_url,
                api_key=self._key.get_secret_value() or _NO_KEY,
                max_retries=0,
                # An organisation or project of the environment is not for this endpoint.
                default_headers={"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit},  # type: ignore[dict-item]  # the SDK merges Omit, its annotation does not say so
            )
            self._client, self._pid = client, os.getpid()
        return client
