"""The vector index on a Qdrant server, for many processes on many hosts.

Every read and write goes through one alias. The collection behind it is named after the embedding model, and so are the
vectors in it (``qdrant_collection``), which is what makes a change of the model safe while others work: ``prepare``
makes the new collection beside the one in service, whoever calls it fills what it returns, and ``swap`` turns the alias
over. Until then a process with the new model, and from then on one with the old, has its writes refused and keeps them
in the outbox; its searches are answered from its own collection while that is filled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Self, TypeVar

from qdrant_client import QdrantClient, models

from easy_data.schemas.errors import IndexUnavailable
from easy_data.schemas.ports import IndexHit, IndexQuery, IndexState, Point
from easy_data.stores import index_points
from easy_data.stores.keywords import sparse, sparse_query
from easy_data.stores.qdrant_collection import KEYWORD_VECTOR, QdrantCollection
from easy_data.stores.qdrant_connection import QdrantConnection, is_missing, is_of_other_model, queried
from easy_data.stores.qdrant_filter import not_newer, qdrant_filter

Answer = TypeVar("Answer")

# 256 points of 512 numbers are 2.5 MB of JSON; a server takes 32 MB.
_UPSERT_BATCH = 256
_DELETE_BATCH = 2_000
_SCROLL_PAGE = 2_000
_OVERSAMPLING = 3.0
_RESCORED = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING))


class QdrantIndex:
    """A ``VectorIndex`` on a server, shared by any number of processes and threads.

    Nothing is sent before the first call, and each process has a client of its own, so an index may be built before a
    fork. A missing collection is made when it is noticed. ``IndexUnavailable`` means that the server does not answer or
    refuses the key, or that the alias stands for another model's collection.
    """

    def __init__(
        self,
        url: str,
        *,
        embedder_name: str,
        size: int,
        api_key: str | None = None,
        timeout: float = 5.0,
        prefix: str = "easy_data",
        tenant_id: str = "",
    ) -> None:
        """Describe the index of the deployment ``prefix`` at ``url``. Raises ``SettingsError`` for a URL that is none.

        ``timeout`` is the seconds one request may take, rounded up. What must be filled is said for ``tenant_id``.
        """
        connection = QdrantConnection(url, api_key=api_key, timeout=timeout)
        self._open(QdrantCollection(connection, prefix, embedder_name, size, tenant_id), beside=False)

    def _open(self, collection: QdrantCollection, *, beside: bool) -> None:
        self._collection = collection
        # Beside the alias, an index reads and writes its own collection whether or not that is in service.
        self._beside = beside
        self._target = collection.name if beside else collection.alias
        self._ensured_by = 0
        self._closed = False

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert or replace points by id; on disk when it returns. A stored version that is newer stays.

        Raises ``InputError`` for an id that is no UUID and for a vector of another size or with a number that is not
        finite; nothing is written then.
        """
        prepared = iter([(self._prepared(point), point.version) for point in points])
        while batch := list(islice(prepared, _UPSERT_BATCH)):
            self._call(partial(self._upsert, batch))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points by id; unknown ids are no error. Raises ``InputError`` for an id that is no UUID.

        They leave every collection of the deployment, so that what is erased stays in none of an earlier model.
        """
        known = iter([str(index_points.checked_id(point_id)) for point_id in ids])
        while batch := list(islice(known, _DELETE_BATCH)):
            gone = models.PointIdsList(points=[*batch])
            self._call(partial(self._delete, self._target, gone))
            for other in self._collection.others():
                self._call(partial(self._delete, other, gone))

    def search(self, query: IndexQuery) -> list[IndexHit]:
        """Return the union of the best ``limit`` by cosine and the best ``limit`` by BM25, in no promised order.

        Every hit has its cosine when the query has a vector. The idf is that of the entity's own memories. One request.
        """
        if query.limit < 1 or not query.statuses:
            return []
        requests = self._requests(query)
        if not requests:
            return []
        try:
            answers = self._call(partial(queried, self._target, list(requests.values())))
        except IndexUnavailable as error:
            if not is_of_other_model(error.__cause__):
                raise
            answers = self._search_own(list(requests.values()))
        sides = {
            side: {str(hit.id): hit.score for hit in answer.points}
            for side, answer in zip(requests, answers, strict=True)
        }
        keyword, dense = index_points.clear_of_ties(sides.get("keyword", {}), query.limit), sides.get("dense", {})
        if query.vector is not None:
            dense = {name: score for name, score in sides.get("cosines", {}).items() if name in keyword} | dense
            keyword = {point_id: score for point_id, score in keyword.items() if point_id in dense}
        return [IndexHit(point_id, dense.get(point_id), keyword.get(point_id)) for point_id in dense | keyword]

    def versions(self, tenant_id: str, entity_id: str) -> dict[str, int]:
        """Return the version of every point of one entity, by id."""
        found: dict[str, int] = {}
        offset: models.ExtendedPointId | None = None
        wanted = qdrant_filter(index_points.entity_conditions(tenant_id, entity_id))
        while True:
            records, offset = self._call(partial(self._page, wanted, offset))
            # A payload that damage took has version -1, so that reconciling writes the point again.
            found.update({str(record.id): int((record.payload or {}).get("version", -1)) for record in records})
            if offset is None:
                return found

    def clear(self) -> None:
        """Remove every point of the collection. Only the rebuild command calls this."""
        self._mark("the collection was cleared")
        everything = models.FilterSelector(filter=models.Filter())
        self._call(partial(self._delete, self._target, everything))

    def rebuilt(self) -> None:
        """Record that every memory of the tenant is in: ``state().rebuilt_reason`` is empty for it from now on."""
        self._mark("")

    def state(self) -> IndexState:
        """Describe the index. ``extra``: ``segments``, the ``alias``, the deployment's ``others`` by name.

        Raises ``IndexUnavailable`` when the alias stands for another model's collection.
        """
        self._refuse_other_model()
        points = self._call(lambda client: client.count(self._target, exact=True).count)
        self._check_open()
        collection = self._collection
        segments = collection.info().segments_count
        return IndexState(
            collection=collection.name,
            points=points,
            rebuilt_reason=collection.rebuild_reason(),
            extra={"segments": segments, "alias": collection.alias, "others": collection.others()},
        )

    def prepare(self) -> Self:
        """Make this model's collection beside the one in service, and return an index that reads and writes it.

        A collection that is there already, half filled or of an earlier change, is gone on with.
        """
        self._check_open()
        self._collection.ensure()
        beside = type(self).__new__(type(self))
        beside._open(self._collection, beside=True)  # noqa: SLF001 - an instance of this class
        return beside

    def swap(self) -> str | None:
        """Put this model's collection in service; return the name of the one it replaced, None when it was there.

        The replaced one is kept: processes that still have its model read it, and the change can be taken back.
        """
        self._check_open()
        before = self._collection.served()
        self._collection.serve()
        return before if before != self._collection.name else None

    def drop(self, name: str) -> None:
        """Delete a collection that is no longer in service. Raises ``StoreError`` for one that is, or of others."""
        self._check_open()
        self._collection.drop(name)

    def close(self) -> None:
        """Release the connection; a second call does nothing."""
        self._closed = True
        if not self._beside:
            self._collection.connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise IndexUnavailable("the vector index is closed")

    def _call(self, ask: Callable[[QdrantClient], Answer]) -> Answer:
        """Ask the server; make a missing collection and ask once more."""
        self._check_open()
        self._ensure()
        try:
            with self._collection.connection.client() as client:
                return ask(client)
        except IndexUnavailable as error:
            if not is_missing(error.__cause__):
                raise
            self._ensured_by = 0
            self._ensure()
        with self._collection.connection.client() as client:
            return ask(client)

    def _upsert(self, batch: list[tuple[models.PointStruct, int]], client: QdrantClient) -> None:
        # Of several with one id the last counts.
        latest = {str(struct.id): (struct, version) for struct, version in batch}
        structs = [struct for struct, _ in latest.values()]
        unless_newer = not_newer({point_id: version for point_id, (_, version) in latest.items()})
        client.upsert(self._target, structs, wait=True, update_filter=unless_newer)

    def _delete(self, name: str, which: models.PointIdsList | models.FilterSelector, client: QdrantClient) -> None:
        client.delete(name, which, wait=True)

    def _page(
        self, wanted: models.Filter, offset: models.ExtendedPointId | None, client: QdrantClient
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        return client.scroll(self._target, wanted, limit=_SCROLL_PAGE, offset=offset, with_payload=["version"])

    def _ensure(self) -> None:
        """See once in each process that what the target names is there."""
        if self._ensured_by == os.getpid():
            return
        served = self._collection.name if self._beside else self._collection.served()
        if served in (None, self._collection.name):
            self._collection.ensure()
        if served is None:
            self._collection.serve()
        self._ensured_by = os.getpid()

    def _search_own(self, requests: list[models.QueryRequest]) -> list[models.QueryResponse]:
        """Search this model's own collection while another is in service, if it is there and filled."""
        own = self._collection
        try:
            filled = own.rebuild_reason() == ""
        except IndexUnavailable as error:
            if not is_missing(error.__cause__):
                raise
            filled = False
        if not filled:
            self._refuse_other_model()
        with own.connection.client() as client:
            return queried(own.name, requests, client)

    def _refuse_other_model(self) -> None:
        self._check_open()
        self._ensure()
        served = self._collection.name if self._beside else self._collection.served()
        if served not in (None, self._collection.name):
            raise IndexUnavailable(
                f"the index serves {served}, not {self._collection.name}: change the model with reindex"
            )

    def _mark(self, reason: str) -> None:
        self._refuse_other_model()
        self._check_open()
        self._collection.mark(reason)

    def _requests(self, query: IndexQuery) -> dict[str, models.QueryRequest]:
        """Return what to ask: the nearest, the best by keywords, and the cosines of these."""
        wanted = qdrant_filter(index_points.query_conditions(query))
        requests: dict[str, models.QueryRequest] = {}
        indices, weights = sparse_query(query.text)
        terms = models.SparseVector(indices=indices, values=weights)
        corpus = qdrant_filter(index_points.entity_conditions(query.tenant_id, query.entity_id))
        by_entity = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus))
        if indices:
            requests["keyword"] = models.QueryRequest(
                query=terms, using=KEYWORD_VECTOR, filter=wanted, params=by_entity, limit=query.limit
            )
        if query.vector is not None:
            vector = index_points.checked_vector(query.vector, self._collection.size)
            dense = self._collection.dense_vector
            requests["dense"] = models.QueryRequest(
                query=vector, using=dense, filter=wanted, params=_RESCORED, limit=query.limit
            )
            if indices:
                best = models.Prefetch(
                    query=terms, using=KEYWORD_VECTOR, filter=wanted, params=by_entity, limit=query.limit
                )
                requests["cosines"] = models.QueryRequest(
                    prefetch=[best], query=vector, using=dense, params=_RESCORED, limit=query.limit
                )
        return requests

    def _prepared(self, point: Point) -> models.PointStruct:
        vectors: dict[str, models.Vector] = {
            self._collection.dense_vector: index_points.checked_vector(point.vector, self._collection.size)
        }
        indices, values = sparse(point.text)
        if indices:
            vectors[KEYWORD_VECTOR] = models.SparseVector(indices=indices, values=values)
        return models.PointStruct(
            id=str(index_points.checked_id(point.id)), vector=vectors, payload=index_points.payload_of(point)
        )
