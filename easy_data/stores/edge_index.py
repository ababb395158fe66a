"""The vector index inside the process, on Qdrant Edge.

Settings, from measurements on 100,000 memories of one entity (`bench/index.py`): vectors are stored in 8 bits and
scanned in 2 bits, the best being scored again in 8. That finds at least .97 of the exact best 200 (.997 on sentences)
in about half the time of a scan in 8 bits, with no graph to build: building one keeps the interpreter lock for most of
a minute, and an entity of ordinary size is scanned in well under a millisecond. A replaced point takes the place of the
old one, so nothing needs compacting either.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    FloatIndexParams,
    KeywordIndexParams,
    Memory,
    Modifier,
    ScrollRequest,
    SparseVector,
    TurboQuantBitSize,
    TurboQuantQuantizationConfig,
    UpdateOperation,
    VectorStorageDatatype,
)
from qdrant_edge import Point as EdgePoint

from easy_data.schemas.errors import IndexUnavailable, StoreError
from easy_data.schemas.ports import IndexHit, IndexQuery, IndexState, Point
from easy_data.stores.edge_filter import edge_filter
from easy_data.stores.edge_folder import EdgeFolder, engine_errors
from easy_data.stores.edge_outsiders import Outsiders
from easy_data.stores.edge_search import EdgeSearch
from easy_data.stores.index_points import (
    SCOPE,
    checked_id,
    checked_vector,
    entity_conditions,
    payload_of,
)
from easy_data.stores.keywords import sparse

# The engine keeps the interpreter lock through a call, so calls are kept short: about 10 ms each.
_UPSERT_BATCH = 128
_SCROLL_PAGE = 2_000
# What the write-ahead log may hold; replaying it is most of the time it takes to open after a kill.
_FLUSH_EVERY = 10_000

_PAYLOAD_INDEXES = (
    UpdateOperation.create_field_index(SCOPE, KeywordIndexParams(is_tenant=True)),
    UpdateOperation.create_field_index("bucket", KeywordIndexParams()),
    UpdateOperation.create_field_index("kind", KeywordIndexParams()),
    UpdateOperation.create_field_index("status", KeywordIndexParams()),
    UpdateOperation.create_field_index("happened_at", FloatIndexParams()),
)


class EdgeIndex:
    """A ``VectorIndex`` in a folder. One handle a folder, shared by all threads.

    A call of the engine is atomic: it keeps the interpreter lock. Writers take a lock of their own besides, because
    clearing swaps the handle; a search that meets the swap raises ``IndexUnavailable``, which is retryable.
    """

    def __init__(self, path: Path, *, embedder_name: str, size: int) -> None:
        """Open the collection for ``embedder_name`` and ``size`` under ``path``, or make it.

        Raises ``StoreLocked``, ``StoreReadOnly`` or ``StoreBusy``. A damaged collection is set aside and an empty one
        made; ``state().rebuilt_reason`` then says so until ``rebuilt`` is called.
        """
        self._size = size
        self._folder = EdgeFolder(path, embedder_name, size, _config(size), _PAYLOAD_INDEXES)
        self._lock = threading.Lock()
        self._outsiders = Outsiders()
        self._unflushed = 0
        self._open: EdgeShard | None
        self._open, self._reason = self._folder.open()

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points by id; they survive the death of the process when it returns.

        Raises ``InputError`` for an id that is no UUID and for a vector of another size or with a number that is not
        finite; nothing is written then.
        """
        prepared = iter([self._prepared(point) for point in points])
        self._folder.check_room()
        with self._lock:
            self._outsiders.put(points)
            try:
                while batch := list(islice(prepared, _UPSERT_BATCH)):
                    self._update(UpdateOperation.upsert_points(batch), len(batch))
            except StoreError:
                # Nobody knows which of the points are in.
                self._outsiders.forget()
                raise

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are no error. Raises ``InputError`` for an id that is no UUID."""
        known: list[int | uuid.UUID | str] = [checked_id(point_id) for point_id in ids]
        with self._lock:
            self._update(UpdateOperation.delete_points(known), len(known))
            self._outsiders.remove([str(each) for each in known])

    def search(self, query: IndexQuery) -> list[IndexHit]:
        """Return the union of the best ``limit`` by cosine and the best ``limit`` by BM25, in no promised order.

        Every hit has its cosine when the query has a vector. The idf is that of the entity's own memories.
        """
        if query.limit < 1 or not query.statuses:
            return []
        search = EdgeSearch(query, self._size)
        # Nobody waits: while points are written, or another thread asks, the conditions are checked point by point.
        if self._lock.acquire(blocking=False):
            try:
                with engine_errors():
                    return search.hits(self._shard, self._outsiders)
            finally:
                self._lock.release()
        with engine_errors():
            return search.hits(self._shard, None)

    def versions(self, tenant_id: str, entity_id: str) -> dict[str, int]:
        """Return the version of every point of one entity, by id."""
        found: dict[str, int] = {}
        offset = None
        wanted = edge_filter(entity_conditions(tenant_id, entity_id))
        while True:
            page = ScrollRequest(offset=offset, limit=_SCROLL_PAGE, filter=wanted, with_payload=["version"])
            with engine_errors():
                records, offset = self._shard.scroll(page)
            # A payload that damage took has version -1, so that reconciling writes the point again.
            found.update({str(record.id): int((record.payload or {}).get("version", -1)) for record in records})
            if offset is None:
                return found

    def clear(self) -> None:
        """Remove every point by putting an empty collection in place. Only the rebuild command calls this."""
        with self._lock:
            self._open, self._reason = self._folder.make_anew("the collection was cleared", held=self._shard)
            self._outsiders.forget()
            self._unflushed = 0

    def rebuilt(self) -> None:
        """Record that every memory of SQL is in: ``state().rebuilt_reason`` is empty from now on."""
        with self._lock:
            self._flush()
            self._folder.forget_reason()
            self._reason = ""

    def state(self) -> IndexState:
        """Describe the index. ``extra``: the engine's ``segments``, and the ``others`` in the folder by name."""
        with engine_errors():
            points = self._shard.count(CountRequest(exact=True))
            segments = self._shard.info().segments_count
        return IndexState(
            collection=self._folder.name,
            points=points,
            rebuilt_reason=self._reason,
            extra={"segments": segments, "others": self._folder.others()},
        )

    def close(self) -> None:
        """Flush and release the index; a second call does nothing."""
        with self._lock:
            if self._open is not None:
                self._flush()
                with engine_errors():
                    self._open.close()
                self._open = None

    @property
    def _shard(self) -> EdgeShard:
        if self._open is None:
            raise IndexUnavailable("the vector index is closed")
        return self._open

    def _update(self, operation: UpdateOperation, points: int) -> None:
        with engine_errors():
            self._shard.update(operation)
        self._unflushed += points
        if self._unflushed >= _FLUSH_EVERY:
            self._flush()

    def _flush(self) -> None:
        with engine_errors():
            self._shard.flush()
        self._unflushed = 0

    def _prepared(self, point: Point) -> EdgePoint:
        return EdgePoint(
            id=checked_id(point.id),
            vector={"dense": checked_vector(point.vector, self._size), "keyword": SparseVector(*sparse(point.text))},
            payload=payload_of(point),
        )


def _config(size: int) -> EdgeConfig:
    return EdgeConfig(
        vectors={
            "dense": EdgeVectorParams(
                size=size,
                distance=Distance.Cosine,
                datatype=VectorStorageDatatype.Turbo8,
                quantization_config=TurboQuantQuantizationConfig(bits=TurboQuantBitSize.Bits2, memory=Memory.Cached),
            )
        },
        sparse_vectors={"keyword": EdgeSparseVectorParams(modifier=Modifier.Idf)},
        # 0 switches the graph off.
        optimizers=EdgeOptimizersConfig(indexing_threshold=0),
        max_search_threads=1,
    )
