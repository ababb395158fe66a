"""Cases of the index beside an embedded store: another model, and damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from easy_data.pipeline.indexing import drift
from easy_data.schemas.ports import Embedder
from tests.fixtures.memories import Open
from tests.fixtures.small_embedder import SmallEmbedder

FIVE = ("tea", "cocoa", "lemonade", "cider", "绿茶")


def test_another_embedder_gets_an_index_of_its_own_filled_from_sql(open_memory: Open, tmp_path: Path) -> None:
    """O-16."""
    memory = open_memory(embedder=SmallEmbedder(384))
    for value in FIVE:
        memory.write_profile(entity_id="ann", attr_name="beverage_preference", attr_value=value)
    memory.close()
    before = set((tmp_path / "memory.db.index").iterdir())
    memory = open_memory(embedder=SmallEmbedder(768))
    memory.write_profile(entity_id="ann", attr_name="beverage_preference", attr_value="mead")
    assert memory.flush(30)
    recalled = memory.search_profile("ann", "drinks", attr_names=["beverage_preference"], limit=10)
    assert {hit.record.attr_value for hit in recalled} == {*FIVE, "mead"}  # type: ignore[union-attr]
    assert drift(memory._runtime) == 0
    after = set((tmp_path / "memory.db.index").iterdir())
    assert before < after
    memory.close()
    # Going back finds the first one again, brought up to date.
    memory = open_memory(embedder=SmallEmbedder(384))
    assert memory.flush(30)
    assert len(memory.search_profile("ann", "drinks mead", limit=10)) == 6


@pytest.mark.parametrize("damage", ["truncated", "garbage", "emptied"])
def test_a_damaged_index_is_rebuilt_from_sql_and_that_is_said(
    open_memory: Open, tmp_path: Path, embedder: Embedder, damage: str
) -> None:
    """O-16, O-09: the index holds nothing that SQL does not."""
    memory = open_memory()
    for value in FIVE:
        memory.write_profile(entity_id="ann", attr_name="beverage_preference", attr_value=value)
    memory.close()
    for file in sorted((tmp_path / "memory.db.index").rglob("*")):
        if file.is_file():
            content = file.read_bytes()
            file.write_bytes(
                {"truncated": content[: len(content) // 2], "garbage": b"\xff" * 64, "emptied": b""}[damage]
            )
    memory = open_memory()
    assert memory.flush(30)
    assert len(memory.recall("ann", "what does she drink?", top_k=10).memories) == 5
    assert drift(memory._runtime) == 0
    (background,) = [check for check in memory.diagnose() if check.name == "background"]
    assert "5 memories were indexed anew" in background.found
