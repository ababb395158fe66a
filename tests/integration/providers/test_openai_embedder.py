"""The embeddings client against a real HTTP server on the loopback."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stamina

from easy_data.providers.openai_embedder import OpenAIEmbedder
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelError, ModelRefused
from tests.fixtures.scripted_openai import EMBEDDING_SIZE, Reply, ScriptedOpenAI, fails

Build = Callable[..., OpenAIEmbedder]


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as server:
        yield server


@pytest.fixture
def build(server: ScriptedOpenAI) -> Iterator[Build]:
    made: list[OpenAIEmbedder] = []

    def embedder(**arguments: Any) -> OpenAIEmbedder:
        settings = {"base_url": server.base_url, "model": "embed-1", "size": EMBEDDING_SIZE} | arguments
        made.append(OpenAIEmbedder(**settings))
        return made[-1]

    with stamina.set_testing(True, attempts=3, cap=True):  # retries do not wait
        yield embedder
    for embedder_ in made:
        embedder_.close()


def vectors(*rows: tuple[int, list[float]]) -> Reply:
    return Reply(body=json.dumps({"data": [{"index": index, "embedding": row} for index, row in rows]}).encode())


def test_vectors_have_unit_length_and_depend_on_the_text(build: Build) -> None:
    tea, coffee, again = build().embed(["tea", "咖啡", "tea"])
    assert math.hypot(*tea) == pytest.approx(1)
    assert tea == again
    assert tea != coffee


def test_batches_are_bounded_by_count_and_by_characters(server: ScriptedOpenAI, build: Build) -> None:
    build(batch_texts=2).embed(["a", "b", "c"])
    build(batch_chars=10).embed(["a" * 6, "b" * 6, "c"])
    assert [request.body["input"] for request in server.requests] == [["a", "b"], ["c"], ["a" * 6], ["b" * 6, "c"]]


def test_nothing_is_asked_for_no_texts(server: ScriptedOpenAI, build: Build) -> None:
    assert build().embed([]) == []
    assert server.requests == []


def test_odd_texts_are_sent_in_a_form_that_endpoints_accept(server: ScriptedOpenAI, build: Build) -> None:
    build().embed(["", "a\ud83d", "1" * 9_000])
    assert server.requests[0].body["input"] == [" ", "a\ufffd", "1" * 8_000]


def test_vectors_come_back_in_the_order_of_the_texts(server: ScriptedOpenAI, build: Build) -> None:
    server.reply(vectors((1, [0, 2]), (0, [3, 0])))
    assert build(size=2).embed(["a", "b"]) == [[1, 0], [0, 1]]


def test_another_size_than_the_settings_say_is_refused_with_both_sizes(build: Build) -> None:
    with pytest.raises(ModelRefused, match=f"{EMBEDDING_SIZE} dimensions, the settings say 3"):
        build(size=3).embed(["a"])


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(vectors((0, [1, 0]), (1, [1, 0])), id="too many"),
        pytest.param(vectors(), id="too few"),
        pytest.param(vectors((0, [0, 0])), id="no direction"),
        pytest.param(vectors((0, [math.nan, 1])), id="not a number"),
        pytest.param(Reply(body=b'{"data": "none"}'), id="another form"),
    ],
)
def test_an_answer_that_is_not_one_vector_a_text_is_unreadable(
    server: ScriptedOpenAI, build: Build, reply: Reply
) -> None:
    server.reply(reply)
    with pytest.raises(ModelAnswerUnreadable):
        build(size=2).embed(["a"])


def test_a_busy_endpoint_is_asked_again(server: ScriptedOpenAI, build: Build) -> None:
    server.reply(fails(429, retry_after="0"))
    assert len(build().embed(["a"])) == 1
    assert len(server.requests) == 2


def test_a_refusal_is_raised(server: ScriptedOpenAI, build: Build) -> None:
    server.reply(fails(404))
    with pytest.raises(ModelError) as caught:
        build().embed(["a"])
    assert isinstance(caught.value, ModelRefused)
