"""What is special to the index in process: its folder belongs to one handle of one process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from easy_data.schemas.errors import StoreLocked
from easy_data.stores.edge_index import EdgeIndex
from tests.fixtures.points import SIZE, a_point, a_query, found, point_id

Open = Callable[..., EdgeIndex]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    indexes: list[EdgeIndex] = []

    def open_index(*, embedder: str = "model-a", size: int = SIZE) -> EdgeIndex:
        indexes.append(EdgeIndex(tmp_path / "index", embedder_name=embedder, size=size))
        return indexes[-1]

    yield open_index
    for index in indexes:
        index.close()


def test_a_second_handle_is_refused_and_harms_nothing(opened: Open) -> None:
    index = opened()
    index.upsert([a_point(1)])
    with pytest.raises(StoreLocked):
        opened()
    assert found(index, a_query("tea")) == {point_id(1)}
    assert index.state().extra["others"] == []


def test_another_model_or_size_has_a_collection_of_its_own(opened: Open) -> None:
    """Case O-16."""
    first = opened()
    first.upsert([a_point(1)])
    wider = opened(size=16)
    assert wider.state().points == 0
    assert wider.state().rebuilt_reason
    renamed = opened(embedder="org/model-a")
    assert renamed.state().points == 0
    assert len({each.state().collection for each in (first, wider, renamed)}) == 3
    first.close()
    assert found(opened(), a_query("tea")) == {point_id(1)}


WRITER = """
import sys, uuid
from pathlib import Path
from easy_data.schemas.ports import Point
from easy_data.schemas.records import Bucket
from easy_data.stores.edge_index import EdgeIndex

index = EdgeIndex(Path(sys.argv[1]), embedder_name="model-a", size=8)
number = 0
while True:
    number += 1
    index.upsert([Point(str(uuid.UUID(int=number)), 1, "acme", "user_001", Bucket.EVENT, "chat", "active", 1.0,
                        [1.0] * 8, "tea")])
    print(number, flush=True)
"""


def test_what_was_acknowledged_survives_the_kill_of_the_process(opened: Open, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "index")], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(300)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    there = opened().versions("acme", "user_001")
    assert {point_id(number) for number in acknowledged} <= there.keys()
