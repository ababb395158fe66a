"""``easy-data status``: how much waits, for how long, and how fast it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from easy_data.cli.exit_codes import ExitCode
from easy_data.cli.opening import opened
from easy_data.cli.output import EMPTY, Output, table, write_json
from easy_data.cli.session import session_of
from easy_data.schemas.service_status import ServiceStatus

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def status(
    context: typer.Context,
    late: Annotated[
        float | None,
        typer.Option("--late", min=0, help="End with 1 when work that could be done waits longer: seconds."),
    ] = None,
) -> None:
    """Show the work that waits and the work that is done: queues, conversations, index, dead letters."""
    session = session_of(context)
    with opened(session) as memory:
        found = memory.status()
    if session.json:
        counts: dict[str, Any] = {"open": found.open, "dead_letters": found.dead_letters}
        write_json(found.model_dump(mode="json") | counts)
    else:
        Output().print(table(("what", "now"), _rows(found)))
    waits = max(found.oldest_due_seconds or 0.0, found.oldest_unindexed_seconds or 0.0)
    if late is not None and waits > late:
        typer.echo(f"the oldest waits for a worker for {waits:.0f} seconds", err=True)
        raise typer.Exit(ExitCode.FAILED)


def _rows(found: ServiceStatus) -> Iterator[tuple[str, str]]:
    if found.queues:
        away = "the broker does not answer"
        yield "queues", _counts({k: away if v is None else v for k, v in found.queues.items()}, every=True)
    yield "conversations", _counts(found.conversations, every=True)
    yield "ended as", _counts(found.outcomes)
    yield "waits for a worker", f"{found.due}{_since(found.oldest_due_seconds)}"
    yield "failed so far", _counts(found.postponed)
    yield "not settled", f"{found.open}{_since(found.oldest_open_seconds)}"
    yield "settled", f"{found.settled_last_minute} in the last minute, {found.settled_last_hour} in the last hour"
    yield "not indexed", f"{found.unindexed}{_since(found.oldest_unindexed_seconds)}"
    yield "dead letters", str(found.dead_letters)
    day = found.model_today
    if day.tokens or day.budget is not None:
        yield "model today", f"{day.tokens:,} tokens{_of(day.budget)}, cost {day.cost:.4g}"
    if day.over_budget:
        yield "read without it", f"{day.over_budget}, for the day's tokens are used up"


def _counts(counts: dict[Any, Any], *, every: bool = False) -> str:
    shown = [f"{name} {number}" for name, number in counts.items() if number or every]
    return ", ".join(shown) or EMPTY


def _of(budget: int | None) -> str:
    return "" if budget is None else f" of {budget:,}"


def _since(seconds: float | None) -> str:
    return "" if seconds is None else f", the oldest for {seconds:.0f} s"
