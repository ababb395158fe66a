"""``easy-data maintain``: the jobs of the local days and months that have ended."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from easy_data.cli.opening import opened
from easy_data.cli.output import EMPTY, Output, table, write_json
from easy_data.cli.session import session_of

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def maintain(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing, say what would be done.")] = False,
    now: Annotated[
        str | None, typer.Option("--now", help="Take this for the present: ISO 8601 with an offset.")
    ] = None,
    entity: Annotated[str | None, typer.Option("--entity", help="Only this entity; nothing is purged then.")] = None,
) -> None:
    """Roll old events, merge facts that say the same, archive finished matters, purge what is past its time.

    Each job runs once for each local day or month of an entity: running this again changes nothing.
    """
    session = session_of(context)
    moment = _instant(now) if now is not None else None
    with opened(session) as memory:
        report = memory.maintain(now=moment, dry_run=dry_run, entity_id=entity)
    if session.json:
        write_json(report)
        return
    output = Output()
    if report.runs:
        rows = [(run.entity_id, run.job.value, run.window, _said(run.counts)) for run in report.runs]
        output.print(table(("entity", "job", "window", "changed"), rows))
    windows = "would be run" if dry_run else "run"
    purged = "would be purged" if dry_run else "purged"
    output.print(f"{report.windows} windows {windows}: {_said(report.counts)}")
    output.print(f"{purged}: {_said(report.purged)}")


def _said(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or EMPTY


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("must be ISO 8601, such as 2026-05-01T00:00+08:00") from None
