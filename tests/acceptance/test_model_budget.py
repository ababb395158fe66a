"""A budget for the chat model: what happens on the day it is used up, what says so, and what the next day brings."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from easy_data import EasyMemory
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.service_status import OVER_BUDGET
from tests.fixtures.chat_answers import NOTHING, profile
from tests.fixtures.command_line import CommandLine
from tests.fixtures.memories import Open
from tests.fixtures.scripted_openai import Reply, ScriptedOpenAI, says
from tests.fixtures.talk import facts, tell

EVENING = datetime(2026, 5, 11, 23, 50, tzinfo=UTC)
A_CALL = 120  # tokens of the scripted endpoint


class Hands:
    """A clock that is moved by hand."""

    def __init__(self, now: datetime) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time


@pytest.mark.parametrize(("said", "home"), [("I live in Porto.", "Porto"), ("我住在杭州。", "杭州")], ids=["en", "zh"])
def test_once_the_day_is_used_up_patterns_alone_read_and_the_receipt_says_so(
    chat_memory: Open, chat_server: ScriptedOpenAI, said: str, home: str
) -> None:
    clock = Hands(EVENING)
    memory = chat_memory(llm_daily_tokens=2 * A_CALL, clock=clock)
    for number in range(2):
        assert tell(memory, "Nothing much.", conversation_id=f"before{number}").unread == ()
    status = tell(memory, said, "See you.", conversation_id="over")
    assert len(chat_server.requests) == 2
    assert (status.outcome, status.unread) == (Outcome.WRITTEN, ((0, 1, OVER_BUDGET),))
    assert facts(memory) == {"location": {home}}
    day = memory.status().model_today
    assert (day.tokens, day.budget, day.over_budget, day.is_spent) == (2 * A_CALL, 2 * A_CALL, 1, True)
    # Ten minutes later another day has begun.
    clock.time += timedelta(minutes=10)
    assert tell(memory, "Nothing much.", conversation_id="after").unread == ()
    assert len(chat_server.requests) == 3
    assert memory.status().model_today.over_budget == 0


def test_calls_that_came_to_nothing_count_too(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    prose = says("I would rather tell you a story.")
    chat_server.reply(prose, prose, prose, prose)
    memory = chat_memory(llm_daily_tokens=A_CALL, max_attempts=3)
    status = tell(memory, "I live in Porto.")
    assert (status.outcome, facts(memory)) == (Outcome.WRITTEN, {"location": {"Porto"}})
    assert [reason for *_, reason in status.unread] == [OVER_BUDGET]
    assert memory.status().model_today.tokens >= 2 * A_CALL


def test_the_budget_of_one_tenant_is_not_used_by_another(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    first = chat_memory(llm_daily_tokens=A_CALL, tenant_id="first")
    tell(first, "Nothing much.")
    first.close()
    second = chat_memory(llm_daily_tokens=A_CALL, tenant_id="second")
    assert tell(second, "Nothing much.").unread == ()
    assert second.status().model_today.tokens == A_CALL


def test_an_endpoint_that_reports_no_tokens_is_bounded_all_the_same(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    message = {"role": "assistant", "content": json.dumps(NOTHING)}
    body = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).encode()
    chat_server.default = Reply(body=body)
    memory = chat_memory(llm_daily_tokens=500)
    tell(memory, "Nothing much.", conversation_id="c1")
    assert memory.status().model_today.tokens > 500
    assert [reason for *_, reason in tell(memory, "Nothing much.", conversation_id="c2").unread] == [OVER_BUDGET]


def test_without_a_budget_nothing_is_refused(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    chat_server.default = says({**NOTHING, "profile": []}, prompt_tokens=10_000_000)
    memory = chat_memory()
    for number in range(3):
        assert tell(memory, "Nothing much.", conversation_id=f"c{number}").unread == ()
    day = memory.status().model_today
    assert (day.budget, day.is_spent, day.tokens) == (None, False, 30_000_060)


def test_the_status_on_the_command_line_tells_the_day(
    chat_server: ScriptedOpenAI, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EASY_DATA_LLM_BASE_URL", chat_server.base_url)
    monkeypatch.setenv("EASY_DATA_LLM_MODEL", "scripted")
    monkeypatch.setenv("EASY_DATA_LLM_DAILY_TOKENS", str(A_CALL))
    for _ in range(2):
        command_line.run("chat", "ann", stdin="I live in Porto.\n/end\n/exit\n")
    assert command_line.json("status")["model_today"]["over_budget"] == 1
    shown = command_line.run("status").stdout
    assert "120 tokens of 120" in shown
    assert "read without it" in shown


def test_the_doctor_warns_and_asks_the_model_nothing_more(chat_memory: Open, chat_server: ScriptedOpenAI) -> None:
    memory = chat_memory(llm_daily_tokens=1)
    tell(memory, "Nothing much.")
    asked = len(chat_server.requests)
    (check,) = [check for check in memory.diagnose() if check.name == "chat model"]
    assert (check.state, len(chat_server.requests)) == ("warning", asked)
    assert "llm_daily_tokens" in check.remedy


def test_a_model_that_is_named_by_a_long_path_can_be_used(
    open_memory: Open, chat_server: ScriptedOpenAI, tmp_path: Path
) -> None:
    name = "/srv/models/" + "quite-long-names/" * 8 + "small-instruct-q4.gguf"
    quote = "I sort beetles"
    chat_server.default = {**NOTHING, "profile": [profile("hobby", "sorting beetles", turn=0, quote=quote)]}
    memory: EasyMemory = open_memory(llm_base_url=chat_server.base_url, llm_model=name)
    tell(memory, "Between shifts I sort beetles.")
    (fact,) = memory.profile("ann")
    (evidence,) = memory.explain("ann", fact.id).evidence
    assert len(evidence.extractor) <= 64
    assert "small-instruct-q4.gguf" in evidence.extractor
