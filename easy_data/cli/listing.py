"""``easy-data list``: what is kept about an entity now."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from typing import Annotated

import typer

from easy_data.cli.opening import opened, zone_in
from easy_data.cli.output import EMPTY, Output, moment, plain, table, write_json
from easy_data.cli.session import session_of
from easy_data.client.embedded import EasyMemory
from easy_data.schemas.records import Bucket, EventRecord, MemoryRecord, Polarity, ProfileRecord

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command("list")
def list_(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Whose memory.")],
    bucket: Annotated[Bucket | None, typer.Option("--bucket", help="Only this bucket.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many of each bucket.")] = 100,
) -> None:
    """List the live facts, the events and the open tasks of an entity, the newest first."""
    session = session_of(context)
    with opened(session) as memory:
        zone = zone_in(memory, entity)
        records = [r for kept in Bucket if bucket in (None, kept) for r in _records(memory, entity, kept, limit)]
    if session.json:
        write_json([{"bucket": bucket_of(record).value, **plain(record)} for record in records])
        return
    output = Output()
    for kept, group in groupby(records, key=bucket_of):
        rows = ((named(r), worded(r), f"{r.confidence:.2f}", moment(_when(r), zone), r.id) for r in group)
        output.print(table(("what", "value", "sure", "when", "id"), rows, title=kept.value))
    if not records:
        output.print(EMPTY)


def bucket_of(record: MemoryRecord) -> Bucket:
    """Return the bucket a record lies in."""
    if isinstance(record, ProfileRecord):
        return Bucket.PROFILE
    return Bucket.EVENT if isinstance(record, EventRecord) else Bucket.WORKSPACE


def named(record: MemoryRecord) -> str:
    """Return what a record is: its attribute, its event type or its task."""
    if isinstance(record, ProfileRecord):
        return record.attr_name
    return record.event_type if isinstance(record, EventRecord) else record.task_id


def worded(record: MemoryRecord) -> str:
    """Return what a record says, with a mark for what the entity is against and for what is doubtful."""
    if isinstance(record, ProfileRecord):
        doubt = " (conflict)" if record.conflict_with else ""
        return f"{'not: ' if record.polarity is Polarity.NEGATIVE else ''}{record.attr_value}{doubt}"
    if isinstance(record, EventRecord):
        return record.summary
    return record.summary + (" (closed)" if record.closed else "")


def _records(memory: EasyMemory, entity: str, bucket: Bucket, limit: int) -> list[MemoryRecord]:
    match bucket:
        case Bucket.PROFILE:
            return [*memory.profile(entity, limit=limit)]
        case Bucket.EVENT:
            return [*memory.events(entity, limit=limit)]
        case Bucket.WORKSPACE:
            return [*memory.open_tasks(entity, limit=limit)]


def _when(record: MemoryRecord) -> datetime | None:
    if isinstance(record, ProfileRecord):
        return record.valid_from
    return record.happened_at if isinstance(record, EventRecord) else record.updated_at
