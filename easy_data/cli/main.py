"""``easy-data``: the entry of the command line. Starts quickly, because it imports no part of the memory itself."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from easy_data import __version__
from easy_data.cli.exit_codes import explained
from easy_data.cli.lazy_group import LazyGroup
from easy_data.cli.session import Session

app = typer.Typer(
    name="easy-data",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich would double the time that --help takes
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"\b\n{explained()}",  # \b: leave the lines as they are
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"easy-data {__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    json: Annotated[
        bool, typer.Option("--json", help="Write JSON to standard output, everything else to standard error.")
    ] = False,
    path: Annotated[Path | None, typer.Option("--path", help="The store's SQLite file.", dir_okay=False)] = None,
    config: Annotated[Path | None, typer.Option("--config", help="A TOML file with settings.", dir_okay=False)] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Long-term memory for AI agents, kept as data you can read, test, correct and erase.

    These options may stand before or after the command.
    """
    del version
    context.obj = Session(json=json, path=path, config=config)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character gets its code, never a traceback.
            stream.reconfigure(errors="backslashreplace")
    app()
