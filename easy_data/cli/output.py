"""Where a command writes: results to standard output, everything else to standard error. Text is data, never markup."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime, tzinfo
from typing import IO, Any

from pydantic import BaseModel
from rich import box
from rich.console import Console
from rich.table import Table

EMPTY = "(nothing)"
# What a file or a pipe gets, in columns.
WIDTH = 120
_WHOLE = ("id",)  # columns that are copied from, so their cells are never broken


class Output(Console):
    """A console that shows text as it is and lets a closed pipe be seen by its caller."""

    def __init__(self, *, stderr: bool = False, file: IO[str] | None = None) -> None:
        super().__init__(stderr=stderr, file=file, markup=False, highlight=False, emoji=False)
        if not self.is_terminal:
            self.width = max(self.width, WIDTH)

    def on_broken_pipe(self) -> None:
        """Leave the closed pipe to the caller, who ends the process quietly."""
        raise BrokenPipeError


def plain(value: object) -> Any:
    """Return a result as JSON can hold it: records, dataclasses and lists of them."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def write_json(value: object) -> None:
    """Write one JSON document on one line of standard output."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> Table:
    """Return a table of plain texts whose long cells go on in further lines."""
    made = Table(title=title, title_justify="left", header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        made.add_column(name, overflow="fold", no_wrap=name in _WHOLE)
    for row in rows:
        made.add_row(*("" if cell is None else str(cell) for cell in row))
    return made


def moment(instant: datetime | None, zone: tzinfo = UTC) -> str:
    """Return an instant to the minute in a zone, with its offset; empty for None."""
    if instant is None:
        return ""
    local = instant.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M}Z" if zone is UTC else f"{local:%Y-%m-%d %H:%M%z}"
