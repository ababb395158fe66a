"""``easy-data sweep``: one tick of the sweeper, for those who have a scheduler of their own."""

from __future__ import annotations

import typer

from easy_data.cli.opening import opened
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import session_of

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def sweep(context: typer.Context) -> None:
    """Wake the workers for everything that is due, as beat does each minute; without a service there are none."""
    session = session_of(context)
    with opened(session) as memory:
        number = memory.sweep()
    if session.json:
        write_json({"due": number})
    else:
        Output().print(f"{number} due")
