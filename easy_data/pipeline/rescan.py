"""Looks for secrets in what was kept before today's rules knew them, and takes them out.

A memory that is a secret is erased, for today it would be refused; words beside a memory get the mark in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.forgetting import erase_memories
from easy_data.pipeline.indexing import scopes_of
from easy_data.pipeline.redaction import redact
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope
from easy_data.schemas.records import Bucket, EventRecord, MemoryRecord, ProfileRecord
from easy_data.stores.repositories import memories, wording
from easy_data.stores.repositories.history import Cause

BATCH = 500
_CAUSE = Cause("rescan", "system")
# What rows are found by is left as it is, even where people took a number of their papers for it.
_NAMES = frozenset({"id", "tenant_id", "entity_id", "conversation_id", "source"})


def rescan(
    runtime: Runtime, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """Take secrets out of everything of the tenant and return how many rows held one, by kind; none the second time.

    Under "erased" stand the memories that are gone, under "changed" those of which a part was replaced. With
    ``dry_run`` nothing is changed. ``progress`` is called with (done, total), in entities. Raises ``StoreError``; what
    was done stays done.
    """
    found: Counter[str] = Counter()
    scopes = scopes_of(runtime)
    for done, scope in enumerate(scopes, start=1):
        for bucket in Bucket:
            _memories(runtime, scope, bucket, found, dry_run=dry_run)
        # After the memories: each of their changes has left what was there before in the revisions.
        for kind in wording.KINDS:
            _words(runtime, scope, kind, found, dry_run=dry_run)
        if progress is not None:
            progress(done, len(scopes))
    if not dry_run:
        runtime.database.scrub()
    return dict(found)


def _memories(runtime: Runtime, scope: Scope, bucket: Bucket, found: Counter[str], *, dry_run: bool) -> None:
    after = ""
    while True:
        with runtime.database.read() as connection:
            some = memories.page(connection, scope, bucket, after=after, statuses=(), limit=BATCH)
        if not some:
            return
        after = some[-1].id
        wrong = [record.id for record in some if _is_secret(record) or _cleaned(record)]
        if not wrong:
            continue
        with entity_write(runtime, scope) as write:
            # Read again, now that nobody else can change them.
            held = memories.load(write.connection, scope, wrong, statuses=())
            secrets = [record.id for record in held if _is_secret(record)]
            partly = [record for record in held if record.id not in secrets and _cleaned(record)]
            found.update({name: number for name, number in (("erased", len(secrets)), ("changed", len(partly))) if number})
            if dry_run:
                continue
            _take_out(write, secrets, partly)


def _take_out(write: EntityWrite, secrets: list[str], partly: list[MemoryRecord]) -> None:
    if secrets:
        erase_memories(write, secrets, _CAUSE)
    for record in partly:
        write.change(record, _cleaned(record), _CAUSE)


def _words(runtime: Runtime, scope: Scope, kind: str, found: Counter[str], *, dry_run: bool) -> None:
    after = ""
    while True:
        with runtime.database.write() as connection:
            rows = wording.page(connection, kind, scope, after=after, limit=BATCH)
            for row in rows:
                words = {name: value for name, value in row.items() if name != "id"}
                clean = {name: _without_secrets(value) for name, value in words.items()}
                if clean == words:
                    continue
                found[kind] += 1
                if not dry_run:
                    wording.rewrite(connection, kind, row["id"], clean)
        if not rows:
            return
        after = rows[-1]["id"]


def _is_secret(record: MemoryRecord) -> bool:
    """Tell if what the memory says holds a secret; such a statement is refused when it comes in."""
    said = (record.attr_value,) if isinstance(record, ProfileRecord) else (record.summary,)
    task = getattr(record, "task_id", "")
    return any(redact(text).counts for text in (*said, task))


def _cleaned(record: MemoryRecord) -> dict[str, object]:
    """Return the fields beside the statement that hold a secret, with the mark in its place."""
    if isinstance(record, ProfileRecord):
        return {}
    fields: dict[str, Any] = (
        {"payload": record.payload, "time_phrase": record.time_phrase}
        if isinstance(record, EventRecord)
        else {"state": record.state}
    )
    clean = {name: _without_secrets(value) for name, value in fields.items()}
    return {name: value for name, value in clean.items() if value != fields[name]}


def _without_secrets(value: Any) -> Any:
    """Return the value with every secret in a text of it, however deep, replaced by its mark."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, list | tuple):
        return [_without_secrets(each) for each in value]
    if isinstance(value, dict):
        return {name: each if name in _NAMES else _without_secrets(each) for name, each in value.items()}
    return value
