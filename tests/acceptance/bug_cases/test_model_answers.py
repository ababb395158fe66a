"""Cases of a model that answers late, wrongly or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from easy_data import EasyMemory
from easy_data.schemas.candidates import RejectReason
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories import logs
from tests.fixtures.chat_answers import NOTHING, event, profile, shown
from tests.fixtures.memories import Open
from tests.fixtures.modes import both_modes
from tests.fixtures.scripted_openai import (
    Request,
    ScriptedOpenAI,
    chatty,
    fails,
    fenced,
    hangs,
    says,
    stops_at_limit,
)
from tests.fixtures.talk import assistant, facts, quotes, stored, tell, user
from tests.fixtures.waiting import wait_until

pytestmark = both_modes

FERRETS = {**NOTHING, "profile": [profile("pet", "two ferrets", turn=0, quote="I keep two ferrets")]}


def calls(memory: EasyMemory, entity: str = "ann") -> list[dict[str, Any]]:
    runtime = memory._runtime
    with runtime.database.read() as connection:
        return logs.calls(connection, runtime.scope(entity), limit=100)


def test_an_answer_that_could_not_be_had_or_read_is_not_taken_for_nothing(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-04."""
    cut = json.dumps(FERRETS)[:-40]
    chat_server.reply(
        fails(429), fails(429), stops_at_limit(cut), stops_at_limit(cut), stops_at_limit(cut), says(FERRETS)
    )
    memory = chat_memory(max_attempts=3)
    receipt = memory.end_conversation("ann", [user("I keep two ferrets")])
    status = receipt.wait(30)
    assert (status.outcome, facts(memory)) == (Outcome.WRITTEN, {"pet": {"two ferrets"}})
    assert len(chat_server.requests) == 6
    assert status.attempts >= 3
    assert memory.dead_letters() == []


def test_an_outage_of_the_model_never_buries_a_conversation(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    """O-04: however long it lasts, it does not count against the conversation."""
    chat_server.reply(*[fails(503)] * 6, says(FERRETS))
    memory = chat_memory(max_attempts=2, retry_seconds=0.001)
    assert tell(memory, "I keep two ferrets").outcome is Outcome.WRITTEN


def test_messages_that_cannot_be_read_are_named_and_everything_around_them_is_kept(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-05."""
    longest = 1000

    def find(request: Request) -> Any:
        assert len(request.user) <= longest
        lines = shown(request)
        if any("ZQX" in line["text"] for line in lines):
            return "I would rather not say."
        return {
            **NOTHING,
            "profile": [
                profile("technology", line["text"].removeprefix("I work with "), turn=line["turn"], quote=line["text"])
                for line in lines
                if line["role"] == "user"
            ],
        }

    chat_server.answers = find
    memory = chat_memory(llm_chunk_chars=longest)
    said = [f"I work with tool{number:03}" for number in range(31)]
    said[4] += " ZQX"
    first = memory.end_conversation("ann", [user(text) for text in said], conversation_id="c1")
    later = memory.end_conversation("ann", [user(f"I work with late{n}") for n in range(6)], conversation_id="c2")
    status = first.wait(60)
    assert (status.outcome, later.wait(60).outcome) == (Outcome.WRITTEN, Outcome.WRITTEN)
    assert [(start, end) for start, end, _ in status.unread] == [(4, 4)]
    expected = {f"tool{number:03}" for number in range(31) if number != 4} | {f"late{n}" for n in range(6)}
    assert facts(memory) == {"technology": expected}


def test_the_receipt_does_not_wait_for_the_model(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    """O-06."""
    chat_server.reply(hangs())
    chat_server.default = FERRETS
    memory = chat_memory(retry_seconds=0.001)
    receipt = memory.end_conversation("ann", [user("I keep two ferrets")])
    assert receipt.status().state is State.RECEIVED
    wait_until(lambda: chat_server.requests)
    other = memory.end_conversation("bob", [user("I keep two ferrets")])
    assert (receipt.status().state, other.status().state) == (State.RECEIVED, State.RECEIVED)
    chat_server.release()
    assert memory.flush(30)
    assert (receipt.outcome, other.outcome) == (Outcome.WRITTEN, Outcome.WRITTEN)
    assert (facts(memory), facts(memory, "bob")) == ({"pet": {"two ferrets"}}, {"pet": {"two ferrets"}})


def test_a_candidate_without_words_of_the_user_behind_it_is_rejected(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-37."""
    memory = chat_memory(max_attempts=2)
    chat_server.default = {
        **NOTHING,
        "profile": [profile("hobby", "Short, clear statement of the fact", turn=0, quote="statement of the fact")],
        "events": [event("Short, clear statement of the fact", turn=0, quote="")],
    }
    status = memory.end_conversation("ann", [user("hi"), assistant("hello")], conversation_id="c1").wait(30)
    assert [f.reason for f in status.fates] == [RejectReason.NO_EVIDENCE, RejectReason.NO_EVIDENCE]
    chat_server.default = {"memories": [{"text": "Short, clear statement of the fact"}]}
    status = memory.end_conversation("ann", [user("hi"), assistant("hello")], conversation_id="c2").wait(30)
    assert (status.outcome, stored(memory)) == (Outcome.DEAD_LETTER, [])


def test_prose_instead_of_an_answer_is_retried_and_then_put_aside_where_it_is_seen(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-39."""
    chat_server.default = says("I have read the conversation and will now record three facts about the user.")
    memory = chat_memory(max_attempts=2)
    receipt = memory.end_conversation("ann", [user("I keep two ferrets")])
    status = receipt.wait(30)
    assert (status.outcome, status.attempts) == (Outcome.DEAD_LETTER, 2)
    assert status.reason.startswith("model_answer_unreadable")
    assert [letter.receipt_id for letter in memory.dead_letters()] == [receipt.id]
    assert len(calls(memory)) >= 2
    # Nothing is lost: once the model is well again the same conversation is read.
    chat_server.default = FERRETS
    assert memory.replay(receipt.id).wait(30).outcome is Outcome.WRITTEN
    assert (facts(memory), memory.dead_letters()) == ({"pet": {"two ferrets"}}, [])


@pytest.mark.parametrize(
    "answer",
    [
        fenced(FERRETS),
        fenced(FERRETS, tag=""),
        chatty(FERRETS),
        says("\ufeff" + json.dumps(FERRETS)[:-1] + ",}"),
    ],
    ids=["fenced", "fenced-without-tag", "chatty", "bom-and-trailing-comma"],
)
def test_wrapped_answers_are_read_alike(chat_memory: Open, chat_server: ScriptedOpenAI, answer: Any) -> None:
    """O-40."""
    chat_server.default = answer
    memory = chat_memory()
    assert tell(memory, "I keep two ferrets").outcome is Outcome.WRITTEN
    assert facts(memory) == {"pet": {"two ferrets"}}


def test_broken_surrogates_from_either_side_are_replaced_and_nothing_is_lost(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-41."""
    chat_server.default = says(
        '{"profile": [{"attr_name": "beverage_preference", "value": "\\ud83d tea", "turn": 0,'
        ' "quote": "I like \\ud83d tea"}], "events": [], "workspace": []}'
    )
    memory = chat_memory()
    status = tell(memory, "I like \ud83d tea and \ud83d\ude00")
    assert status.notes == {"broken_surrogate": 1}
    assert facts(memory) == {"beverage_preference": {"\ufffd tea"}}
    (only,) = stored(memory)
    assert quotes(memory, only) == ["I like \ufffd tea"]
    assert memory.recall("ann", "tea").memories[0].id == only.id
