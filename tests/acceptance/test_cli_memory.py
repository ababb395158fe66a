from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from easy_data.cli.exit_codes import ExitCode
from easy_data.client.embedded import EasyMemory
from tests.fixtures.command_line import CommandLine
from tests.project.sources import ROOT

CONTRADICTED = (("I live in Boston", "2026-03-01T12:00:00Z"), ("I live in Denver now", "2026-03-02T12:00:00Z"))


def contradict(command_line: CommandLine) -> str:
    """Say two towns; return the id of the question that follows."""
    talks = [{"messages": [{"role": "user", "content": said}], "ended_at": at} for said, at in CONTRADICTED]
    command_line.run("ingest", "-", "--entity", "u", stdin=json.dumps(talks))
    (item,) = command_line.json("review", "list", "u")
    return str(item["id"])


def towns(command_line: CommandLine) -> list[str]:
    return [r["attr_value"] for r in command_line.json("list", "u") if r.get("attr_name") == "location"]


def test_a_remembered_fact_is_listed_recalled_and_shown_with_its_history(command_line: CommandLine) -> None:
    written = command_line.json("remember", "用户", "dietary_restriction", "不吃香菜")
    (listed,) = command_line.json("list", "用户", "--bucket", "profile")
    recalled = command_line.json("recall", "用户", "晚饭吃什么好？")
    shown = command_line.json("show", "用户", written["memory_id"])
    assert listed["attr_value"] == "不吃香菜"
    assert "不吃香菜" in recalled["text"]
    assert shown["record"]["id"] == listed["id"] == written["memory_id"]
    assert [revision["action"] for revision in shown["revisions"]] == ["write"]
    assert len(shown["uses"]) == 1


def test_people_get_the_same_as_readable_text(command_line: CommandLine) -> None:
    memory_id = command_line.json("remember", "u", "location", "杭州")["memory_id"]
    for arguments in (["list", "u"], ["recall", "u", "where do I live?", "--explain"], ["show", "u", memory_id]):
        shown = command_line.run(*arguments).stdout
        assert "杭州" in shown
        assert memory_id in shown
        assert "\x1b" not in shown


def test_text_that_looks_like_markup_is_shown_as_it_is(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "--event", "Fixed [bold]the[/bold] parser :smile:")
    assert "Fixed [bold]the[/bold] parser :smile:" in command_line.run("list", "u").stdout


def test_an_event_keeps_the_moment_it_was_given(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "--event", "Ran a race", "--type", "milestone", "--at", "2026-03-01T18:00+08:00")
    (event,) = command_line.json("list", "u", "--bucket", "event")
    assert (event["event_type"], event["happened_at"]) == ("milestone", "2026-03-01T10:00:00Z")


def test_a_preference_against_something_is_kept_as_one(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "food_preference", "liver", "--not")
    assert command_line.json("list", "u")[0]["polarity"] == -1
    assert "not: liver" in command_line.run("list", "u").stdout


def test_an_approved_change_replaces_what_was_kept(command_line: CommandLine) -> None:
    item = contradict(command_line)
    assert towns(command_line) == ["Boston"]
    assert command_line.run("review", "approve", item).exit_code == ExitCode.OK
    assert towns(command_line) == ["Denver"]
    assert command_line.json("review", "list") == []


def test_a_rejected_change_leaves_what_was_kept(command_line: CommandLine) -> None:
    item = contradict(command_line)
    assert command_line.run("review", "reject", item, "--note", "a joke").exit_code == ExitCode.OK
    assert towns(command_line) == ["Boston"]
    assert command_line.run("review", "approve", item).exit_code == ExitCode.USAGE


def test_an_edited_change_is_kept_as_edited(command_line: CommandLine) -> None:
    item = contradict(command_line)
    assert item in command_line.run("review", "list").stdout
    assert command_line.run("review", "edit", item, "Salem").exit_code == ExitCode.OK
    assert towns(command_line) == ["Salem"]


def test_erasing_is_confirmed_first_and_complete_then(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "location", "Boston")
    assert command_line.run("forget", "u", "--everything").exit_code == ExitCode.USAGE
    assert towns(command_line) == ["Boston"]
    assert command_line.json("forget", "u", "--everything", "--yes")["counts"]
    assert command_line.json("list", "u") == []
    assert "Boston" not in command_line.run("export").stdout


def test_the_export_holds_everything_as_json_lines(command_line: CommandLine, tmp_path: Path) -> None:
    contradict(command_line)
    command_line.run("remember", "v", "location", "杭州")
    lines = [json.loads(line) for line in command_line.run("export").stdout.splitlines()]
    assert {line["type"] for line in lines} == {"entity", "memory", "question"}
    target = tmp_path / "v.jsonl"
    result = command_line.run("export", "--entity", "v", "-o", str(target))
    assert result.stdout == ""
    assert [json.loads(line)["type"] for line in target.read_text(encoding="utf-8").splitlines()] == [
        "entity",
        "memory",
    ]
    assert "杭州" in target.read_text(encoding="utf-8")


def test_the_doctor_finds_nothing_wrong_after_a_rebuild(command_line: CommandLine) -> None:
    command_line.run("remember", "u", "location", "Boston")
    assert command_line.json("reindex") == {"memories": 1}
    result = command_line.run("doctor", "--json")
    assert result.exit_code == ExitCode.OK
    assert {check["state"] for check in json.loads(result.stdout)} == {"ok"}


@pytest.mark.parametrize(
    "arguments", [["list", "u"], ["recall", "u"], ["review", "list"], ["export"], ["doctor"], ["reindex"]]
)
def test_a_command_that_only_looks_makes_no_store(command_line: CommandLine, arguments: list[str]) -> None:
    result = command_line.run(*arguments)
    assert result.exit_code == ExitCode.NOT_FOUND
    assert str(command_line.path) in result.stderr
    assert list(command_line.path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["remember", "u", "favourite_dinosaur", "rex"], ExitCode.USAGE, "favourite_dinosaur"),
        (["remember", "u", "--event", "x", "--at", "soon"], ExitCode.USAGE, "happened_at"),
        (["remember", "u", "--event", "x", "--type", "nap"], ExitCode.USAGE, "nap"),
        (["remember", " ", "location", "x"], ExitCode.USAGE, "entity_id"),
        (["remember", "u", "location"], ExitCode.USAGE, "VALUE"),
        (["remember", "u"], ExitCode.USAGE, "--event"),
        (["remember", "u", "--text", "x", "--config", "none.toml"], ExitCode.USAGE, "none.toml"),
    ],
)
def test_bad_input_is_one_sentence_that_names_it(
    command_line: CommandLine, arguments: list[str], code: ExitCode, named: str
) -> None:
    result = command_line.run(*arguments)
    assert result.exit_code == code
    assert named in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("arguments", [["show", "u", "x"], ["review", "approve", "x"], ["forget", "u", "x", "--yes"]])
def test_an_unknown_id_is_not_found(command_line: CommandLine, arguments: list[str]) -> None:
    command_line.run("remember", "u", "location", "Boston")
    assert command_line.run(*arguments).exit_code == ExitCode.NOT_FOUND


def test_a_store_that_is_in_use_says_who_holds_it(command_line: CommandLine) -> None:
    with EasyMemory(path=command_line.path):
        result = command_line.run("list", "u")
    assert result.exit_code == ExitCode.STORE
    assert "process" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_key_in_the_settings_is_never_shown(command_line: CommandLine, tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text('llm_api_key = "sk-very-secret"\ntop_k = 7\n', encoding="utf-8")
    for arguments in (["config", "show"], ["--json", "config", "show"]):
        shown = command_line.run(*arguments, "--config", str(config)).stdout
        assert "very-secret" not in shown
        assert "top_k" in shown
        assert "7" in shown


def test_an_interrupt_ends_the_command_with_the_shells_code(command_line: CommandLine) -> None:
    command = [sys.executable, "-m", "easy_data", "--path", str(command_line.path), "chat"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "/end" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED
    assert "Traceback" not in complaint
