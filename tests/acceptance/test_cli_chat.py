from __future__ import annotations

import json
from typing import Any

import pytest

from easy_data.cli.exit_codes import ExitCode
from tests.fixtures.command_line import CommandLine
from tests.fixtures.scripted_openai import ScriptedOpenAI, fails


def talk(command_line: CommandLine, *lines: str) -> list[dict[str, Any]]:
    result = command_line.run("chat", "u", "--json", stdin="\n".join(lines) + "\n")
    assert result.exit_code == ExitCode.OK
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_what_one_conversation_teaches_the_next_recalls(command_line: CommandLine) -> None:
    heard, learned, recalled, *_ = talk(command_line, "我不吃香菜", "/end", "晚饭吃什么好？", "/exit")
    assert heard["context"]["text"] == ""
    assert [fate["what"] for fate in learned["fates"]] == ["dietary_restriction = 不吃香菜"]
    assert "不吃香菜" in recalled["context"]["text"]


def test_a_question_is_asked_and_the_answer_settles_it(command_line: CommandLine) -> None:
    talk(command_line, "I live in Boston", "/end", "I live in Denver now")
    asked, _, learned = talk(command_line, "Where do I live?", "Yes")
    assert "Denver" in asked["reply"]
    assert [(fate["fate"], fate["reason"]) for fate in learned["fates"]] == [("written", "confirmed")]
    assert command_line.json("review", "list") == []


def test_people_see_what_is_recalled_and_what_is_learned(command_line: CommandLine) -> None:
    shown = command_line.run("chat", "u", stdin="I live in Boston\n/end\nWhere do I live?\n").stdout
    assert "location = Boston" in shown
    assert "recalled" in shown
    assert "Nothing in this conversation" in shown


def test_a_chat_without_a_word_keeps_nothing(command_line: CommandLine) -> None:
    assert talk(command_line, "", "/end", "/exit") == []
    assert command_line.json("list", "u") == []


def test_with_a_chat_model_it_answers_and_what_is_recalled_goes_along_as_data(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(command_line, "I live in Boston", "/end")
    with ScriptedOpenAI() as server:
        server.default = {"text": "You live in Boston, as you told me."}
        monkeypatch.setenv("EASY_DATA_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("EASY_DATA_LLM_MODEL", "scripted")
        monkeypatch.setenv("EASY_DATA_EXTRACTOR", "patterns")
        (answered, _) = talk(command_line, "Where do I live?")
    assert answered["reply"] == "You live in Boston, as you told me."
    assert "Boston" in json.loads(server.requests[-1].user)["memory"]


def test_a_model_that_fails_leaves_the_answer_to_memory(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedOpenAI() as server:
        server.reply(fails(401))
        monkeypatch.setenv("EASY_DATA_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("EASY_DATA_LLM_MODEL", "scripted")
        monkeypatch.setenv("EASY_DATA_EXTRACTOR", "patterns")
        (answered, *_) = talk(command_line, "Where do I live?")
    assert answered["reply"]
