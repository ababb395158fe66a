"""Changes the embedding model of an index in service, while everything goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from easy_data.pipeline.indexing import rebuild
from easy_data.pipeline.reconcile import Reconciled, reconcile
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import StoreError
from easy_data.stores.qdrant_index import QdrantIndex

# Passes over what was written during the one before; the last one, after the swap, takes what is left.
CATCH_UPS = 3


@dataclass(frozen=True, slots=True)
class ModelChange:
    """What a change did: the collection in service now, the one it replaced (None: none), and what was filled in."""

    collection: str
    replaced: str | None
    filled: Reconciled


def change_model(
    runtime: Runtime, *, anew: bool = False, progress: Callable[[int, int], None] | None = None
) -> ModelChange:
    """Put the index of the runtime's embedder in service: fill its collection beside the present one, then swap.

    ``runtime`` is built for the new model; the old one's processes work on meanwhile. Recall works throughout: theirs
    from the old collection, that of processes with the new model from SQL until the swap. Writes of old processes are
    refused by the index after the swap and wait in the outbox for a process with the new model. It can be stopped and
    begun again at any point; run for the old model, it takes the change back. Run for the model in service, it repairs
    where index and SQL differ, and with ``anew`` writes every memory once more. ``progress`` is called with (done,
    total) of the filling, in entities, or with ``anew`` in memories. Raises ``StoreError`` for an index that is no
    server, ``IndexUnavailable`` or ``ModelError``.
    """
    index = runtime.index
    if not isinstance(index, QdrantIndex):
        raise StoreError("only the index of a server is changed while in service; here, run: easy-data reindex")
    beside = replace(runtime, index=index.prepare())
    if anew:
        rebuild(beside, progress=progress, in_service=True)
    filled = reconcile(beside, progress=None if anew else progress)
    for _ in range(CATCH_UPS):
        behind = reconcile(beside)
        filled = _with(filled, behind)
        if not behind.repaired:
            break
    replaced = index.swap()
    filled = _with(filled, reconcile(runtime))
    return ModelChange(collection=index.state().collection, replaced=replaced, filled=filled)


def _with(filled: Reconciled, more: Reconciled) -> Reconciled:
    """Add what was repaired; what was looked at is as of the last pass."""
    return replace(filled + more, checked=more.checked)
