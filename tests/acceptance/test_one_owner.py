"""One owner a store: whatever name it is opened by, whoever forks, and however it ends."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from easy_data.schemas.errors import SettingsError, StoreClosed, StoreLocked
from tests.fixtures.meanings import Meanings
from tests.fixtures.memories import Open
from tests.fixtures.talk import facts, tell, user


def test_a_store_is_one_by_whatever_link_it_is_opened(open_memory: Open, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "memory.db")
    open_memory()
    with pytest.raises(StoreLocked):
        open_memory(path=tmp_path / "link.db")


@pytest.mark.parametrize("name", ["a?mode=ro", "a%20b.db", "a#b.db", "记忆.db"])
def test_a_files_name_means_nothing_but_itself(open_memory: Open, tmp_path: Path, name: str) -> None:
    memory = open_memory(path=tmp_path / name)
    tell(memory, "I live in Oslo.")
    assert facts(memory)["location"] == {"Oslo"}
    assert {each.name.removeprefix(name) for each in tmp_path.iterdir()} <= {
        "",
        *("-wal", "-shm", ".lock", ".holder", ".index"),
    }


@pytest.mark.parametrize("path", ["", ".", ":memory:", "a\0b"])
def test_a_path_that_is_no_file_is_refused(open_memory: Open, path: str) -> None:
    with pytest.raises(SettingsError, match="path"):
        open_memory(path=path)


def test_a_folder_is_refused(open_memory: Open, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="folder"):
        open_memory(path=tmp_path)


def test_whoever_waits_is_told_when_the_memory_is_closed(open_memory: Open) -> None:
    extractor = Meanings({}, holds=True)
    memory = open_memory(extractor=extractor)
    memory.end_conversation("bob", [user("first")])
    receipt = memory.end_conversation("ann", [user("second")])
    ends: list[BaseException | None] = []

    def wait() -> None:
        try:
            receipt.wait(None)
        except StoreClosed as error:
            ends.append(error)

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert extractor.arrived.wait(30)
    closer = threading.Thread(target=memory.close)
    closer.start()
    extractor.held.set()
    closer.join(30)
    waiter.join(30)
    assert not waiter.is_alive()
    assert all(isinstance(end, StoreClosed) for end in ends)


@pytest.mark.parametrize("call", ["end_conversation", "write_profile", "recall"])
def test_a_forked_child_is_told_to_open_its_own(open_memory: Open, call: str) -> None:
    memory = open_memory()
    arguments: dict[str, tuple[tuple[object, ...], dict[str, object]]] = {
        "end_conversation": (("ann", [user("I live in Oslo.")]), {}),
        "write_profile": ((), {"entity_id": "ann", "attr_name": "location", "attr_value": "Oslo"}),
        "recall": (("ann", "where do I live?"), {}),
    }
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        positional, named = arguments[call]
        try:
            getattr(memory, call)(*positional, **named)
        except StoreClosed:
            os._exit(42)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert tell(memory, "I live in Rome.").fates


def test_rebuilding_the_index_keeps_the_other_tenants_of_the_store(open_memory: Open) -> None:
    first = open_memory(tenant_id="first")
    tell(first, "I live in Oslo.")
    first.close()
    second = open_memory(tenant_id="second")
    tell(second, "I live in Rome.")
    assert second.reindex() == 2
    second.close()
    assert [hit.text for hit in open_memory(tenant_id="first").search_profile("ann", "where I live")]


def test_an_index_that_lost_points_is_filled_again(open_memory: Open) -> None:
    memory = open_memory()
    tell(memory, "I live in Oslo.")
    index = memory._runtime.index  # as a lost segment does: without a word to anybody
    index.delete(list(index.versions("default", "ann")))
    memory.close()
    again = open_memory()
    assert again.flush(30)
    assert any("1 memories were indexed anew" in check.found for check in again.diagnose())
