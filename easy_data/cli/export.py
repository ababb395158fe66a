"""``easy-data export``: everything kept, one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from easy_data.cli.opening import opened
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import session_of
from easy_data.client.embedded import EasyMemory
from easy_data.schemas.errors import InputError

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def export(
    context: typer.Context,
    entity: Annotated[str | None, typer.Option("--entity", help="Only this entity.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file instead of standard output.")] = None,
) -> None:
    """Write memories with their evidence and history, and the questions that wait, as JSON lines."""
    with opened(session_of(context)) as memory:
        if output is None:
            for item in memory.export(entity):
                write_json(item)
            return
        try:
            number = _write(memory, entity, output.resolve())
        except OSError as error:
            raise InputError(f"{output} cannot be written ({error.strerror})", field="output") from None
    Output(stderr=True).print(f"{number} lines written to {output}")


def _write(memory: EasyMemory, entity: str | None, output: Path) -> int:
    """Write the lines and return their number. A file's name stands only for a whole export; a device is written to."""
    partial = output if output.exists() and not output.is_file() else output.with_name(f"{output.name}.partial")
    with partial.open("w", encoding="utf-8") as file:
        number = sum(1 for item in memory.export(entity) if file.write(json.dumps(item, ensure_ascii=False) + "\n"))
    if partial != output:
        partial.replace(output)
    return number
