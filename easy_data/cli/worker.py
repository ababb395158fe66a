"""``easy-data worker``: a process of the service that works its queues off."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import log_to_standard_error, settings_of
from easy_data.cli.output import write_json
from easy_data.cli.session import session_of
from easy_data.pipeline.runtime import service_part

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def worker(
    context: typer.Context,
    queues: Annotated[
        str, typer.Option("--queues", help="Only these, separated by commas: extract, index, maintain, write.")
    ] = "",
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Processes; without it, one for each CPU.")
    ] = None,
) -> None:
    """Work the queues off until SIGTERM, which lets each process finish what it is at.

    It does not start on a broker that throws messages away when it is full, nor without its database.
    """
    session = session_of(context)
    log_to_standard_error()
    settings = settings_of(session)
    names = [name for name in (each.strip() for each in queues.split(",")) if name]

    def ready() -> None:
        said: dict[str, Any] = {"ready": True, "queues": names or "all", "concurrency": concurrency}
        if session.json:
            write_json(said)
        else:
            typer.echo(f"worker ready, queues: {', '.join(names) or 'all'}", err=True)

    code = service_part("easy_data.workers.starting").run_worker(
        settings, queues=names, concurrency=concurrency, ready=ready
    )
    if code:
        raise typer.Exit(ExitCode.FAILED)
