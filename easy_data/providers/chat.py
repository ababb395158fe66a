"""A chat model behind an OpenAI-compatible endpoint, asked for one validated answer at a time."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, SecretStr, ValidationError

from easy_data.providers.answer_reading import Reading, encodable, read_answer
from easy_data.providers.answer_schema import strict_schema
from easy_data.providers.endpoint import Endpoint
from easy_data.providers.retry import with_retries
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelError, ModelRefused, ModelUnavailable
from easy_data.schemas.ports import Answer, Usage

Mode = Literal["json_schema", "json_object", "prompt"]

_MODES: tuple[Mode, ...] = ("json_schema", "json_object", "prompt")
_NOT_UNDERSTOOD = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
_TOKEN_BYTES = 3  # of UTF-8: one Chinese character, or rather less than a token of English
_SHOWN_ANSWER_CHARS = 2_000  # of a wrong answer, shown to the model when it is asked again


class OpenAIChat:
    """Implements ``ports.ChatModel``.

    ``mode`` is how structured output is asked for: ``json_schema`` (strict), ``json_object`` with the schema in the
    prompt, or ``prompt`` alone; ``auto`` takes the first one the endpoint does not refuse with 400 or 422 and keeps to
    it. ``timeout_seconds`` bounds a request, twice that a question. Prices are those of a million tokens.
    """

    def __init__(  # noqa: PLR0913 - one for each setting of the chat model
        self,
        *,
        base_url: str,
        model: str,
        api_key: SecretStr | str | None = None,
        mode: Mode | Literal["auto"] = "auto",
        timeout_seconds: float = 60.0,
        attempts: int = 3,
        prompt_price: float = 0.0,
        completion_price: float = 0.0,
    ) -> None:
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout_seconds=timeout_seconds, attempts=attempts)
        self._model = model
        self._mode: Mode | None = None if mode == "auto" else mode
        self._prices = (prompt_price, completion_price)

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._model

    @property
    def mode(self) -> Mode | None:
        """How structured output is asked for; None until it was found out."""
        return self._mode

    def ask(self, *, system: str, user: str, answer: type[Answer]) -> tuple[Answer, Usage]:
        """Return the validated answer and what it used; an answer that does not fit is asked for once more.

        Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelAnswerUnreadable``, each with ``usage``.
        """
        tally = _Tally(self._model, *self._prices, seconds=self._endpoint.retries.budget_seconds)
        messages = [_message("system", system), _message("user", user)]
        try:
            reading = self._read(messages, answer, tally)
        except ModelError as error:
            error.usage = (tally.usage(error.code),)
            raise
        return reading.value, tally.usage("repaired" if reading.repaired or reading.replaced else "ok")

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._endpoint.close()

    def _read(self, messages: list[dict[str, str]], answer: type[Answer], tally: _Tally) -> Reading[Answer]:
        text = self._said(messages, answer, tally)
        try:
            return read_answer(text, answer)
        except ModelAnswerUnreadable as error:
            complaint = str(error)
        schema = json.dumps(strict_schema(answer), ensure_ascii=False)
        again = (
            f"That answer cannot be used. {complaint}\n"
            f"Answer the same request again with one JSON object that matches this schema, and nothing else:\n{schema}"
        )
        shown = text[:_SHOWN_ANSWER_CHARS] or "-"
        return read_answer(
            self._said([*messages, _message("assistant", shown), _message("user", again)], answer, tally), answer
        )

    def _said(self, messages: list[dict[str, str]], answer: type[BaseModel], tally: _Tally) -> str:
        """Return what the model says, in the first mode that the endpoint understands."""
        modes = (self._mode,) if self._mode else _MODES
        for mode in modes[:-1]:
            try:
                return self._said_in(mode, messages, answer, tally)
            except ModelRefused as error:
                if error.status not in _NOT_UNDERSTOOD:
                    raise
        return self._said_in(modes[-1], messages, answer, tally)

    def _said_in(self, mode: Mode, messages: list[dict[str, str]], answer: type[BaseModel], tally: _Tally) -> str:
        body = {"model": self._model, **_structured(mode, messages, answer)}

        def once(timeout: float) -> _Reply:
            tally.requests += 1
            return _reply(self._endpoint.post("/chat/completions", body, timeout=timeout))

        reply = with_retries(
            once, self._endpoint.retries, deadline=tally.deadline, timeout=self._endpoint.timeout_seconds
        )
        self._mode = mode
        said = reply.choices[0]
        tally.add(reply.usage or _estimated(body["messages"], said.message.content or ""))
        return _text(said)


@dataclass(slots=True)
class _Tally:
    """Counts the requests and tokens of one question."""

    model: str
    prompt_price: float
    completion_price: float
    seconds: float
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> float:
        return self.started + self.seconds

    def add(self, tokens: _Tokens) -> None:
        self.prompt_tokens += tokens.prompt_tokens or 0
        self.completion_tokens += tokens.completion_tokens or 0

    def usage(self, outcome: str) -> Usage:
        per_million = self.prompt_tokens * self.prompt_price + self.completion_tokens * self.completion_price
        return Usage(
            model=self.model,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=per_million / 1_000_000,
            latency_ms=(time.monotonic() - self.started) * 1000,
            attempts=self.requests,
            outcome=outcome,
        )


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Tokens(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Reply(BaseModel):
    choices: list[_Choice]
    usage: _Tokens | None = None


def _estimated(messages: list[dict[str, str]], answer: str) -> _Tokens:
    """Return what an endpoint that reports no usage probably counted: a budget must hold there as well."""
    asked = sum(len(message["content"].encode()) for message in messages)
    return _Tokens(prompt_tokens=asked // _TOKEN_BYTES, completion_tokens=len(answer.encode()) // _TOKEN_BYTES)


def _reply(document: dict[str, Any]) -> _Reply:
    try:
        reply = _Reply.model_validate(document)
    except ValidationError:
        reply = _Reply(choices=[])
    if not reply.choices:
        raise ModelUnavailable("The endpoint's answer is not a chat completion: check the base URL.")
    return reply


def _text(choice: _Choice) -> str:
    """Return what the model said to the end. Raises ``ModelAnswerUnreadable`` for a cut or declined answer."""
    text = choice.message.content or ""
    if choice.finish_reason == "length":
        raise ModelAnswerUnreadable("The answer was cut at the model's token limit.", answer=text)
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        raise ModelAnswerUnreadable("The model declined to answer.", answer=text)
    return text


def _structured(mode: Mode, messages: list[dict[str, str]], answer: type[BaseModel]) -> dict[str, Any]:
    """Return the part of the request that asks for an ``answer``, as ``mode`` does it."""
    schema = strict_schema(answer)
    if mode == "json_schema":
        form = {"name": answer.__name__, "strict": True, "schema": schema}
        return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": form}}
    told = (
        f"{messages[0]['content']}\n\nAnswer with one JSON object that matches this JSON schema, and nothing else:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )
    request: dict[str, Any] = {"messages": [_message("system", told), *messages[1:]]}
    return request | ({"response_format": {"type": "json_object"}} if mode == "json_object" else {})


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": encodable(content)}
