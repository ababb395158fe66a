"""What is special to the index on a server: outages, many processes, one model in service, and the engine's results."""

from __future__ import annotations

import random
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from easy_data.schemas.errors import IndexUnavailable, SettingsError, StoreError
from easy_data.stores.edge_index import EdgeIndex
from easy_data.stores.qdrant_index import QdrantIndex
from tests.fixtures.points import SIZE, a_point, a_query, direction, found, point_id
from tests.fixtures.qdrant_server import QdrantProcess

ROOT = Path(__file__).parents[3]
Open = Callable[..., QdrantIndex]


@pytest.fixture
def opened(shared_qdrant: str) -> Iterator[Open]:
    """Open an index of this test's deployment."""
    indexes: list[QdrantIndex] = []
    deployment = f"test_{uuid.uuid4().hex}"

    def open_index(
        model: str = "model-a", *, size: int = SIZE, prefix: str = deployment, tenant: str = ""
    ) -> QdrantIndex:
        indexes.append(QdrantIndex(shared_qdrant, embedder_name=model, size=size, prefix=prefix, tenant_id=tenant))
        return indexes[-1]

    yield open_index
    for index in indexes:
        index.close()


@pytest.fixture
def index(qdrant_process: QdrantProcess) -> Iterator[QdrantIndex]:
    """An index on a server of this test alone, that waits a second for it."""
    made = QdrantIndex(qdrant_process.url, embedder_name="model-a", size=SIZE, timeout=1)
    yield made
    made.close()


def test_what_was_acknowledged_survives_the_kill_of_the_server(
    qdrant_process: QdrantProcess, index: QdrantIndex
) -> None:
    index.upsert([a_point(number) for number in range(1, 300)])
    index.delete([point_id(1)])
    qdrant_process.kill()
    with pytest.raises(IndexUnavailable):
        index.search(a_query("tea"))
    qdrant_process.start()
    assert index.versions("acme", "user_001") == {point_id(number): 1 for number in range(2, 300)}
    # The first look is over 2-bit vectors, which cannot tell close neighbours of 8 places apart: ask for enough.
    best = max(index.search(a_query(vector=direction(7), limit=50)), key=lambda hit: hit.dense or -1)
    assert best.id == point_id(7)


def test_a_server_that_stopped_answering_is_an_outage_that_ends(
    qdrant_process: QdrantProcess, index: QdrantIndex
) -> None:
    index.upsert([a_point(1)])
    qdrant_process.pause()
    with pytest.raises(IndexUnavailable, match="does not answer"):
        index.upsert([a_point(2)])
    qdrant_process.resume()
    index.upsert([a_point(2)])
    assert found(index, a_query("tea", direction(1))) == {point_id(1), point_id(2)}


@pytest.mark.parametrize("trouble", [{"status": 503}, {"status": 500}, {"status": 429}, {"delay": 1.5}])
def test_a_failing_or_slow_server_is_an_outage(
    qdrant_process: QdrantProcess, index: QdrantIndex, trouble: dict[str, float]
) -> None:
    index.upsert([a_point(1)])
    qdrant_process.trouble(**trouble)
    for act in (lambda: index.search(a_query("tea")), lambda: index.upsert([a_point(2)]), index.state):
        with pytest.raises(IndexUnavailable) as raised:
            act()
        assert raised.value.retryable
    qdrant_process.trouble()
    assert found(index, a_query("tea")) >= {point_id(1)}


def test_a_wrong_key_is_told_as_such(tmp_path: Path) -> None:
    server = QdrantProcess(tmp_path / "qdrant", api_key="right")
    server.start()
    index = QdrantIndex(server.url, embedder_name="model-a", size=SIZE, api_key="wrong-key")
    try:
        with (
            pytest.warns(UserWarning, match="insecure connection"),
            pytest.raises(IndexUnavailable, match="check qdrant_api_key") as raised,
        ):
            index.upsert([a_point(1)])
        assert "wrong-key" not in str(raised.value)
    finally:
        index.close()
        server.stop()


@pytest.mark.parametrize("url", ["", "localhost:6333", "ftp://host", "http://", "http://host:port"])
def test_a_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(SettingsError, match="qdrant_url"):
        QdrantIndex(url, embedder_name="model-a", size=SIZE)


def test_nothing_is_sent_before_the_first_call_and_no_password_is_shown() -> None:
    index = QdrantIndex("http://user:secret@127.0.0.1:1", embedder_name="model-a", size=SIZE)
    with pytest.raises(IndexUnavailable, match=r"http://127\.0\.0\.1:1") as raised:
        index.state()
    assert "secret" not in str(raised.value)
    index.close()


FORKING = """
import os, sys
from easy_data.stores.qdrant_index import QdrantIndex
from tests.fixtures.points import SIZE, a_point, a_query, direction, found, point_id

index = QdrantIndex(sys.argv[1], embedder_name="model-a", size=SIZE, prefix=sys.argv[2])
index.upsert([a_point(number) for number in range(1, 50)])
children = []
for _ in range(3):
    child = os.fork()
    if not child:
        children = []
        break
    children.append(child)
wrong = sum(point_id(n) not in found(index, a_query("", direction(n), limit=3)) for n in range(1, 50))
index.close()
failed = [child for child in children if os.waitpid(child, 0)[1]]
os._exit(1 if wrong or failed else 0)
"""


def test_processes_forked_after_a_call_share_no_connection(shared_qdrant: str) -> None:
    deployment = f"test_{uuid.uuid4().hex}"
    ended = subprocess.run(
        [sys.executable, "-c", FORKING, shared_qdrant, deployment], cwd=ROOT, timeout=50, check=False
    )
    assert ended.returncode == 0


def test_a_collection_that_was_dropped_is_made_again_and_asks_to_be_filled(opened: Open, shared_qdrant: str) -> None:
    index = opened()
    index.upsert([a_point(1)])
    index.rebuilt()
    client = QdrantClient(url=shared_qdrant, check_compatibility=False)
    client.delete_collection(index.state().collection)
    client.close()
    assert index.search(a_query("tea", direction(1))) == []
    assert index.state().rebuilt_reason
    index.upsert([a_point(2)])
    assert found(opened(), a_query("tea", direction(2))) == {point_id(2)}


def test_a_second_handle_sees_the_same_points(opened: Open) -> None:
    first, second = opened(), opened()
    first.upsert([a_point(1)])
    assert found(second, a_query("tea")) == {point_id(1)}


def test_deployments_on_one_server_do_not_meet(opened: Open) -> None:
    name = uuid.uuid4().hex
    first, second = opened(prefix=name), opened(prefix=f"{name}@x")
    first.upsert([a_point(1)])
    assert found(second, a_query("tea")) == set()
    assert first.state().extra["others"] == second.state().extra["others"] == []


def test_an_older_version_never_replaces_a_newer_one(opened: Open) -> None:
    """Two workers may write one memory in the wrong order."""
    index = opened()
    index.upsert([a_point(1, text="coffee", version=3), a_point(2, version=1), a_point(3, version=7)])
    index.upsert([a_point(1, text="tea", version=2), a_point(2, version=2), a_point(3, version=7, text="milk")])
    assert index.versions("acme", "user_001") == {point_id(1): 3, point_id(2): 2, point_id(3): 7}
    assert found(index, a_query("coffee")) == {point_id(1)}
    assert found(index, a_query("milk")) == {point_id(3)}


@pytest.mark.parametrize("other", [("model-b", SIZE), ("model-a", SIZE * 2)])
def test_another_model_or_size_is_refused_and_changes_nothing(opened: Open, other: tuple[str, int]) -> None:
    """Case O-16."""
    model, size = other
    serving, stranger = opened(), opened(model, size=size)
    serving.upsert([a_point(1)])
    vector = direction(1, size)
    for act in (
        lambda: stranger.upsert([a_point(2, vector=vector)]),
        lambda: stranger.search(a_query("tea", vector)),
        stranger.clear,
        stranger.rebuilt,
        stranger.state,
    ):
        with pytest.raises(IndexUnavailable, match="serves"):
            act()
    assert serving.versions("acme", "user_001") == {point_id(1): 1}


def test_the_new_model_takes_over_at_the_swap_and_the_old_one_reads_on(opened: Open) -> None:
    old, new = opened("model-a"), opened("model-b")
    old.upsert([a_point(1), a_point(2)])
    old.rebuilt()
    in_service = old.state().collection
    beside = new.prepare()
    beside.upsert([a_point(1, vector=direction(50))])
    beside.rebuilt()
    assert found(old, a_query("tea", direction(1))) == {point_id(1), point_id(2)}
    assert new.swap() == in_service
    assert new.swap() is None
    assert found(new, a_query("tea", direction(50))) == {point_id(1)}
    assert found(old, a_query("tea", direction(1))) == {point_id(1), point_id(2)}
    with pytest.raises(IndexUnavailable):
        old.upsert([a_point(3)])
    assert new.versions("acme", "user_001") == {point_id(1): 1}


def test_what_is_deleted_leaves_the_collections_of_every_model(opened: Open) -> None:
    old, new = opened("model-a"), opened("model-b")
    old.upsert([a_point(1), a_point(2)])
    beside = new.prepare()
    beside.upsert([a_point(1), a_point(2)])
    old.delete([point_id(1)])
    assert beside.versions("acme", "user_001") == {point_id(2): 1}
    new.swap()
    new.delete([point_id(2)])
    assert old.prepare().versions("acme", "user_001") == {}


def test_a_replaced_collection_can_be_dropped_and_the_one_in_service_cannot(opened: Open) -> None:
    old, new = opened("model-a"), opened("model-b")
    old.upsert([a_point(1)])
    new.prepare()
    replaced = new.swap()
    assert replaced is not None
    with pytest.raises(StoreError, match="in service"):
        new.drop(new.state().collection)
    new.drop(replaced)
    assert new.state().extra["others"] == []


# Enough words, and texts of many lengths, that few memories tie for the tenth place by keywords.
WORDS = [f"word{number}" for number in range(300)] + [chr(0x5000 + 7 * number) * 2 for number in range(300)]


def test_the_top_ten_are_those_of_the_index_in_process(opened: Open, tmp_path: Path) -> None:
    chance = random.Random(7)
    size = 48

    def vector() -> list[float]:
        return [chance.gauss(0, 1) for _ in range(size)]

    def text() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(4, 20)))

    points = [a_point(n, text(), vector=vector(), entity_id=f"user_{n % 3}") for n in range(1, 3001)]
    server, edge = opened(size=size), EdgeIndex(tmp_path / "edge", embedder_name="model-a", size=size)
    for index in (server, edge):
        index.upsert(points)
    asked = [a_query(text(), vector(), entity_id=f"user_{n % 3}") for n in range(200)]
    same = sum(found(server, query) == found(edge, query) for query in asked)
    edge.close()
    assert same >= 198


def test_each_tenant_fills_an_index_that_was_emptied_for_itself(opened: Open) -> None:
    ours, theirs = opened(tenant="ours"), opened(tenant="theirs")
    ours.rebuilt()
    assert ours.state().rebuilt_reason == ""
    assert theirs.state().rebuilt_reason
    theirs.rebuilt()
    ours.clear()
    assert ours.state().rebuilt_reason == theirs.state().rebuilt_reason == "the collection was cleared"
    theirs.rebuilt()
    assert ours.state().rebuilt_reason
    assert theirs.state().rebuilt_reason == ""
