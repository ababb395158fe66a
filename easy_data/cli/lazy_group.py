"""A group of commands that loads a command's module only when that command runs."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from easy_data.cli.exit_codes import ExitCode, code_of
from easy_data.schemas.errors import EasyDataError

if TYPE_CHECKING:
    from typer._click import Command, Context

PACKAGE = "easy_data.cli"

# name, module, what `easy-data --help` says of it
COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("demo", "demo", "Play a short story and check each thing it shows."),
    ("chat", "chat", "Talk to your memory: see what is recalled and what is learned."),
    ("ingest", "ingest", "Read conversations from a JSON or JSON lines file."),
    ("remember", "remember", "Write a fact, an event or a sentence."),
    ("recall", "recall", "Show what memory has to say to a query."),
    ("review", "review", "Decide on the changes that wait: list, approve, edit, reject."),
    ("list", "listing", "List what is kept about an entity."),
    ("show", "show", "Show one memory: evidence, history, fates, uses."),
    ("forget", "forget", "Erase a memory, a conversation or everything about an entity."),
    ("export", "export", "Write everything kept as JSON lines."),
    ("maintain", "maintain", "Run the jobs of the days and months that have ended."),
    ("status", "status", "Show how much waits, for how long, and how fast it goes on."),
    ("deadletter", "deadletter", "Conversations that could not be processed: list, show, replay."),
    ("reindex", "reindex", "Rebuild the vector index from the rows."),
    ("rescan", "rescan", "Take out secrets that older rules kept."),
    ("doctor", "doctor", "Look at every part and say what is wrong."),
    ("dev", "dev", "Run the whole service on this machine."),
    ("worker", "worker", "Work the service's queues off."),
    ("beat", "beat", "Ask the workers each minute for what is due."),
    ("sweep", "sweep", "Wake the workers once for everything that is due."),
    ("db", "db", "Look at the database's schema, or upgrade it."),
    ("migrate-store", "migrate_store", "Move a store into another database: SQLite to PostgreSQL, or back."),
    ("config", "config", "Show the settings and the attributes."),
)
_MODULES = {name: module for name, module, _ in COMMANDS}


class LazyGroup(TyperGroup):
    """Lists commands from a table, loads one on use, takes its own options anywhere, and turns errors into codes."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, _, text in COMMANDS:
            self.add_command(TyperCommand(name, help=text))

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Take the group's own options from wherever they stand."""
        return super().parse_args(ctx, self._own_options_first(args))

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Return the command that ``args`` name, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in _MODULES:
            command = get_command(importlib.import_module(f"{PACKAGE}.{_MODULES[name]}").app)
        return name, command, rest

    def invoke(self, ctx: Context) -> Any:
        """Run the command; what goes wrong in the expected ways becomes one sentence and an exit code."""
        try:
            return super().invoke(ctx)
        except (EasyDataError, TimeoutError) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(code_of(error)) from None
        except BrokenPipeError:
            # Nobody reads on; the interpreter must not try to write the rest when it ends.
            sys.stdout = sys.stderr
            raise typer.Exit(ExitCode.CLOSED_PIPE) from None

    def _own_options_first(self, args: list[str]) -> list[str]:
        takes_value = {name: not getattr(p, "is_flag", False) for p in self.params for name in p.opts}
        mine: list[str] = []
        others: list[str] = []
        rest = iter(args)
        for arg in rest:
            name, equals, _ = arg.partition("=")
            if arg == "--":
                return [*mine, *others, arg, *rest]
            if name not in takes_value:
                others.append(arg)
                continue
            mine.append(arg)
            if takes_value[name] and not equals:
                mine += [value for value in [next(rest, None)] if value is not None]
        return [*mine, *others]
