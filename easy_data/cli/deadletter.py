"""``easy-data deadletter``: the conversations that could not be processed."""

from __future__ import annotations

from typing import Annotated

import typer

from easy_data.cli.fates import fates_table
from easy_data.cli.opening import opened, settings_of
from easy_data.cli.output import EMPTY, Output, moment, table, write_json
from easy_data.cli.session import session_of

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Conversations that could not be processed: list, show, replay.",
)

ReceiptId = Annotated[str, typer.Argument(help="The receipt, as `deadletter list` shows it.")]
# In a store without workers the replayed conversations are read before the command ends.
WAIT_SECONDS = 600.0


@app.command("list")
def listing(
    context: typer.Context, limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 100
) -> None:
    """List the conversations that could not be processed, the newest first."""
    session = session_of(context)
    with opened(session) as memory:
        letters = memory.dead_letters(limit=limit)
    if session.json:
        write_json(letters)
    elif not letters:
        Output().print(EMPTY)
    else:
        rows = [(d.receipt_id, d.entity_id, d.conversation_id, moment(d.received_at), d.reason) for d in letters]
        Output().print(table(("id", "entity", "conversation", "received", "reason"), rows))


@app.command()
def show(context: typer.Context, receipt_id: ReceiptId) -> None:
    """Show one: its reason, its attempts, and what had been found in it."""
    session = session_of(context)
    with opened(session) as memory:
        letter = memory.dead_letter(receipt_id)
    if session.json:
        write_json(letter)
        return
    output = Output()
    names = ("receipt_id", "entity_id", "conversation_id", "revision", "received_at", "attempts", "reason")
    output.print(table(("what", "found"), [(name, getattr(letter, name)) for name in names]))
    output.print(fates_table(letter.fates, title="fates") if letter.fates else EMPTY)


@app.command()
def replay(
    context: typer.Context,
    receipt_id: Annotated[str | None, typer.Argument(help="The receipt, as `deadletter list` shows it.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Replay all there are now.")] = False,
) -> None:
    """Process one again from the start, or all; when its cause is not gone, it comes back here."""
    if (receipt_id is None) != every:
        raise typer.BadParameter("name one receipt, or --all")
    session = session_of(context)
    with opened(session) as memory:
        replayed = [memory.replay(receipt_id).id] if receipt_id is not None else memory.replay_all()
        if settings_of(session).backend == "sqlite" and replayed:
            memory.flush(WAIT_SECONDS)
    if session.json:
        write_json({"replayed": replayed})
    else:
        Output().print(f"{len(replayed)} replayed")
