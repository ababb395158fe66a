from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from easy_data.cli.exit_codes import ExitCode
from tests.fixtures.command_line import CommandLine


def conversation(text: str, **fields: Any) -> str:
    return json.dumps({"messages": [{"role": "user", "content": text}]} | fields, ensure_ascii=False)


def written(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_file_read_twice_changes_memory_once(command_line: CommandLine, tmp_path: Path) -> None:
    lines = [conversation("我住在杭州", entity_id="u"), conversation("I live in Boston", user_id="v")]
    file = written(tmp_path / "talks.jsonl", *lines)
    first, again = command_line.json("ingest", file), command_line.json("ingest", file)
    assert (first["accepted"], first["duplicates"], first["fates"]) == (2, 0, {"written": 2})
    assert (again["accepted"], again["duplicates"], again["fates"]) == (0, 2, {})
    assert [r["attr_value"] for r in command_line.json("list", "u")] == ["杭州"]


def test_a_longer_file_goes_on_where_the_shorter_one_ended(command_line: CommandLine, tmp_path: Path) -> None:
    lines = [conversation(f"I live in {town}", entity_id=town) for town in ("Boston", "Denver", "Salem")]
    command_line.run("ingest", written(tmp_path / "a.jsonl", *lines[:2]))
    rest = command_line.json("ingest", written(tmp_path / "b.jsonl", *lines))
    assert (rest["accepted"], rest["duplicates"]) == (1, 2)


def test_bad_lines_are_named_and_never_stop_the_others(command_line: CommandLine, tmp_path: Path) -> None:
    file = written(
        tmp_path / "mixed.jsonl",
        "{broken",
        conversation("I live in Boston", entity_id="u"),
        conversation("hello", entity_id="u", time_zone="Mars/Base"),
        conversation("hello", entity_id=7),
        conversation("hello", entity_id="u", ended_at="whenever"),
        conversation("hello"),
        conversation("我不吃香菜", entity_id="u"),
    )
    result = command_line.run("ingest", file)
    assert result.exit_code == ExitCode.FAILED
    for number, field in ((1, "JSON"), (3, "time_zone"), (4, "entity_id"), (5, "ended_at"), (6, "--entity")):
        assert any(line.startswith(f"line {number}: ") and field in line for line in result.stderr.splitlines())
    assert {r["attr_value"] for r in command_line.json("list", "u")} == {"Boston", "不吃香菜"}


def test_a_taken_id_with_another_body_is_refused(command_line: CommandLine, tmp_path: Path) -> None:
    lines = [conversation(text, entity_id="u", conversation_id="c") for text in ("I live in Boston", "Something else")]
    report = command_line.json("ingest", written(tmp_path / "talks.jsonl", *lines))
    assert report["accepted"] == 1
    assert [problem["line"] for problem in report["problems"]] == [2]


def test_chat_lines_are_read_from_standard_input(command_line: CommandLine) -> None:
    lines = "\n".join([conversation("I live in Boston"), conversation("nice weather")])
    report = command_line.json("ingest", "-", "--entity", "me", stdin=lines)
    assert (report["accepted"], report["outcomes"]) == (2, {"written": 1, "empty": 1})
    assert [r["attr_value"] for r in command_line.json("list", "me")] == ["Boston"]


def test_the_zone_of_a_conversation_places_its_events(command_line: CommandLine, tmp_path: Path) -> None:
    said = conversation(
        "昨天我把年度总结交上去了", entity_id="u", ended_at="2026-03-03T21:30:00+08:00", timezone="Asia/Shanghai"
    )
    command_line.run("ingest", written(tmp_path / "talk.json", f"[{said}]"))
    (event,) = command_line.json("list", "u", "--bucket", "event")
    assert event["happened_at"] == "2026-03-01T16:00:00Z"


def test_what_is_accepted_without_waiting_is_settled_by_the_next_command(
    command_line: CommandLine, tmp_path: Path
) -> None:
    lines = [conversation(f"I live in {town}", entity_id=town) for town in ("Boston", "Denver")]
    file = written(tmp_path / "talks.jsonl", *lines)
    accepted = command_line.json("ingest", file, "--no-wait")
    assert (accepted["accepted"], accepted["outcomes"]) == (2, {})
    assert command_line.json("ingest", file)["duplicates"] == 2
    assert [r["attr_value"] for r in command_line.json("list", "Denver")] == ["Denver"]


def test_the_summary_for_people_counts_what_became_of_it(command_line: CommandLine, tmp_path: Path) -> None:
    file = written(tmp_path / "talks.jsonl", conversation("My phone number is 415-555-0134", entity_id="u"))
    result = command_line.run("ingest", file)
    assert result.exit_code == ExitCode.OK
    assert "accepted" in result.stdout
    assert "candidates: rejected: sensitive" in result.stdout


def test_a_file_that_is_not_there_is_a_usage_error(command_line: CommandLine, tmp_path: Path) -> None:
    result = command_line.run("ingest", str(tmp_path / "none.jsonl"))
    assert result.exit_code == ExitCode.USAGE
    assert "none.jsonl" in result.stderr
