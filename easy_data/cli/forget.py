"""``easy-data forget``: erase, effective when the command returns."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from easy_data.cli.opening import opened
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import session_of

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def forget(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Whose memory.")],
    memory_id: Annotated[str | None, typer.Argument(help="The memory to erase.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", help="Erase what this one brought.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Erase all there is about the entity.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase one memory, what one conversation brought, or everything about an entity. This cannot be undone."""
    if [memory_id is not None, conversation is not None, everything].count(True) != 1:
        raise typer.BadParameter("give a MEMORY_ID, or --conversation, or --everything")
    if not yes:
        if not sys.stdin.isatty():
            raise typer.BadParameter("erasing cannot be undone; confirm with --yes")
        typer.confirm("Erase it? This cannot be undone.", abort=True, err=True)
    session = session_of(context)
    with opened(session) as memory:
        receipt = memory.forget(entity, memory_id=memory_id, conversation_id=conversation, everything=everything)
    if session.json:
        write_json(receipt)
    else:
        counts = ", ".join(f"{number} {name}" for name, number in receipt.counts.items() if number)
        Output().print(f"Erased: {counts or 'nothing was there'}")
