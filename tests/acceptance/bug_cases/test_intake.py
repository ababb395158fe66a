"""Cases of intake: what is accepted, once, and in which form."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from easy_data import EasyMemory
from easy_data.schemas.errors import ConversationConflict
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories import conversations
from easy_data.stores.repositories.conversations import InboxRow
from tests.fixtures.chat_answers import profile, shown
from tests.fixtures.meanings import Meanings, fact
from tests.fixtures.memories import Open
from tests.fixtures.modes import both_modes
from tests.fixtures.scripted_openai import Request, ScriptedOpenAI
from tests.fixtures.talk import assistant, facts, stored, tell, user

pytestmark = both_modes


def inbox(memory: EasyMemory, entity: str = "ann") -> list[InboxRow]:
    runtime = memory._runtime
    with runtime.database.read() as connection:
        return conversations.of_entity(connection, runtime.scope(entity))


@pytest.mark.parametrize("text", ["Yes, go ahead.", "好的，就这么办。"])
def test_the_same_words_in_two_conversations_are_two_conversations(memory: EasyMemory, text: str) -> None:
    """O-02."""
    first = memory.end_conversation("ann", [user(text)], conversation_id="c1")
    second = memory.end_conversation("ann", [user(text)], conversation_id="c2")
    assert first.id != second.id
    assert [receipt.wait(30).state for receipt in (first, second)] == [State.SETTLED, State.SETTLED]
    assert len(inbox(memory)) == 2


def test_ten_deliveries_at_once_are_one_conversation_and_another_body_is_refused(memory: EasyMemory) -> None:
    """O-03."""
    together = threading.Barrier(10)
    said = [user("I live in Oslo."), assistant("Noted."), user("我不吃香菜。")]

    def deliver(_: int) -> tuple[str, bool]:
        together.wait(10)
        receipt = memory.end_conversation("ann", said, conversation_id="c3")
        return receipt.id, receipt.duplicate

    with ThreadPoolExecutor(10) as threads:
        receipts = list(threads.map(deliver, range(10)))
    assert len({receipt for receipt, _ in receipts}) == 1
    assert [duplicate for _, duplicate in receipts].count(False) == 1
    assert len(inbox(memory)) == 1
    changed = [*said[:-1], user("我不吃葱。")]
    with pytest.raises(ConversationConflict, match="revise=True"):
        memory.end_conversation("ann", changed, conversation_id="c3")
    revised = memory.end_conversation("ann", changed, conversation_id="c3", revise=True)
    assert (revised.duplicate, [row.revision for row in inbox(memory)]) == (False, [1, 2])


def test_a_conversation_sent_forty_times_is_read_once_and_its_repeats_are_counted(open_memory: Open) -> None:
    """O-19."""
    extractor = Meanings({"I live in Oslo.": fact("location", "Oslo")})
    memory = open_memory(extractor=extractor)
    for number in range(40):
        memory.end_conversation("ann", [user("I live in Oslo.", id=f"m-{number}")], conversation_id="c1")
    assert memory.flush(30)
    (row,) = inbox(memory)
    assert (row.duplicates, extractor.read) == (39, ["c1"])
    assert len(stored(memory)) == 1


def test_two_conversations_in_quick_succession_are_both_kept_without_a_third(open_memory: Open) -> None:
    """O-20."""
    memory = open_memory(
        extractor=Meanings({"I want a kayak": fact("goal", "a kayak"), "我想要一个桑拿房": fact("goal", "桑拿房")})
    )
    receipts = [
        memory.end_conversation("ann", [user(text)], conversation_id=name)
        for name, text in (("c1", "I want a kayak"), ("c2", "我想要一个桑拿房"))
    ]
    assert [receipt.wait(30).outcome for receipt in receipts] == [Outcome.WRITTEN, Outcome.WRITTEN]
    assert facts(memory) == {"goal": {"a kayak", "桑拿房"}}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [user("")],
        [user(" \n\t ")],
        [user("👍")],
        [user(None)],
        [user([{"type": "image_url", "image_url": {"url": "data:x"}}])],
        [{"role": "tool", "content": "22 C"}, {"role": "tool", "content": "I live in Oslo."}],
        [{"role": "system", "content": "I live in Oslo."}],
        [assistant("I live in Oslo.")],
    ],
    ids=["none", "blank", "blanks", "emoji", "null", "image", "tool", "system", "assistant"],
)
def test_a_conversation_in_which_no_user_says_anything_is_empty_and_no_model_is_asked(
    chat_memory: Open, chat_server: ScriptedOpenAI, messages: list[dict[str, Any]]
) -> None:
    """O-38."""
    memory = chat_memory()
    status = memory.end_conversation("ann", messages).wait(30)
    assert (status.outcome, status.fates, chat_server.requests) == (Outcome.EMPTY, (), [])
    assert stored(memory) == []


def test_text_parts_are_joined_and_other_parts_become_marks(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    """O-43."""

    def find(request: Request) -> dict[str, Any]:
        (line,) = shown(request)
        assert "[{'type'" not in line["text"]
        quote = "I love hiking in the Tatras"
        return {
            "profile": [profile("sport", "hiking in the Tatras", turn=0, quote=quote)],
            "events": [],
            "workspace": [],
        }

    chat_server.answers = find
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": "I love"}, image, {"type": "text", "text": "hiking in the Tatras"}]
    memory = chat_memory()
    status = memory.end_conversation("ann", [user(parts)]).wait(30)
    assert status.notes == {"part_replaced": 1}
    assert facts(memory) == {"sport": {"hiking in the Tatras"}}
    (row,) = inbox(memory)
    assert row.conversation().messages[0].content == "I love hiking in the Tatras [image]"  # type: ignore[union-attr]


def test_the_patterns_read_text_that_is_cut_into_parts(memory: EasyMemory) -> None:
    """O-43."""
    parts = [{"type": "text", "text": "I live"}, {"type": "input_image"}, {"type": "text", "text": "in Oslo."}]
    assert tell(memory, parts).outcome is Outcome.WRITTEN  # type: ignore[arg-type]
    assert facts(memory) == {"location": {"Oslo"}}


def test_turns_without_content_and_unknown_roles_disturb_nothing_and_are_no_source(memory: EasyMemory) -> None:
    """O-44."""
    status = memory.end_conversation(
        "ann",
        [
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "weather"}}]},
            assistant(None),
            {"role": "tool", "content": [{"type": "text", "text": "22 C"}]},
            {"role": "developer", "content": "I live in Paris."},
            {"role": "narrator", "content": "I live in Rome."},
            "not even a message",
            {"content": "I live in Berlin."},
            user("I moved to Gdynia."),
        ],
    ).wait(30)
    assert status.notes == {"unknown_role": 2, "bad_message": 1}
    assert [(f.attr_name, f.attr_value) for f in memory.profile("ann")] == [("location", "Gdynia")]
