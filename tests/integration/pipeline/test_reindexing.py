"""The embedding model of an index in service is changed while everything goes on."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from easy_data.pipeline.direct import write_records
from easy_data.pipeline.forgetting import forget_entity
from easy_data.pipeline.indexing import drift, relay
from easy_data.pipeline.recall.answer import recall, search
from easy_data.pipeline.reindexing import change_model
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import IndexUnavailable, StoreError
from easy_data.schemas.recall import RecallRequest
from easy_data.schemas.records import EventRecord
from easy_data.stores.qdrant_index import QdrantIndex
from tests.fixtures.memories import Build
from tests.fixtures.small_embedder import SmallEmbedder

OfModel = Callable[[int], Runtime]


@pytest.fixture
def of_model(build: Build, shared_qdrant: str) -> Iterator[OfModel]:
    """A runtime of one deployment whose embedder has that many dimensions."""
    built = build(embedder=SmallEmbedder(8))
    deployment = f"test_{uuid.uuid4().hex}"
    indexes: list[QdrantIndex] = []

    def make(size: int) -> Runtime:
        embedder = SmallEmbedder(size)
        indexes.append(QdrantIndex(shared_qdrant, embedder_name=embedder.name, size=size, prefix=deployment))
        return replace(built, embedder=embedder, index=indexes[-1])

    yield make
    for index in indexes:
        index.close()


def write(runtime: Runtime, *summaries: str, entity_id: str = "ann") -> None:
    records = [EventRecord(entity_id=entity_id, event_type="conversation_turn", summary=text) for text in summaries]
    write_records(runtime, records)


def recalled(runtime: Runtime, query: str) -> list[str]:
    return [hit.text for hit in search(runtime, runtime.scope("ann"), query, limit=1)]


def test_the_new_model_serves_every_memory_and_the_old_one_still_answers(of_model: OfModel) -> None:
    old, new = of_model(16), of_model(32)
    write(old, "moved to Berlin", "养了一只猫", "likes hiking")
    relay(old)
    old.index.rebuilt()
    before = old.index.state().collection
    done = change_model(new)
    assert (done.replaced, done.filled.missing, done.filled.repaired) == (before, 3, 3)
    assert done.collection == new.index.state().collection
    assert drift(new) == 0
    assert new.index.state().rebuilt_reason == ""
    for runtime in (old, new):
        assert recalled(runtime, "一只猫") == ["养了一只猫"]
        assert recall(RecallRequest(entity_id="ann", query="一只猫"), runtime).degraded == ()


def test_recall_works_and_writes_are_kept_at_every_point_of_the_change(of_model: OfModel) -> None:
    old, new = of_model(16), of_model(32)
    write(old, "moved to Berlin")
    relay(old)
    old.index.rebuilt()
    seen: list[str] = []

    def meanwhile(point: str) -> None:
        if point == "index.embedded":
            seen.append(point)
            # An old worker goes on writing while the new collection is filled; both kinds of process recall.
            write(old, f"planted orchid{len(seen)}")
            if len(seen) < 3:
                relay(old)
            assert recalled(old, "moved to Berlin") == recalled(new, "moved to Berlin") == ["moved to Berlin"]

    change_model(replace(new, reached=meanwhile))
    assert len(seen) >= 2
    relay(new)
    assert drift(new) == 0


def test_an_old_worker_is_refused_after_the_swap_and_the_new_one_does_its_work(of_model: OfModel) -> None:
    old, new = of_model(16), of_model(32)
    write(old, "moved to Berlin")
    relay(old)
    change_model(new)
    write(old, "likes orchids")
    with pytest.raises(IndexUnavailable):
        relay(old)
    assert drift(new) == 1
    relay(new)
    assert drift(new) == 0
    assert recalled(new, "orchids") == ["likes orchids"]


def test_a_change_that_was_stopped_goes_on_where_it_was(of_model: OfModel) -> None:
    old, new = of_model(16), of_model(32)
    for entity_id in ("ann", "bob", "eve"):
        write(old, "moved to Berlin", "likes hiking", entity_id=entity_id)
    relay(old)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        change_model(new, progress=stop)
    assert old.index.state().points == 6
    assert change_model(new).filled.missing == 2
    assert drift(new) == 0


def test_a_change_is_taken_back_by_a_change_to_the_old_model(of_model: OfModel) -> None:
    old, new = of_model(16), of_model(32)
    write(old, "moved to Berlin")
    relay(old)
    change_model(new)
    write(new, "likes orchids")
    relay(new)
    back = change_model(old)
    assert back.filled.missing == 1
    assert drift(old) == 0
    assert recalled(old, "orchids") == ["likes orchids"]


def test_an_erased_entity_is_in_the_collection_of_no_model(of_model: OfModel) -> None:
    old, new = of_model(16), of_model(32)
    write(old, "moved to Berlin")
    relay(old)
    change_model(new)
    forget_entity(new, "ann")
    for runtime in (old, new):
        assert isinstance(runtime.index, QdrantIndex)
        scope = runtime.scope("ann")
        assert runtime.index.prepare().versions(scope.tenant_id, scope.entity_id) == {}


def test_the_index_in_process_is_not_changed_in_service(build: Build) -> None:
    with pytest.raises(StoreError, match="reindex"):
        change_model(build(embedder=SmallEmbedder(8)))
