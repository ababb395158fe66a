"""``easy-data recall``: what memory has to say to a query."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.panel import Panel
from rich.table import Table

from easy_data.cli.opening import opened
from easy_data.cli.output import EMPTY, Output, table, write_json
from easy_data.cli.session import session_of
from easy_data.schemas.recall import Context, MemoryHit

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def recall(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Whose memory.")],
    query: Annotated[str, typer.Argument(help="What the next conversation begins with.")] = "",
    top_k: Annotated[int | None, typer.Option("-k", "--top-k", help="How many memories, 0 to 100.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each feature added to the score.")] = False,
) -> None:
    """Show the block that a prompt gets, and the memories behind it; without a query, what is known in short."""
    session = session_of(context)
    with opened(session) as memory:
        found = memory.recall(entity, query, top_k=top_k)
        known = "" if query.strip() else memory.summary(entity)
    if session.json:
        write_json(found)
        return
    output = Output()
    if known:
        output.print(Panel(known, title="summary", title_align="left"))
        return
    output.print(Panel(found.text or EMPTY, title="context", title_align="left"))
    if found.memories:
        output.print(_hits(found, explain=explain))
    for item in found.questions:
        output.print(f"To ask: {item.question}")
    output.print(_summary(found))


def _hits(found: Context, *, explain: bool) -> Table:
    rows = ((f"{hit.score:.3f}", hit.route, _worded(hit, explain=explain), hit.id) for hit in found.memories)
    return table(("score", "route", "memory", "id"), rows)


def _worded(hit: MemoryHit, *, explain: bool) -> str:
    shares = [f"  {share.points:+.3f} {share.feature} ({share.value:.3g})" for share in hit.shares]
    return "\n".join([hit.text, *(shares if explain else [])])


def _summary(found: Context) -> str:
    degraded = f"; without {', '.join(found.degraded)}" if found.degraded else ""
    number = len(found.memories)
    counted = "1 memory" if number == 1 else f"{number} memories"
    return f"{counted}, served from {found.served_from} in {found.took_ms:.1f} ms{degraded}"
