"""``easy-data doctor``: looks at every part."""

from __future__ import annotations

import typer

from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import opened
from easy_data.cli.output import Output, table, write_json
from easy_data.cli.session import session_of

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def doctor(context: typer.Context) -> None:
    """Look at every part; ends with 1 when one of them is in error."""
    session = session_of(context)
    with opened(session) as memory:
        checks = memory.diagnose()
    if session.json:
        write_json(checks)
    else:
        rows = ((check.state, check.name, check.found, check.remedy) for check in checks)
        Output().print(table(("state", "part", "found", "remedy"), rows))
    if any(check.state == "error" for check in checks):
        raise typer.Exit(ExitCode.FAILED)
