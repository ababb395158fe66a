"""``easy-data ingest``: conversations from a file. Repeating it changes nothing, so a broken run is just run again."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from easy_data.cli.conversation_file import Entry, read_conversations
from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import opened
from easy_data.cli.output import Output, table, write_json
from easy_data.cli.session import session_of
from easy_data.cli.settling import settled
from easy_data.client.embedded import EasyMemory
from easy_data.client.receipt import Receipt
from easy_data.schemas.errors import InputError
from easy_data.schemas.receipts import Outcome

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

SHOWN_PROBLEMS = 20


@dataclass
class Tally:
    """What became of the conversations of a file."""

    receipts: list[Receipt] = field(default_factory=list)
    duplicates: int = 0
    problems: list[tuple[int, str]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    fates: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, object]:
        """Return the counts, and each refused line with its reason."""
        return {
            "accepted": len(self.receipts) - self.duplicates,
            "duplicates": self.duplicates,
            "refused": len(self.problems),
            "outcomes": dict(self.outcomes),
            "fates": dict(self.fates),
            "notes": dict(self.notes),
            "problems": [{"line": line, "reason": reason} for line, reason in self.problems],
        }


@app.command()
def ingest(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="JSON lines or a JSON array; - is standard input.")],
    entity: Annotated[str | None, typer.Option("--entity", help="Whose, where a conversation names nobody.")] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Return as soon as all is accepted.")] = False,
) -> None:
    """Accept every conversation of a file, wait until all are settled, and say what became of them.

    A conversation is an object {"entity_id" or "user_id", "messages", "conversation_id", "ended_at", "time_zone",
    "language"}; only the messages are needed when --entity is given. Lines that were accepted before are duplicates.
    """
    session = session_of(context)
    tally = Tally()
    errors = Output(stderr=True)
    with _binary(file) as source, opened(session, create=True) as memory, _progress(errors) as progress:
        _accept_all(memory, source, entity, tally, progress)
        if not no_wait:
            _wait_for_all(tally, progress)
    if session.json:
        write_json(tally.as_json())
    else:
        _print(tally, Output(), waited=not no_wait)
    for line, reason in tally.problems[:SHOWN_PROBLEMS]:
        errors.print(f"line {line}: {reason}")
    if len(tally.problems) > SHOWN_PROBLEMS:
        errors.print(f"... and {len(tally.problems) - SHOWN_PROBLEMS} more; --json lists all")
    if tally.problems or tally.outcomes[Outcome.DEAD_LETTER]:
        raise typer.Exit(ExitCode.FAILED)


@contextmanager
def _binary(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        source = Path(name).open("rb")  # noqa: SIM115 - closed below; only the opening may fail here
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror})", field="file") from None
    with source:
        yield source


def _progress(errors: Output) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeRemainingColumn(), console=errors, transient=True, disable=not errors.is_terminal)


def _accept_all(memory: EasyMemory, source: BinaryIO, entity: str | None, tally: Tally, progress: Progress) -> None:
    size = os.fstat(source.fileno()).st_size if source is not sys.stdin.buffer else 0
    reading = progress.add_task("reading", total=size or None)
    for entry in read_conversations(source, entity=entity, passed=lambda read: progress.advance(reading, read)):
        _accept(memory, entry, tally)
    progress.remove_task(reading)


def _accept(memory: EasyMemory, entry: Entry, tally: Tally) -> None:
    if entry.problem:
        tally.problems.append((entry.number, entry.problem))
        return
    try:
        receipt = memory.end_conversation(source="ingest", **entry.fields)
    except InputError as error:
        tally.problems.append((entry.number, str(error)))
        return
    tally.receipts.append(receipt)
    tally.duplicates += receipt.duplicate


def _wait_for_all(tally: Tally, progress: Progress) -> None:
    task = progress.add_task("settling", total=len(tally.receipts))
    for receipt in tally.receipts:
        status = settled(receipt)
        progress.advance(task)
        if receipt.duplicate:
            continue
        tally.outcomes[status.outcome or status.state] += 1
        tally.notes.update(status.notes)
        for fate in status.fates:
            tally.fates[f"{fate.fate.value}: {fate.reason}" if fate.reason else fate.fate.value] += 1


def _print(tally: Tally, output: Output, *, waited: bool) -> None:
    counts = tally.as_json()
    rows: list[tuple[str, object]] = [(name, counts[name]) for name in ("accepted", "duplicates", "refused")]
    rows += [(f"conversations: {name}", number) for name, number in sorted(tally.outcomes.items())]
    rows += [(f"candidates: {name}", number) for name, number in sorted(tally.fates.items())]
    rows += [(f"changed on the way in: {name}", number) for name, number in sorted(tally.notes.items())]
    output.print(table(("conversations and what they brought", "number"), rows))
    if not waited:
        output.print("They are safe; the next command that opens this store goes on with them.")
