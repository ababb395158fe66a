"""``easy-data remember``: one fact, one event, or one sentence of the user."""

from __future__ import annotations

from typing import Annotated

import typer

from easy_data.cli.fates import fates_table
from easy_data.cli.opening import opened
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import Session, session_of
from easy_data.cli.settling import settled
from easy_data.client.embedded import EasyMemory
from easy_data.pipeline.apply import Written
from easy_data.schemas.candidates import Fate
from easy_data.schemas.records import Polarity

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def remember(  # noqa: PLR0913, PLR0917 - three forms of one command
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Whom it is about.")],
    attribute: Annotated[str | None, typer.Argument(help="An attribute of the registry.")] = None,
    value: Annotated[str | None, typer.Argument(help="Its value.")] = None,
    against: Annotated[bool, typer.Option("--not", help="The entity is against the value.")] = False,
    event: Annotated[str | None, typer.Option("--event", help="One sentence about what happened.")] = None,
    kind: Annotated[str, typer.Option("--type", help="The event's type.")] = "remark",
    at: Annotated[
        str | None, typer.Option("--at", help="When, ISO 8601; without an offset: in the entity's zone.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="A sentence of the user, to be read like any other.")
    ] = None,
) -> None:
    """Write a fact (ENTITY ATTRIBUTE VALUE), an event (--event) or a sentence (--text)."""
    if [attribute is not None, event is not None, text is not None].count(True) != 1:
        raise typer.BadParameter("give ATTRIBUTE and VALUE, or --event, or --text")
    if (attribute is None) != (value is None):
        raise typer.BadParameter("an ATTRIBUTE needs a VALUE")
    session = session_of(context)
    with opened(session, create=True) as memory:
        if text is not None:
            _say(memory, session, entity, text)
        elif event is not None:
            _report(session, memory.write_event(entity_id=entity, event_type=kind, summary=event, happened_at=at))
        else:
            polarity = Polarity.NEGATIVE if against else Polarity.POSITIVE
            written = memory.write_profile(entity_id=entity, attr_name=attribute, attr_value=value, polarity=polarity)
            _report(session, written)


def _say(memory: EasyMemory, session: Session, entity: str, text: str) -> None:
    status = settled(memory.end_conversation(entity, [{"role": "user", "content": text}], source="command line"))
    if session.json:
        write_json(status)
    elif status.fates:
        Output().print(fates_table(status.fates))
    else:
        Output().print(f"Nothing in this sentence is to be remembered ({status.outcome or status.state}).")


def _report(session: Session, written: Written) -> None:
    if session.json:
        write_json(written)
    else:
        reason = f" ({written.reason})" if written.reason else ""
        ids = [
            f"{name} {value}" for name, value in (("memory", written.memory_id), ("review", written.review_id)) if value
        ]
        output = Output()
        output.print(f"{written.fate.value}{reason}: {', '.join(ids)}" if ids else f"{written.fate.value}{reason}")
        if written.review_id:
            output.print(f"It waits for a decision: easy-data review approve {written.review_id}", style="dim")
    if written.fate is Fate.REJECTED:
        raise typer.Exit(1)
