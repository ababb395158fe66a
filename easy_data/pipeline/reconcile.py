"""Makes the index equal to SQL again, whatever was lost on the way: the same (id, version) pairs, both ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from easy_data.pipeline.indexing import BATCH, differences, refresh, scopes_of
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.ids import Scope


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What was looked at and what was repaired, in memories.

    ``missing`` in the index; ``stale``: of an older version there, or of one SQL does not know; ``superfluous``: only
    in the index.
    """

    checked: int = 0
    missing: int = 0
    stale: int = 0
    superfluous: int = 0

    @property
    def repaired(self) -> int:
        """How many differed."""
        return self.missing + self.stale + self.superfluous

    def __add__(self, other: Reconciled) -> Reconciled:
        return Reconciled(
            self.checked + other.checked,
            self.missing + other.missing,
            self.stale + other.stale,
            self.superfluous + other.superfluous,
        )


def reconcile(
    runtime: Runtime, entity_id: str | None = None, *, progress: Callable[[int, int], None] | None = None
) -> Reconciled:
    """Repair where the index differs from SQL, for one entity or for all of the tenant; a second run finds nothing.

    It may run beside everything else and be stopped and begun again: each repair writes a memory as SQL has it at that
    moment. ``progress`` is called with (entities done, entities in total). After all entities an index that said it had
    to be filled is marked as filled. Raises ``IndexUnavailable`` or ``ModelError``; what was repaired stays so.
    """
    scopes = scopes_of(runtime) if entity_id is None else [runtime.scope(entity_id)]
    total = Reconciled()
    for done, scope in enumerate(scopes, start=1):
        total += _reconcile_entity(runtime, scope)
        if progress is not None:
            progress(done, len(scopes))
    if entity_id is None and runtime.index.state().rebuilt_reason:
        runtime.index.rebuilt()
    return total


def _reconcile_entity(runtime: Runtime, scope: Scope) -> Reconciled:
    found = differences(runtime, scope)
    # An index may keep a version that is above the one it is given, so such a point leaves first.
    runtime.index.delete(found.ahead)
    ids = iter(found.ids)
    while batch := list(islice(ids, BATCH)):
        refresh(runtime, {scope: batch})
    return Reconciled(
        checked=found.checked,
        missing=len(found.missing),
        stale=len(found.stale) + len(found.ahead),
        superfluous=len(found.superfluous),
    )
