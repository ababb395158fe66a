"""Cases of the vector index: derived from SQL, never ahead of it, never a reason to lose anything."""

from __future__ import annotations

from dataclasses import replace

from easy_data.pipeline.indexing import drift
from tests.fixtures.memories import Build
from tests.fixtures.modes import Over, both_modes
from tests.fixtures.outages import BreakableIndex
from tests.fixtures.talk import stored

pytestmark = both_modes

FIVE = ("tea", "cocoa", "lemonade", "cider", "绿茶")


def test_a_deleted_memory_is_never_recalled_and_leaves_the_index_once_it_is_back(build: Build, over: Over) -> None:
    """O-09."""
    runtime = build()
    index = BreakableIndex(runtime.index)
    with over(replace(runtime, index=index)) as memory:
        ids = {
            value: memory.write_profile(entity_id="ann", attr_name="beverage_preference", attr_value=value).memory_id
            for value in FIVE
        }
        index.down = True
        memory.forget("ann", memory_id=ids["cocoa"])
        for _ in range(2):
            recalled = memory.recall("ann", "cocoa, what does she drink?", top_k=10).memories
            assert {hit.id for hit in recalled} == {ids[value] for value in FIVE if value != "cocoa"}
            index.down = False
            assert memory.flush(30)
        indexed = runtime.index.versions(runtime.settings.tenant_id, "ann")
        assert set(indexed) == {record.id for record in stored(memory)}
        assert drift(runtime) == 0
