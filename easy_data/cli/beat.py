"""``easy-data beat``: the service's clock, one tick a minute."""

from __future__ import annotations

import typer

from easy_data.cli.opening import log_to_standard_error, settings_of
from easy_data.cli.output import write_json
from easy_data.cli.session import session_of
from easy_data.pipeline.runtime import service_part

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def beat(context: typer.Context) -> None:
    """Ask the workers once a minute for what is due, until SIGTERM; two of it, or none for days, do no harm."""
    session = session_of(context)
    log_to_standard_error()

    def ready() -> None:
        if session.json:
            write_json({"ready": True})
        else:
            typer.echo("beat ready", err=True)

    service_part("easy_data.workers.starting").run_beat(settings_of(session), ready=ready)
