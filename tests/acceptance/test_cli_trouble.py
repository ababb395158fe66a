"""What the command line says when something is not as it should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from easy_data.cli.exit_codes import ExitCode
from tests.fixtures.command_line import CommandLine


def test_a_file_of_another_kind_is_refused_and_left_alone(command_line: CommandLine) -> None:
    command_line.path.write_text("root:x:0:0\n", "utf-8")
    refused = command_line.run("list", "u")
    assert refused.exit_code == ExitCode.STORE
    assert "no SQLite database" in refused.stderr
    assert [found.name for found in command_line.path.parent.iterdir()] == [command_line.path.name]
    assert command_line.path.read_text("utf-8") == "root:x:0:0\n"


def test_a_mistyped_folder_does_not_become_a_second_store(command_line: CommandLine) -> None:
    path = command_line.path.parent / "mistyped" / "memory.db"
    refused = CommandLine(path).run("remember", "u", "location", "Oslo")
    assert refused.exit_code == ExitCode.NOT_FOUND
    assert not path.parent.exists()


@pytest.mark.parametrize("command", [["remember", "u", "--text", "I live in Rome"], ["chat", "u"], ["ingest", "-"]])
def test_a_model_that_is_down_keeps_nobody_waiting_and_nothing_is_lost(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("EASY_DATA_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("EASY_DATA_LLM_MODEL", "any")
    said = json.dumps({"entity_id": "u", "messages": [{"role": "user", "content": "I live in Rome"}]})
    stopped = command_line.run(*command, stdin=said if command[0] == "ingest" else "I live in Rome\n")
    assert stopped.exit_code == ExitCode.MODEL
    assert "kept, not read yet" in stopped.stderr
    for name in ("EASY_DATA_LLM_BASE_URL", "EASY_DATA_LLM_MODEL"):
        monkeypatch.delenv(name)
    command_line.run("remember", "u", "--text", "I play chess")
    assert "Rome" in command_line.run("list", "u").stdout


def test_what_an_application_contradicts_itself_is_a_question_without_a_quote(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "location", "Rome")
    asked = command_line.run("remember", "u", "location", "Paris").stdout
    (item,) = command_line.json("review", "list", "u")
    assert f"easy-data review approve {item['id']}" in asked
    assert "←" not in command_line.run("review", "list", "u").stdout


def test_what_was_changed_on_the_way_in_is_counted(command_line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talks.jsonl"
    file.write_text(json.dumps({"entity_id": "u", "messages": [{"role": "usr", "content": "I live in Rome"}]}), "utf-8")
    assert command_line.json("ingest", str(file))["notes"] == {"unknown_role": 1}
    assert (
        "unknown_role" in command_line.run("ingest", "-", stdin=file.read_text("utf-8").replace("Rome", "Bonn")).stdout
    )


def test_a_command_the_chat_does_not_know_is_not_taken_for_the_users_word(command_line: CommandLine) -> None:
    shown = command_line.run("chat", "u", stdin="/help\n/exit\n").stdout
    assert "/help is no command" in shown
    assert command_line.json("list", "me") == []


def test_a_recall_without_a_query_shows_what_is_known(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "location", "杭州")
    assert "杭州" in command_line.run("recall", "u").stdout
