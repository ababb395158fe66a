"""``easy-data migrate-store``: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from easy_data.cli.exit_codes import ExitCode
from tests.fixtures.command_line import CommandLine


@pytest.fixture
def store(command_line: CommandLine) -> str:
    """A store with one fact in it."""
    assert command_line.run("remember", "ann", "location", "奥斯陆").exit_code == 0
    return f"sqlite:///{command_line.path}"


def test_a_store_is_moved_and_the_next_run_says_that_it_was(
    command_line: CommandLine, store: str, postgresql_url: str, tmp_path: Path
) -> None:
    target = f"sqlite:///{tmp_path / 'target.db'}"
    result = command_line.run("migrate-store", "--from", store, "--to", target)
    assert result.exit_code == 0
    assert "profile_facts" in result.stdout
    assert "moved and verified" in result.stdout
    assert "1 memories wait for the index" in result.stdout
    moved = json.loads(command_line.run("migrate-store", "--from", store, "--to", postgresql_url, "--json").stdout)
    assert (moved["tenants"], moved["to_index"], moved["already"]) == (["default"], 1, False)
    assert moved["rows"]["profile_facts"] == 1
    again = command_line.run("migrate-store", "--from", store, "--to", target)
    assert (again.exit_code, "nothing was done" in " ".join(again.stdout.split())) == (0, True)
    found = CommandLine(tmp_path / "target.db").run("list", "ann")
    assert "奥斯陆" in found.stdout


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("mysql://u:hunter2@h/d", ExitCode.USAGE),
        ("postgresql://u:hunter2@127.0.0.1:1/d", ExitCode.STORE),
        ("sqlite:////no/such/folder/x.db", ExitCode.NOT_FOUND),
    ],
)
def test_a_target_that_is_wrong_is_named_without_its_password(
    command_line: CommandLine, store: str, target: str, code: ExitCode
) -> None:
    result = command_line.run("migrate-store", "--from", store, "--to", target)
    assert result.exit_code == code
    assert result.stderr.count("\n") == 1
    assert "hunter2" not in result.output
