"""Long dialogues, and messages or endpoints that fail, read by the chat extractor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from easy_data.schemas.conversation import Conversation
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelRefused, ModelUnavailable
from tests.fixtures.chat_answers import NOTHING, Extract, dialogue, event, profile, shown
from tests.fixtures.scripted_openai import Reply, Request, ScriptedOpenAI, fails, says, stops_at_limit


def echoing(*, unless: Callable[[Request], Reply | None] = lambda request: None) -> Callable[[Request], Any]:
    """A model that notes each message of the user that is not context, word for word."""

    def answer(request: Request) -> Any:
        items = [
            event(line["text"][:60], turn=line["turn"], quote=line["text"][:60])
            for line in shown(request)
            if line["role"] == "user" and "context" not in line
        ]
        return unless(request) or {**NOTHING, "events": items}

    return answer


def poisoned(reply: Reply) -> Callable[[Request], Reply | None]:
    return lambda request: reply if "ZQX" in request.user else None


def talk(messages: int, *poison: int) -> Conversation:
    words = [f"fact number {n}: {'ZQX' if n in poison else 'fine'}, {'and so on ' * 8}" for n in range(messages)]
    return dialogue(*[("user", text) for text in words])


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(says("I will now record three facts."), id="prose"),
        pytest.param(stops_at_limit('{"profile": ['), id="cut at the token limit"),
        pytest.param(fails(500), id="the server fails on it"),
        pytest.param(fails(400), id="the endpoint refuses it"),
    ],
)
@pytest.mark.parametrize("chunk_chars", [1200, 12_000])
def test_a_message_that_cannot_be_read_costs_only_itself(
    server: ScriptedOpenAI, extractor: Extract, trouble: Reply, chunk_chars: int
) -> None:
    """O-05."""
    server.answers = echoing(unless=poisoned(trouble))
    extraction = extractor(chunk_chars=chunk_chars).extract(talk(31, 4))
    assert [candidate.turn for candidate in extraction.candidates] == [n for n in range(31) if n != 4]
    assert [(first, last) for first, last, _ in extraction.unread] == [(4, 4)]
    assert max(len(request.user) for request in server.requests) <= chunk_chars


def test_chunks_overlap_so_that_answers_keep_their_questions(server: ScriptedOpenAI, extractor: Extract) -> None:
    server.answers = echoing()
    extractor(chunk_chars=1200, overlap_messages=2).extract(talk(20))
    for before, after in zip(server.requests, server.requests[1:], strict=False):
        context = [line["turn"] for line in shown(after) if "context" in line]
        assert context == [line["turn"] for line in shown(before) if "context" not in line][-2:]


def test_no_overlap_is_sent_where_none_is_wanted(server: ScriptedOpenAI, extractor: Extract) -> None:
    server.answers = echoing()
    extractor(chunk_chars=1200, overlap_messages=0).extract(talk(20))
    assert len(server.requests) > 1
    assert not any("context" in line for request in server.requests for line in shown(request))


def test_an_over_long_message_is_read_in_bounded_parts(server: ScriptedOpenAI, extractor: Extract) -> None:
    """O-45."""
    logs = "".join(f'{n:05d} "ok"\t\\path\n' for n in range(3_500))
    said = dialogue(("user", logs), ("assistant", logs), ("user", "My new extension is 4417."))
    server.answers = echoing()
    extraction = extractor(chunk_chars=4_000).extract(said)
    assert max(len(request.user) for request in server.requests) <= 4_000
    assert extraction.candidates[-1].quote == "My new extension is 4417."
    assert extraction.unread == ()
    parts = [
        line["text"]
        for request in server.requests
        for line in shown(request)
        if line["turn"] == 0 and "context" not in line
    ]
    assert all(any(f'{n:05d} "ok"' in part for part in parts) for n in range(3_500))


def test_a_part_that_cannot_be_read_leaves_the_other_parts(server: ScriptedOpenAI, extractor: Extract) -> None:
    text = "word " * 900 + "ZQX" + " word" * 900
    server.answers = echoing(unless=poisoned(says("no")))
    extraction = extractor(chunk_chars=2_000).extract(dialogue(("user", text), ("user", "I live in Porto")))
    assert [(first, last) for first, last, _ in extraction.unread] == [(0, 0)]
    assert "I live in Porto" in [candidate.quote for candidate in extraction.candidates]


def test_when_nothing_can_be_read_the_error_is_raised_early_with_its_cost(
    server: ScriptedOpenAI, extractor: Extract
) -> None:
    """O-39."""
    server.default = "I will now record three facts."
    with pytest.raises(ModelAnswerUnreadable) as caught:
        extractor(chunk_chars=1200).extract(talk(100))
    assert caught.value.answer == "I will now record three facts."
    assert sum(usage.attempts for usage in caught.value.usage) == len(server.requests) <= 24
    assert sum(usage.cost for usage in caught.value.usage) > 0


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, ModelRefused), (403, ModelRefused), (404, ModelRefused), (429, ModelUnavailable), (503, ModelUnavailable)],
)
def test_trouble_with_the_endpoint_is_raised_even_midway(
    server: ScriptedOpenAI, extractor: Extract, status: int, kind: type[Exception]
) -> None:
    server.answers = echoing(unless=lambda request: fails(status) if len(server.requests) > 2 else None)
    with pytest.raises(kind) as caught:
        extractor(chunk_chars=1200).extract(talk(40))
    assert sum(usage.attempts for usage in caught.value.usage) == len(server.requests)  # type: ignore[attr-defined]


def test_an_unreadable_answer_is_asked_for_again_before_it_is_given_up(
    server: ScriptedOpenAI, extractor: Extract
) -> None:
    server.reply(*["no"] * 2, NOTHING)
    extraction = extractor(attempts_per_chunk=2).extract(dialogue(("user", "hello there")))
    assert (extraction.unread, len(server.requests)) == ((), 3)
    assert [usage.outcome for usage in extraction.usages] == ["model_answer_unreadable", "ok"]


def test_the_same_finding_of_two_chunks_is_kept_once(server: ScriptedOpenAI, extractor: Extract) -> None:
    server.default = {**NOTHING, "profile": [profile("goal", "fact", turn=0, quote="fact number 0")]}
    assert len(extractor(chunk_chars=1200).extract(talk(20)).candidates) == 1
    assert len(server.requests) > 1
