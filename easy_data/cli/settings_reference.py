"""The table of ``docs/settings.md``: ``python -m easy_data.cli.settings_reference [--check docs/settings.md]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from easy_data.cli.exit_codes import ExitCode
from easy_data.schemas.settings import PREFIX, Settings


def settings_table() -> str:
    """Return a Markdown table of every setting: name, variable, default and meaning."""
    lines = ["| setting | variable | default | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = _shown(field.default)
        lines.append(f"| `{name}` | `{PREFIX}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def _shown(default: object) -> str:
    """Return a default as a settings file writes it."""
    if default is None:
        return "unset"
    if isinstance(default, tuple):
        return f"`{','.join(default)}`"
    return f"`{json.dumps(default)}`" if isinstance(default, bool | int | float) else f"`{default}`"


def main(arguments: list[str]) -> int:
    """Print the table, or with ``--check FILE`` tell if the file holds it; return the exit code."""
    match arguments:
        case []:
            sys.stdout.write(settings_table())
            return ExitCode.OK
        case ["--check", file]:
            if settings_table() in Path(file).read_text(encoding="utf-8"):
                return ExitCode.OK
            sys.stderr.write(f"{file} does not hold the table that this command prints\n")
            return ExitCode.FAILED
        case _:
            sys.stderr.write("usage: python -m easy_data.cli.settings_reference [--check FILE]\n")
            return ExitCode.USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
