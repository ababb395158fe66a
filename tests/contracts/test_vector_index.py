"""What every vector index promises, run on each implementation."""

from __future__ import annotations

import math
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from unicodedata import normalize

import pytest

from easy_data.schemas.errors import IndexUnavailable, InputError
from easy_data.schemas.ports import VectorIndex
from easy_data.schemas.records import Bucket, Status
from easy_data.stores.edge_index import EdgeIndex
from easy_data.stores.qdrant_index import QdrantIndex
from tests.fixtures.points import SIZE, a_point, a_query, direction, found, point_id
from tests.fixtures.qdrant_server import REAL_URL, remove_deployment

Open = Callable[..., VectorIndex]


@pytest.fixture(params=["edge", "server", *(["real server"] if REAL_URL else [])])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    indexes: list[VectorIndex] = []
    deployment = f"test_{uuid.uuid4().hex}"

    def open_index(*, embedder: str = "model-a", size: int = SIZE) -> VectorIndex:
        if request.param == "edge":
            index: VectorIndex = EdgeIndex(tmp_path / "index", embedder_name=embedder, size=size)
        else:
            url = REAL_URL if request.param == "real server" else request.getfixturevalue("shared_qdrant")
            index = QdrantIndex(url, embedder_name=embedder, size=size, prefix=deployment)
        indexes.append(index)
        return index

    yield open_index
    for index in indexes:
        index.close()
    if request.param == "real server":
        remove_deployment(REAL_URL, deployment)


@pytest.fixture
def index(opened: Open) -> VectorIndex:
    return opened()


def test_the_nearest_vector_has_its_cosine(index: VectorIndex) -> None:
    index.upsert([a_point(number) for number in range(1, 20)])
    best = max(index.search(a_query(vector=direction(7))), key=lambda hit: hit.dense or -1)
    assert best.id == point_id(7)
    assert best.dense == pytest.approx(1.0, abs=0.02)
    assert best.keyword is None


def test_each_side_finds_what_the_other_does_not(index: VectorIndex) -> None:
    index.upsert([a_point(number, text="coffee") for number in range(1, 20)])
    index.upsert([a_point(20, text="a rare orchid", vector=[-x for x in direction(7)])])
    hits = {hit.id: hit for hit in index.search(a_query("orchids", direction(7), limit=3))}
    assert len(hits) == 4
    assert hits[point_id(7)].keyword is None
    orchid = hits[point_id(20)]
    assert orchid.keyword is not None
    assert orchid.keyword > 0
    assert orchid.dense == pytest.approx(-1.0, abs=0.05)


def test_a_rare_word_of_the_entity_weighs_more_than_a_common_one(index: VectorIndex) -> None:
    others = [a_point(100 + n, text="orchid", entity_id="user_002") for n in range(50)]
    own = [a_point(number, text="coffee") for number in range(1, 10)]
    index.upsert([*others, *own, a_point(10, text="orchid")])
    scores = {hit.id: hit.keyword for hit in index.search(a_query("orchid coffee", limit=20))}
    assert scores[point_id(10)] > scores[point_id(1)]


def test_no_other_entity_or_tenant_is_found(index: VectorIndex) -> None:
    index.upsert(
        [
            a_point(1),
            a_point(2, entity_id="user_002"),
            a_point(3, tenant_id="other"),
            a_point(4, tenant_id="acme user_001", entity_id=""),
            a_point(5, tenant_id='acme", "user_001', entity_id="user_001"),
        ]
    )
    assert found(index, a_query("tea", direction(1))) == {point_id(1)}
    assert index.versions("acme", "user_001") == {point_id(1): 1}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, {1, 2, 3, 5}),
        ({"buckets": (Bucket.PROFILE,)}, {2}),
        ({"buckets": (Bucket.PROFILE, Bucket.WORKSPACE)}, {2, 3}),
        ({"buckets": (Bucket.PROFILE, Bucket.PROFILE)}, {2}),
        ({"kinds": ("travel", "chat")}, {1, 2, 3, 5}),
        ({"kinds": ("travel",)}, {5}),
        ({"statuses": ("superseded",)}, {4}),
        ({"statuses": ("conflict",)}, {2}),
        ({"statuses": ("active", "superseded"), "buckets": (Bucket.EVENT,)}, {1, 4, 5}),
        ({"statuses": ()}, set()),
        ({"since": 1002.0}, {2, 3, 5}),
        ({"until": 1003.0}, {1, 2}),
        ({"since": 1002.0, "until": 1005.0}, {2, 3}),
        ({"buckets": (Bucket.EVENT,), "since": 1002.0}, {5}),
    ],
)
def test_conditions_narrow_both_sides(index: VectorIndex, conditions: dict[str, object], expected: set[int]) -> None:
    index.upsert(
        [
            a_point(1),
            a_point(2, bucket=Bucket.PROFILE, status=Status.CONFLICT),
            a_point(3, bucket=Bucket.WORKSPACE),
            a_point(4, status=Status.SUPERSEDED),
            a_point(5, kind="travel"),
        ]
    )
    wanted = {point_id(number) for number in expected}
    assert found(index, a_query("tea", **conditions)) == wanted
    assert found(index, a_query(vector=direction(1), **conditions)) == wanted


def test_an_upsert_replaces_vector_text_payload_and_version(index: VectorIndex) -> None:
    index.upsert([a_point(1, text="tea")])
    index.upsert([a_point(1, text="coffee", version=2, bucket=Bucket.PROFILE)])
    assert found(index, a_query("tea")) == set()
    assert found(index, a_query("coffee", buckets=(Bucket.PROFILE,))) == {point_id(1)}
    assert index.versions("acme", "user_001") == {point_id(1): 2}
    assert index.state().points == 1


def test_a_deleted_point_is_gone_and_unknown_ids_are_no_error(index: VectorIndex) -> None:
    """Case O-09."""
    index.upsert([a_point(1), a_point(2)])
    index.delete([point_id(1), point_id(99)])
    assert found(index, a_query("tea", direction(1))) == {point_id(2)}
    assert index.versions("acme", "user_001") == {point_id(2): 1}


def test_nothing_asked_finds_nothing(index: VectorIndex) -> None:
    index.upsert([a_point(1)])
    index.upsert([])
    index.delete([])
    assert index.search(a_query()) == []
    assert index.search(a_query("the", None)) == []
    assert index.search(a_query("tea", direction(1), limit=0)) == []


def test_a_point_without_words_is_found_by_its_vector(index: VectorIndex) -> None:
    index.upsert([a_point(1, text="...")])
    assert found(index, a_query("tea", direction(1))) == {point_id(1)}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("배포는 금요일에 하지 않는다", "금요일"),
        ("Пароль меняю раз в квартал", "квартал"),
        ("أفضل القهوة بدون سكر", "القهوة"),
        ("אני גר בחיפה", "בחיפה"),
        (normalize("NFC", "café crème"), normalize("NFD", "café")),
        (normalize("NFD", "café crème"), normalize("NFC", "café")),
        ("🌶️ okay", "🌶"),
        ("🌶️ okay", "okay"),
        ("İstanbul", "istanbul"),
        ("我对花生过敏", "花生"),
        ("我养了一只猫", "猫"),
        ("กินข้าวแล้ว", "ข้าว"),
    ],
)
def test_a_text_of_any_script_is_found_by_its_own_word(index: VectorIndex, text: str, word: str) -> None:
    """Case O-49."""
    index.upsert([a_point(1, text=text), a_point(2, text="something else 其他")])
    assert found(index, a_query(word)) == {point_id(1)}


@pytest.mark.parametrize(
    "changes",
    [{"vector": [1.0] * 3}, {"vector": [math.nan] * SIZE}, {"vector": [math.inf] * SIZE}, {"id": "not-a-uuid"}],
)
def test_one_unusable_point_leaves_the_index_unchanged(index: VectorIndex, changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        index.upsert([a_point(1), a_point(2, **changes)])
    assert index.state().points == 0


def test_versions_lists_every_point_of_a_large_entity(index: VectorIndex) -> None:
    index.upsert([a_point(number, version=number) for number in range(1, 4502)])
    assert index.versions("acme", "user_001") == {point_id(number): number for number in range(1, 4502)}


def test_points_are_there_after_the_index_is_opened_again(opened: Open) -> None:
    first = opened()
    first.upsert([a_point(1)])
    first.close()
    first.close()
    with pytest.raises(IndexUnavailable):
        first.search(a_query("tea"))
    with pytest.raises(IndexUnavailable):
        first.upsert([a_point(2)])
    assert found(opened(), a_query("tea", direction(1))) == {point_id(1)}


def test_the_need_to_rebuild_is_told_until_the_rebuild_is_done(opened: Open) -> None:
    index = opened()
    assert index.state().rebuilt_reason
    index.upsert([a_point(1)])
    index.close()
    index = opened()
    assert index.state().rebuilt_reason
    index.rebuilt()
    assert index.state().rebuilt_reason == ""
    index.close()
    index = opened()
    assert index.state().rebuilt_reason == ""
    index.clear()
    assert index.state().rebuilt_reason


def test_clear_removes_every_point_and_the_index_stays_usable(index: VectorIndex) -> None:
    index.upsert([a_point(1)])
    index.clear()
    assert index.state().points == 0
    index.upsert([a_point(2)])
    assert found(index, a_query("tea", direction(2))) == {point_id(2)}
    assert index.state().extra["others"] == []


def test_threads_share_one_index(index: VectorIndex) -> None:
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for number in range(start, start + 100):
                index.upsert([a_point(number)])
                index.search(a_query("tea", direction(number)))
                if number % 2:
                    index.delete([point_id(number)])
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(start,)) for start in (1000, 2000, 3000, 4000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(index.versions("acme", "user_001")) == 200
