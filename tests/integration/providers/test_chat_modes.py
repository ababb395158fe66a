"""The chat client against a real HTTP server on the loopback."""

from __future__ import annotations

import json
import logging
import multiprocessing
import traceback
from collections.abc import Iterator
from typing import Any

import pytest
import stamina
from pydantic import BaseModel

from easy_data.providers.chat import OpenAIChat
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelError, ModelRefused, ModelUnavailable
from tests.fixtures.scripted_openai import (
    Reply,
    ScriptedOpenAI,
    breaks_off,
    chatty,
    fails,
    fenced,
    hangs,
    says,
    stops_at_limit,
)

KEY = "sk-very-secret-key"


class Facts(BaseModel):
    facts: list[str]


TEA = {"facts": ["likes tea"]}


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI(default=TEA) as server:
        yield server


@pytest.fixture
def connect(server: ScriptedOpenAI) -> Iterator[Any]:
    made: list[OpenAIChat] = []

    def chat(**arguments: Any) -> OpenAIChat:
        settings = {"base_url": server.base_url, "model": "scripted-1", "api_key": KEY} | arguments
        made.append(OpenAIChat(**settings))
        return made[-1]

    with stamina.set_testing(True, attempts=3, cap=True):  # retries do not wait
        yield chat
    for chat_ in made:
        chat_.close()


def ask(chat: OpenAIChat) -> Any:
    return chat.ask(system="Read.", user="I like tea.", answer=Facts)


def failure(chat: OpenAIChat) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(chat)
    return caught.value


@pytest.mark.parametrize(
    ("formats", "mode"),
    [
        (("json_schema", "json_object", "text"), "json_schema"),
        (("json_object", "text"), "json_object"),
        (("text",), "prompt"),
    ],
)
def test_the_best_mode_an_endpoint_understands_is_found_once_and_kept(
    server: ScriptedOpenAI, connect: Any, formats: tuple[str, ...], mode: str
) -> None:
    server.formats = formats
    chat = connect()
    assert ask(chat)[0].facts == TEA["facts"]
    assert chat.mode == mode
    asked = len(server.requests)
    ask(chat)
    assert len(server.requests) == asked + 1


def test_strict_mode_sends_the_schema_and_the_other_modes_tell_it(server: ScriptedOpenAI, connect: Any) -> None:
    for mode in ("json_schema", "json_object", "prompt"):
        ask(connect(mode=mode))
    strict, told, prompted = server.requests
    assert strict.body["response_format"]["json_schema"]["strict"] is True
    assert strict.body["response_format"]["json_schema"]["schema"]["required"] == ["facts"]
    assert strict.system == "Read."
    assert '"facts"' in told.system
    assert (told.format, prompted.format) == ("json_object", "text")
    assert '"facts"' in prompted.system


def test_a_mode_that_was_set_is_not_changed(server: ScriptedOpenAI, connect: Any) -> None:
    server.formats = ("text",)
    error = failure(connect(mode="json_schema"))
    assert isinstance(error, ModelRefused)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(fenced(TEA), id="fenced with a tag"),
        pytest.param(fenced(TEA, tag=""), id="fenced without a tag"),
        pytest.param(chatty(TEA), id="sentences around"),
        pytest.param(says('\ufeff{"facts": ["likes tea",]}'), id="BOM and trailing comma"),
    ],
)
def test_a_wrapped_answer_is_read_in_one_request(server: ScriptedOpenAI, connect: Any, reply: Reply) -> None:
    """O-40."""
    server.reply(reply)
    answer, usage = ask(connect())
    assert answer.facts == TEA["facts"]
    assert usage.attempts == 1


def test_lone_surrogates_in_question_and_answer_lose_nothing(server: ScriptedOpenAI, connect: Any) -> None:
    """O-41."""
    server.reply(says('{"facts": ["likes \\ud83d tea"]}'))
    answer, usage = connect().ask(system="Read.", user="I like \ud83d tea.", answer=Facts)
    assert answer.facts == ["likes \ufffd tea"]
    assert usage.outcome == "repaired"
    assert server.requests[0].user == "I like \ufffd tea."


def test_a_wrong_answer_is_asked_for_once_more_with_what_is_wrong(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply({"memories": ["likes tea"]}, TEA)
    answer, usage = ask(connect())
    assert answer.facts == TEA["facts"]
    assert usage.attempts == 2
    shown, complaint = server.requests[1].messages[2:]
    assert shown == {"role": "assistant", "content": '{"memories": ["likes tea"]}'}
    assert "facts: Field required" in complaint["content"]


def test_prose_is_an_error_with_the_answer_kept_never_an_empty_result(server: ScriptedOpenAI, connect: Any) -> None:
    """O-39."""
    announcement = "I have read the conversation and will now record three facts about the user."
    server.default = announcement
    error = failure(connect())
    assert isinstance(error, ModelAnswerUnreadable)
    assert error.answer == announcement
    assert error.retryable
    assert len(server.requests) == 2


def test_a_long_wrong_answer_is_not_sent_back_whole(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply("x" * 1_000_000, TEA)
    ask(connect())
    assert len(json.dumps(server.requests[1].body)) < 10_000


def test_an_answer_cut_at_the_token_limit_is_unreadable_at_once(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply(stops_at_limit('{"facts": ["likes tea"]}'))
    assert isinstance(failure(connect()), ModelAnswerUnreadable)
    assert len(server.requests) == 1


def test_a_declined_answer_is_unreadable(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply(Reply(refusal="I cannot help with that."))
    assert isinstance(failure(connect()), ModelAnswerUnreadable)


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(fails(429, retry_after="0"), id="429 with Retry-After"),
        pytest.param(fails(500), id="500"),
        pytest.param(breaks_off(), id="connection cut in the body"),
        pytest.param(Reply(body=b"<html>busy</html>"), id="not JSON"),
        pytest.param(Reply(body=b'{"object": "list"}'), id="not a completion"),
        pytest.param(Reply(body=b'{"choices": []}'), id="no choice"),
    ],
)
def test_passing_trouble_is_tried_again(server: ScriptedOpenAI, connect: Any, trouble: Reply) -> None:
    server.reply(trouble)
    answer, usage = ask(connect())
    assert answer.facts == TEA["facts"]
    assert usage.attempts == 2


def test_lasting_trouble_is_unavailable_with_what_was_used(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply(*[fails(503)] * 3)
    error = failure(connect())
    assert isinstance(error, ModelUnavailable)
    assert [(usage.attempts, usage.outcome, usage.cost) for usage in error.usage] == [(3, "model_unavailable", 0.0)]


def test_a_server_that_hangs_is_given_up(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply(hangs())
    error = failure(connect(timeout_seconds=0.2, attempts=1))
    assert isinstance(error, ModelUnavailable)
    assert error.status is None


def test_a_server_that_is_not_there_is_unavailable(connect: Any) -> None:
    assert isinstance(failure(connect(base_url="http://127.0.0.1:9/v1")), ModelUnavailable)


def test_a_wrong_key_is_refused_once_and_never_shown(
    server: ScriptedOpenAI, connect: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.reply(fails(401, message=f"Incorrect API key provided: {KEY}. Prompt: I like tea."))
    chat = connect()
    error = failure(chat)
    assert isinstance(error, ModelRefused)
    assert len(server.requests) == 1
    told = "".join(traceback.format_exception(error)) + repr(chat) + repr(vars(chat))
    assert KEY not in told
    assert "I like tea" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert KEY not in caplog.text
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_tokens_and_cost_of_every_answer_are_summed(server: ScriptedOpenAI, connect: Any) -> None:
    server.reply(
        says("no JSON", prompt_tokens=1000, completion_tokens=100), says(TEA, prompt_tokens=2000, completion_tokens=300)
    )
    _, usage = ask(connect(prompt_price=0.5, completion_price=2.0))
    assert (usage.model, usage.prompt_tokens, usage.completion_tokens) == ("scripted-1", 3000, 400)
    assert usage.cost == pytest.approx(0.0023)


def test_what_the_environment_holds_for_another_vendor_is_not_sent(
    server: ScriptedOpenAI, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-vendor")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-another-vendor")
    ask(connect(api_key=None))
    assert "another-vendor" not in str(server.requests[0].headers)


# the server of this test is the other thread; it holds no lock of the child's
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_opens_its_own_connection(server: ScriptedOpenAI, connect: Any) -> None:
    chat = connect()
    ask(chat)
    made_here = chat._endpoint._client
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def in_child() -> None:
        answer, _ = ask(chat)
        results.put((answer.facts, chat._endpoint._client is made_here))

    child = context.Process(target=in_child)
    child.start()
    child.join(20)
    assert child.exitcode == 0
    assert results.get() == (TEA["facts"], False)
    assert ask(chat)[0].facts == TEA["facts"]
