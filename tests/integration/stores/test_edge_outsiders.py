from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from easy_data.schemas.ports import IndexQuery, Point
from easy_data.schemas.records import Bucket
from easy_data.stores.edge_index import EdgeIndex

SIZE = 8
NUMBER = 5_200


def point(number: int, entity: str = "one", status: str = "active") -> Point:
    vector = np.random.default_rng(number).normal(size=SIZE)
    vector /= np.linalg.norm(vector)
    text = f"word{number % 50} word{number % 7}"
    name = str(uuid.UUID(int=number + 1))
    return Point(name, 1, "t", entity, Bucket.EVENT, "remark", status, float(number), vector.tolist(), text)


def found(index: EdgeIndex, entity: str = "one", *, text: str = "", since: float | None = None) -> set[str]:
    asked = IndexQuery("t", entity, point(7).vector, text, 40, since=since)
    return {hit.id for hit in index.search(asked)}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EdgeIndex]:
    opened = EdgeIndex(tmp_path, embedder_name="test", size=SIZE)
    opened.upsert([point(number) for number in range(NUMBER)])
    yield opened
    opened.close()


def test_the_points_of_others_never_come_back_where_one_entity_has_nearly_all(index: EdgeIndex) -> None:
    first = found(index)
    # Nearer to the query than all others, so that they would be found.
    strangers = [replace(point(n, "two"), vector=point(7).vector) for n in range(NUMBER, NUMBER + 20)]
    index.upsert(strangers)
    ids = {stranger.id for stranger in strangers}
    # Which are scored exactly depends on how many are asked for, so the last places may differ.
    assert len(found(index) & first) >= 38
    assert found(index, "two") == ids
    assert not ids & found(index, text="word7 word3")


def test_a_point_that_is_no_longer_live_is_gone_and_comes_back_when_it_is(
    index: EdgeIndex,
) -> None:
    nearest = point(7).id
    assert nearest in found(index)
    index.upsert([point(7, status="superseded")])
    assert nearest not in found(index)
    index.upsert([point(7)])
    assert nearest in found(index)
    index.delete([nearest])
    assert nearest not in found(index)


def test_leaving_out_the_check_of_each_point_changes_no_hit(index: EdgeIndex) -> None:
    index.upsert([point(number, "two") for number in range(NUMBER, NUMBER + 20)])
    # A range that holds for all points is checked point by point.
    assert len(found(index) & found(index, since=-1.0)) >= 38
