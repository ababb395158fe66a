from __future__ import annotations

from pathlib import Path

import pytest

from easy_data.cli.settings_reference import main, settings_table
from easy_data.schemas.settings import Settings


def test_every_setting_has_a_row_with_its_variable_and_meaning() -> None:
    rows = settings_table().splitlines()[2:]
    assert len(rows) == len(Settings.model_fields)
    for row, (name, field) in zip(rows, Settings.model_fields.items(), strict=True):
        assert row.startswith(f"| `{name}` | `EASY_DATA_{name.upper()}` |")
        assert field.description is not None
        assert field.description in row


def test_defaults_are_written_as_a_settings_file_writes_them() -> None:
    table = settings_table()
    assert "| `auto_extract` | `EASY_DATA_AUTO_EXTRACT` | `true` |" in table
    assert "| `llm_model` | `EASY_DATA_LLM_MODEL` | unset |" in table


def test_a_page_that_holds_the_table_passes_and_an_old_one_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "settings.md"
    page.write_text(f"# Settings\n\n{settings_table()}\nThe end.\n", encoding="utf-8")
    assert main(["--check", str(page)]) == 0
    page.write_text(page.read_text(encoding="utf-8").replace("`true`", "`false`"), encoding="utf-8")
    assert main(["--check", str(page)]) == 1
    assert str(page) in capsys.readouterr().err


def test_anything_else_is_a_usage_error() -> None:
    assert main(["--chekc"]) == 2
