"""``easy-data rescan``: today's rules for secrets, over what was kept before."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import Progress

from easy_data.cli.opening import opened
from easy_data.cli.output import Output, table, write_json
from easy_data.cli.session import session_of

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def rescan(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing, say what would be done.")] = False,
) -> None:
    """Look for secrets in everything that is kept, and take them out.

    A memory that is a secret is erased; elsewhere a mark takes the secret's place. A second run finds nothing.
    """
    session = session_of(context)
    errors = Output(stderr=True)
    with (
        opened(session) as memory,
        Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress,
    ):
        task = progress.add_task("looking for secrets", total=None)
        found = memory.rescan(
            dry_run=dry_run, progress=lambda done, total: progress.update(task, completed=done, total=total)
        )
    if session.json:
        write_json({"dry_run": dry_run, "found": found})
        return
    output = Output()
    if not found:
        output.print("no secrets found")
        return
    output.print(table(("rows", "with a secret"), [(name, str(number)) for name, number in sorted(found.items())]))
    output.print("nothing was changed" if dry_run else "taken out")
