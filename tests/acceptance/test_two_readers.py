"""A memory that patterns and a chat model read for: what both find, what they dispute, what a person makes of it."""

from __future__ import annotations

import pytest

from easy_data.schemas.candidates import Fate, ReviewReason
from easy_data.schemas.receipts import Outcome
from tests.fixtures.chat_answers import NOTHING, profile
from tests.fixtures.memories import Open
from tests.fixtures.scripted_openai import ScriptedOpenAI
from tests.fixtures.talk import facts, tell

HOMES = [("I live in Porto, not far from Braga.", "Porto", "Braga"), ("我住在杭州，离苏州不远。", "杭州", "苏州")]


@pytest.mark.parametrize(("said", "right", "wrong"), HOMES, ids=["en", "zh"])
def test_what_both_readers_find_is_kept_and_surer(
    chat_memory: Open, chat_server: ScriptedOpenAI, said: str, right: str, wrong: str
) -> None:
    chat_server.default = {**NOTHING, "profile": [profile("location", right, turn=0, quote=said)]}
    memory = chat_memory()
    tell(memory, said)
    (fact,) = memory.profile("ann")
    assert (fact.attr_value, fact.confidence) == (right, pytest.approx(0.93))
    (evidence,) = memory.explain("ann", fact.id).evidence
    assert evidence.extractor == "chat:scripted-1:1+patterns"


@pytest.mark.parametrize(("said", "right", "wrong"), HOMES, ids=["en", "zh"])
def test_what_they_dispute_is_not_written_and_a_person_decides(
    chat_memory: Open, chat_server: ScriptedOpenAI, said: str, right: str, wrong: str
) -> None:
    chat_server.default = {**NOTHING, "profile": [profile("location", wrong, turn=0, quote=said)]}
    memory = chat_memory()
    status = tell(memory, said)
    assert status.outcome is Outcome.REVIEW
    assert [(f.fate, f.reason) for f in status.fates] == [(Fate.QUEUED, "disputed")] * 2
    assert facts(memory) == {}
    items = {str(item.proposed["attr_value"]): item for item in memory.pending_review("ann")}
    assert {item.reason for item in items.values()} == {ReviewReason.DISPUTED}
    memory.review(items[right].id, "approve")
    memory.review(items[wrong].id, "reject")
    assert facts(memory) == {"location": {right}}
    assert memory.pending_review("ann") == []


@pytest.mark.parametrize(("said", "right", "wrong"), HOMES, ids=["en", "zh"])
def test_the_model_alone_can_be_chosen(
    chat_memory: Open, chat_server: ScriptedOpenAI, said: str, right: str, wrong: str
) -> None:
    chat_server.default = {**NOTHING, "profile": [profile("location", wrong, turn=0, quote=said)]}
    memory = chat_memory(extractor="chat")
    tell(memory, said)
    assert facts(memory) == {"location": {wrong}}
