"""``easy-data reindex``: the vector index anew, from the rows."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import Progress

from easy_data.cli.opening import opened
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import session_of

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def reindex(
    context: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Write only what differs from the rows.")] = False,
) -> None:
    """Rebuild the vector index from the rows; nothing but time is lost when it breaks.

    In the service recall works meanwhile, and an index of another embedding model is changed to that of the settings.
    """
    session = session_of(context)
    errors = Output(stderr=True)
    with (
        opened(session) as memory,
        Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress,
    ):
        task = progress.add_task("indexing", total=None)
        number = memory.reindex(
            repair=repair, progress=lambda done, total: progress.update(task, completed=done, total=total)
        )
    if session.json:
        write_json({"memories": number})
    else:
        Output().print(f"{number} memories indexed")
