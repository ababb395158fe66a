"""The index equals SQL again after a reconciliation, whichever of the two was changed behind the other's back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest

from easy_data.pipeline.direct import write_records
from easy_data.pipeline.forgetting import forget_entity, forget_memory
from easy_data.pipeline.indexing import drift, relay
from easy_data.pipeline.reconcile import Reconciled, reconcile
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.records import EventRecord, MemoryRecord, ProfileRecord
from easy_data.stores.qdrant_index import QdrantIndex
from easy_data.stores.repositories import memories
from tests.fixtures.memories import Build
from tests.fixtures.points import a_point, point_id
from tests.fixtures.small_embedder import SmallEmbedder

SIZE = 16


@pytest.fixture(params=["edge", "server"])
def runtime(request: pytest.FixtureRequest, build: Build) -> Iterator[Runtime]:
    embedder = SmallEmbedder(SIZE)
    built = build(embedder=embedder)
    if request.param == "edge":
        yield built
        return
    url = request.getfixturevalue("shared_qdrant")
    index = QdrantIndex(url, embedder_name=embedder.name, size=SIZE, prefix=f"test_{uuid.uuid4().hex}")
    yield replace(built, index=index)
    index.close()


def remember(runtime: Runtime, entity_id: str = "ann", number: int = 5) -> list[str]:
    """Write one fact and some events, index them, and return their ids."""
    events: list[MemoryRecord] = [
        EventRecord(entity_id=entity_id, event_type="conversation_turn", summary=f"word{n} 学会了 {n}")
        for n in range(number)
    ]
    fact = ProfileRecord(entity_id=entity_id, attr_name="hobby", attr_value="登山")
    written = write_records(runtime, [fact, *events])
    relay(runtime)
    return [str(each.memory_id) for each in written]


def versions(runtime: Runtime, entity_id: str = "ann") -> dict[str, int]:
    scope = runtime.scope(entity_id)
    return runtime.index.versions(scope.tenant_id, scope.entity_id)


def of_ann(number: int, runtime: Runtime, **changes: object) -> object:
    scope = runtime.scope("ann")
    vector = [1.0] * SIZE
    made = a_point(number, tenant_id=scope.tenant_id, entity_id=scope.entity_id, vector=vector)
    return replace(made, **changes)


def test_an_index_that_agrees_is_left_alone(runtime: Runtime) -> None:
    ids = remember(runtime)
    assert reconcile(runtime) == Reconciled(checked=len(ids))


def test_every_kind_of_difference_is_repaired_counted_and_gone_at_the_second_run(runtime: Runtime) -> None:
    ids = remember(runtime)
    before = versions(runtime)
    runtime.index.delete(ids[:2])
    runtime.index.upsert([of_ann(1, runtime), of_ann(2, runtime)])
    runtime.index.upsert([of_ann(3, runtime, id=ids[2], version=before[ids[2]] + 40)])
    assert drift(runtime) == 5
    assert reconcile(runtime) == Reconciled(checked=len(ids), missing=2, stale=1, superfluous=2)
    assert versions(runtime) == before
    assert reconcile(runtime).repaired == 0


def test_a_point_of_an_older_version_is_written_as_sql_has_it(runtime: Runtime) -> None:
    ids = remember(runtime)
    scope = runtime.scope("ann")
    with runtime.database.write() as connection:
        record = memories.find(connection, scope, ids[0])
        assert record is not None
        newer = record.model_copy(update={"version": record.version + 1})
        memories.replace(connection, scope, newer, now=runtime.clock.now())
    assert reconcile(runtime, "ann") == Reconciled(checked=len(ids), stale=1)
    assert versions(runtime)[ids[0]] == record.version + 1


def test_one_entity_is_reconciled_alone(runtime: Runtime) -> None:
    anns, bobs = remember(runtime, "ann"), remember(runtime, "bob")
    runtime.index.delete([anns[0], bobs[0]])
    assert reconcile(runtime, "bob").missing == 1
    assert anns[0] not in versions(runtime, "ann")


def test_an_emptied_index_is_filled_and_marked_as_filled(runtime: Runtime) -> None:
    ids = remember(runtime)
    runtime.index.clear()
    told: list[tuple[int, int]] = []
    assert reconcile(runtime, progress=lambda done, total: told.append((done, total))).missing == len(ids)
    assert runtime.index.state().rebuilt_reason == ""
    assert told == [(1, 1)]
    assert drift(runtime) == 0


def test_more_than_one_page_is_compared_and_filled(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("easy_data.pipeline.indexing.VERSIONS_PAGE", 7)
    monkeypatch.setattr("easy_data.pipeline.reconcile.BATCH", 4)
    ids = remember(runtime, number=20)
    runtime.index.clear()
    assert reconcile(runtime).missing == len(ids)
    assert versions(runtime).keys() == {*ids}


def test_points_of_an_erased_entity_leave_the_index(runtime: Runtime) -> None:
    """A point that came back after the erasure, as from a restored copy of the index."""
    remember(runtime)
    forget_entity(runtime, "ann")
    runtime.index.upsert([of_ann(1, runtime)])
    assert reconcile(runtime) == Reconciled(superfluous=1)
    assert versions(runtime) == {}


def test_what_is_erased_while_its_vector_is_made_does_not_come_back(runtime: Runtime) -> None:
    """Case O-09."""
    ids = remember(runtime)
    runtime.index.delete(ids)

    def erase(point: str) -> None:
        if point == "index.embedded" and ids[0] not in gone:
            gone.append(ids[0])
            forget_memory(runtime, "ann", ids[0])

    gone: list[str] = []
    reconcile(replace(runtime, reached=erase))
    assert gone == [ids[0]]
    assert versions(runtime).keys() == {*ids[1:]}


def test_unknown_ids_of_others_are_never_touched(runtime: Runtime) -> None:
    remember(runtime)
    runtime.index.upsert([of_ann(9, runtime, tenant_id="another tenant")])
    reconcile(runtime)
    assert runtime.index.versions("another tenant", "ann") == {point_id(9): 1}
