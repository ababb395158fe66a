from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.main import app
from easy_data.cli.output import Output
from easy_data.cli.player import play
from easy_data.cli.stage import Stage
from easy_data.cli.story import Check, load_story


def test_everything_the_demo_shows_is_right_in_both_languages() -> None:
    result = CliRunner().invoke(app, ["demo", "--json"])
    report = json.loads(result.stdout)
    assert [check for check in report["checks"] if not check["ok"]] == []
    assert (result.exit_code, report["ok"]) == (ExitCode.OK, True)
    assert {check["language"] for check in report["checks"]} == {"zh", "en"}


@pytest.mark.usefixtures("command_line")
def test_the_demo_plays_on_the_defaults_whatever_is_set_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EASY_DATA_REVIEW_FLOOR", "1")
    monkeypatch.setenv("EASY_DATA_CONFIDENCE_THRESHOLD", "1")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["demo", "--language", "en"])
    assert result.exit_code == ExitCode.OK
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert list(tmp_path.iterdir()) == []


def test_the_demo_fails_when_something_it_shows_is_not_so() -> None:
    story = load_story("en")
    first = story.scenes[0]
    wrong = Check(name="an elephant is kept", holds="kept", kind="milestone", text="elephant")
    checked = play(
        story.model_copy(update={"scenes": (first.model_copy(update={"checks": (*first.checks, wrong)}),)}),
        Stage(story, Output(file=io.StringIO())),
    )
    assert [check.name for check in checked if not check.ok] == ["an elephant is kept"]
