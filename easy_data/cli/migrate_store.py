"""``easy-data migrate-store``: a whole store into another database, from the embedded file to the service or back."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from easy_data.cli.opening import log_to_standard_error
from easy_data.cli.output import Output, table, write_json
from easy_data.cli.session import session_of
from easy_data.pipeline.moving import Moved, move_store
from easy_data.providers.clock import SystemClock

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(name="migrate-store")
def migrate_store(
    context: typer.Context,
    source: Annotated[
        str, typer.Option("--from", help="The store: sqlite:///FILE or postgresql://USER@HOST/DATABASE.")
    ],
    target: Annotated[str, typer.Option("--to", help="An empty database; written the same way.")],
    tenant: Annotated[
        list[str] | None, typer.Option("--tenant", help="Only this tenant; may be repeated. Default: all.")
    ] = None,
) -> None:
    """Move everything a store holds into another database, and verify that it arrived.

    Neither may be in use. When it is stopped, the same command goes on; the source is left as it is. A password may
    stand in ~/.pgpass or PGPASSWORD instead of on the command line. The vector index is filled anew from the target.
    """
    session = session_of(context)
    log_to_standard_error()
    errors = Output(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=errors, transient=True, disable=not errors.is_terminal
    ) as progress:
        task = progress.add_task("opening", total=None)
        moved = move_store(
            source,
            target,
            clock=SystemClock(),
            tenants=tenant or (),
            progress=lambda phase, done, total: progress.update(task, description=phase, completed=done, total=total),
        )
    if session.json:
        write_json(moved)
    else:
        _print(moved, Output())


def _print(moved: Moved, output: Output) -> None:
    output.print(table(("table", "rows"), moved.rows.items()))
    if moved.already:
        output.print(f"{moved.target} holds all of this already; nothing was done")
        return
    output.print(f"{'resumed, ' if moved.resumed else ''}moved and verified: {moved.source} to {moved.target}")
    output.print(f"{moved.to_index} memories wait for the index; workers, or the next who opens the store, fill it")
