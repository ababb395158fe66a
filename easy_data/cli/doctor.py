"""``easy-data doctor``: looks at every part."""

from __future__ import annotations

import typer

from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import opened, settings_of
from easy_data.cli.output import Output, table, write_json
from easy_data.cli.session import Session, session_of
from easy_data.pipeline.connections import check_connections
from easy_data.providers.clock import SystemClock
from easy_data.schemas.errors import StoreError
from easy_data.schemas.insight import Check

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def doctor(context: typer.Context) -> None:
    """Look at every part; ends with 1 when one of them is in error. A chat model is asked one small question."""
    session = session_of(context)
    checks = _checks(session)
    if session.json:
        write_json(checks)
    else:
        rows = ((check.state, check.name, check.found, check.remedy) for check in checks)
        Output().print(table(("state", "part", "found", "remedy"), rows))
    if any(check.state == "error" for check in checks):
        raise typer.Exit(ExitCode.FAILED)


def _checks(session: Session) -> list[Check]:
    try:
        with opened(session) as memory:
            return memory.diagnose()
    except StoreError as error:
        settings = settings_of(session)
        if settings.backend == "sqlite":
            raise
        # Without the database there is no service; which of its servers are there can still be said.
        checks = check_connections(settings, SystemClock())
        if all(check.state != "error" for check in checks):
            checks.append(Check(name="service", state="error", found=str(error), remedy="see what it says"))
        return checks
