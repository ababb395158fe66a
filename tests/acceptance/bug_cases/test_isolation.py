"""Cases of whose memory it is."""

from __future__ import annotations

from typing import Any

import pytest

from easy_data import EasyMemory
from easy_data.schemas.errors import InputError, NotFound
from tests.fixtures.memories import Open
from tests.fixtures.talk import facts, stored, tell


@pytest.mark.parametrize("entity", [None, "", " ", ["ann"], {"metadata": {"entity_id": "ann"}}, 0])
def test_without_an_entity_there_is_no_answer(memory: EasyMemory, entity: Any) -> None:
    """O-52."""
    tell(memory, "I live in Porto.")
    for ask in (memory.recall, memory.search_profile, memory.search_events, memory.search_workspace):
        with pytest.raises(InputError, match="entity_id"):
            ask(entity, "Porto")
    for read in (memory.profile, memory.events, memory.open_tasks, memory.summary):
        with pytest.raises(InputError, match="entity_id"):
            read(entity)


def test_an_unknown_filter_is_an_error_and_never_ignored(memory: EasyMemory) -> None:
    """O-52."""
    tell(memory, "I live in Porto.")
    with pytest.raises(TypeError, match="catgory"):
        memory.recall("ann", "Porto", catgory="x")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="buckets"):
        memory.recall("ann", "Porto", buckets=["catgory"])
    with pytest.raises(InputError, match="event_type"):
        memory.recall("ann", "Porto", event_types=["catgory"])
    assert memory.recall("ann", "Porto", buckets=["event"]).memories == ()


def test_another_entitys_memories_cannot_be_seen_changed_or_erased(memory: EasyMemory) -> None:
    """O-52, O-53."""
    tell(memory, "I live in Porto.", entity="bob", conversation_id="c1")
    (his,) = memory.profile("bob")
    revision = memory.history("bob", his.id)[0]
    for foreign in (
        lambda: memory.explain("ann", his.id),
        lambda: memory.correct("ann", his.id, attr_value="Rome"),
        lambda: memory.undo("ann", revision.id),
        lambda: memory.forget("ann", memory_id=his.id),
        lambda: memory.forget("ann", conversation_id="c1"),
    ):
        with pytest.raises(NotFound):
            foreign()
    assert memory.history("ann", his.id) == []
    assert memory.recall("ann", "Porto").memories == ()
    assert memory.profile("bob") == [his]


@pytest.mark.parametrize("said", ["I live in Porto.", "我住在杭州。"])
def test_two_tenants_that_say_the_same_each_keep_their_own(open_memory: Open, said: str) -> None:
    """O-53: one store, the same entity id in both."""
    for tenant in ("a", "b"):
        memory = open_memory(tenant_id=tenant)
        tell(memory, said, conversation_id="c1")
        assert len(stored(memory)) == 1
        memory.close()
    memory = open_memory(tenant_id="a")
    memory.forget("ann", everything=True)
    assert stored(memory) == []
    memory.close()
    memory = open_memory(tenant_id="b")
    assert facts(memory)["location"]
    assert len(memory.recall("ann", "where do I live? 我住在哪里？").memories) == 1


def test_two_entities_that_say_the_same_each_keep_their_own(memory: EasyMemory) -> None:
    """O-53."""
    for entity in ("ann", "bob"):
        tell(memory, "I live in Porto. The project review is on 15 October.", entity=entity)
    memory.forget("ann", everything=True)
    assert len(stored(memory, "bob")) == 2
    assert len(memory.recall("bob", "Porto, the project review", top_k=5).memories) == 2
