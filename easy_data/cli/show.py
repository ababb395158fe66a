"""``easy-data show``: why a memory is there and what became of it."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated

import typer

from easy_data.cli.fates import fates_table
from easy_data.cli.listing import bucket_of, named, worded
from easy_data.cli.opening import opened, zone_in
from easy_data.cli.output import Output, moment, table, write_json
from easy_data.cli.session import session_of
from easy_data.schemas.insight import Explanation

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def show(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Whose memory.")],
    memory_id: Annotated[str, typer.Argument(help="The memory's id, as `list` and `recall` show it.")],
) -> None:
    """Show one memory: the record, the words it rests on, its history, its fates and its uses."""
    session = session_of(context)
    with opened(session) as memory:
        found, zone = memory.explain(entity, memory_id), zone_in(memory, entity)
    if session.json:
        write_json(found)
    else:
        _print(found, Output(), zone)


def _print(found: Explanation, output: Output, zone: tzinfo) -> None:
    record = found.record
    output.print(f"{bucket_of(record)}: {named(record)}", style="bold")
    output.print(worded(record))
    output.print(f"{record.status}, confidence {record.confidence:.2f}, source {record.source}, id {record.id}")
    quotes = ((e.quote, moment(e.said_at, zone), e.conversation_id, e.extractor, e.live) for e in found.evidence)
    output.print(table(("quote", "said", "conversation", "read by", "live"), quotes, title="evidence"))
    changes = ((r.action, r.actor, moment(r.at, zone), r.entity_version, r.id) for r in found.revisions)
    output.print(table(("action", "by", "at", "version", "revision"), changes, title="history"))
    if found.fates:
        output.print(fates_table(found.fates, title="fates"))
    if found.uses:
        uses = ((moment(use.at, zone), use.recall_id) for use in found.uses)
        output.print(table(("at", "recall"), uses, title="uses"))
