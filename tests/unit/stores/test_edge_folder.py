from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from easy_data.schemas.ports import IndexQuery, Point
from easy_data.schemas.records import Bucket
from easy_data.stores.edge_index import EdgeIndex


def an_index(path: Path) -> EdgeIndex:
    return EdgeIndex(path, embedder_name="model-a", size=4)


def a_point(number: int) -> Point:
    vector = [1.0, 0.0, 0.0, float(number)]
    return Point(str(uuid.UUID(int=number)), 1, "acme", "u", Bucket.EVENT, "chat", "active", 1.0, vector, "tea")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a closed collection with one point."""
    index = an_index(tmp_path)
    index.upsert([a_point(1)])
    index.rebuilt()
    collection = index.state().collection
    index.close()
    return tmp_path / collection


def one_file(folder: Path, name: str) -> Path:
    return next(path for path in sorted(folder.rglob(name)) if path.is_file())


@pytest.mark.parametrize(
    "name",
    [
        "first-index",
        "edge_config.json",
        "segment.json",
        "deleted/status.dat",
        "payload_storage/page_0.dat",
        "chunk_0.mmap",
    ],
)
def test_a_damaged_collection_is_set_aside_and_an_empty_one_made(folder: Path, name: str) -> None:
    one_file(folder, name).write_bytes(b"")
    index = an_index(folder.parent)
    state = index.state()
    assert state.points == 0
    assert "damaged" in state.rebuilt_reason
    assert state.extra["others"] == [f"{folder.name}.corrupt-1"]
    index.upsert([a_point(2)])
    assert [hit.id for hit in index.search(IndexQuery("acme", "u", None, "tea", 5))] == [a_point(2).id]
    index.close()


def test_each_damaged_collection_keeps_a_folder_of_its_own(folder: Path) -> None:
    for _ in range(2):
        one_file(folder, "segment.json").write_bytes(b"")
        an_index(folder.parent).close()
    assert sorted(path.name for path in folder.parent.glob("*.corrupt-*")) == [
        f"{folder.name}.corrupt-1",
        f"{folder.name}.corrupt-2",
    ]


def test_a_collection_whose_marker_is_lost_keeps_its_points_and_asks_for_a_rebuild(folder: Path) -> None:
    (folder / "collection.json").unlink()
    index = an_index(folder.parent)
    assert index.state().points == 1
    assert index.state().rebuilt_reason
    index.close()


def test_leftovers_of_an_interrupted_clear_do_not_stop_the_next(folder: Path) -> None:
    for suffix in ("new", "old"):
        leftover = folder.with_name(f"{folder.name}.{suffix}")
        leftover.mkdir()
        (leftover / "file").write_text("x")
    index = an_index(folder.parent)
    index.clear()
    assert index.state().points == 0
    assert index.state().extra["others"] == []
    index.close()


def test_an_embedder_name_that_looks_like_a_path_stays_inside_the_folder(tmp_path: Path) -> None:
    index = EdgeIndex(tmp_path / "index", embedder_name="../org/model v1", size=4)
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert len(list((tmp_path / "index").iterdir())) == 1
    index.close()
