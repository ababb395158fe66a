"""``easy-data review``: the changes that wait for a person."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.padding import Padding

from easy_data.cli.opening import opened
from easy_data.cli.output import EMPTY, Output, moment, write_json
from easy_data.cli.session import session_of
from easy_data.schemas.review import Decision

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Decide on the changes that wait.",
)

ItemId = Annotated[str, typer.Argument(help="The item's id, as `review list` shows it.")]
By = Annotated[str, typer.Option("--by", help="Who decides.")]
Note = Annotated[str, typer.Option("--note", help="Why.")]


@app.command("list")
def list_(
    context: typer.Context,
    entity: Annotated[str | None, typer.Argument(help="Only this entity.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many.")] = 200,
) -> None:
    """List what waits, the oldest first."""
    session = session_of(context)
    with opened(session) as memory:
        items = memory.pending_review(entity, limit=limit)
    if session.json:
        write_json(items)
        return
    output = Output()
    for item in items:
        output.print(f"{item.id}  {item.entity_id}, {item.reason}, {moment(item.created_at)}", style="bold")
        # What an application wrote itself rests on no words of the user.
        output.print(Padding(f"{item.question}\n← {item.quote}" if item.quote else item.question, (0, 0, 0, 2)))
    if not items:
        output.print(EMPTY)


@app.command()
def approve(context: typer.Context, item_id: ItemId, by: By = "reviewer", note: Note = "") -> None:
    """Apply a change as it is proposed."""
    _decide(context, item_id, "approve", by=by, note=note)


@app.command()
def edit(
    context: typer.Context,
    item_id: ItemId,
    value: Annotated[str, typer.Argument(help="What it should say.")],
    by: By = "reviewer",
    note: Note = "",
) -> None:
    """Apply a change with another value."""
    _decide(context, item_id, "edit", value=value, by=by, note=note)


@app.command()
def reject(context: typer.Context, item_id: ItemId, by: By = "reviewer", note: Note = "") -> None:
    """Drop a change; what is kept stays as it is."""
    _decide(context, item_id, "reject", by=by, note=note)


def _decide(
    context: typer.Context, item_id: str, decision: Decision, *, by: str, note: str, value: str | None = None
) -> None:
    session = session_of(context)
    with opened(session) as memory:
        written = memory.review(item_id, decision, value=value, by=by, note=note)
    if session.json:
        write_json(written)
    else:
        Output().print(f"{written.fate.value}: memory {written.memory_id}" if written.memory_id else written.fate.value)
