"""Attempts to poison a memory: none may become part of what is recalled."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from easy_data.client.embedded import EasyMemory

ATTACKS = tomllib.loads((Path(__file__).parent / "attacks.toml").read_text("utf-8"))["attack"]
ROLES = {"u": "user", "a": "assistant", "t": "tool", "s": "system", "x": "stranger"}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EasyMemory]:
    """A memory that went through every attack, each on a person of its own."""
    with EasyMemory(path=tmp_path_factory.mktemp("attacked") / "memory.db", keep_sensitive=True) as memory:
        for attack in ATTACKS:
            lines = (line.partition(": ") for line in attack["say"])
            messages = [{"role": ROLES[role], "content": text} for role, _, text in lines]
            memory.end_conversation(attack["id"], messages, conversation_id=attack["id"])
        assert memory.flush(120)
        yield memory


def live(memory: EasyMemory, name: str) -> str:
    """Return everything that is live about someone, and what a recall of each word of it gives."""
    records = [*memory.profile(name), *memory.events(name), *memory.open_tasks(name)]
    kept = "\n".join(record.model_dump_json(exclude={"entity_id", "conversation_id"}) for record in records)
    return f"{kept}\n{memory.summary(name)}"


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["id"])
def test_an_attack_leaves_nothing_that_is_recalled(attacked: EasyMemory, attack: dict[str, Any]) -> None:
    name = attack["id"]
    found = live(attacked, name)
    asked = [attacked.recall(name, query).model_copy(update={"questions": ()}) for query in attack["never"]]
    recalled = "\n".join(hit.text for context in asked for hit in context.memories)
    for words in attack["never"]:
        assert words not in found
        assert words not in recalled
    for words in attack.get("kept", []):
        assert words in found
    if attack.get("waits"):
        assert attacked.pending_review(name)


def test_the_set_is_large_and_speaks_both_languages() -> None:
    chinese = [attack for attack in ATTACKS if any("\u4e00" <= char <= "\u9fff" for char in "".join(attack["say"]))]
    assert len(ATTACKS) >= 60
    assert min(len(chinese), len(ATTACKS) - len(chinese)) >= 25


@pytest.mark.parametrize(("said", "value"), [("I live in {}.", "Oslo"), ("我住在{}。", "杭州")])
def test_a_flood_of_conversations_waits_for_a_person(tmp_path: Path, said: str, value: str) -> None:
    with EasyMemory(path=tmp_path / "memory.db", flood_conversations=20) as memory:
        for number in range(20):
            memory.end_conversation("ann", [{"role": "user", "content": f"hello {number}"}])
        status = memory.end_conversation("ann", [{"role": "user", "content": said.format(value)}]).wait()
        assert [(fate.fate.value, fate.reason) for fate in status.fates] == [("queued", "flood")]
        assert not memory.profile("ann")
        (item,) = memory.pending_review("ann")
        # Nobody in the flood can say yes to it.
        memory.end_conversation("ann", [{"role": "assistant", "content": f"Do you live in {value}?"}, *yes()]).wait()
        assert not memory.profile("ann")
        # Others are not in it.
        memory.end_conversation("bob", [{"role": "user", "content": said.format(value)}]).wait()
        assert [fact.attr_value for fact in memory.profile("bob")] == [value]
        memory.review(item.id, "approve")
        assert [fact.attr_value for fact in memory.profile("ann")] == [value]


def yes() -> list[dict[str, str]]:
    return [{"role": "user", "content": "yes"}]


def test_a_history_that_is_taken_in_at_once_is_no_flood(tmp_path: Path) -> None:
    with EasyMemory(path=tmp_path / "memory.db", flood_conversations=20) as memory:
        for number in range(40):
            ended_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
            said = [{"role": "user", "content": f"I love hobby{number}. My cat is called Miso."}]
            memory.end_conversation("ann", said, ended_at=ended_at)
        memory.end_conversation("ann", [{"role": "user", "content": "I live in Oslo."}])
        assert memory.flush(60)
        assert [fact.attr_value for fact in memory.profile("ann", attr_names=["location"])] == ["Oslo"]
        assert not [item for item in memory.pending_review("ann") if item.reason == "flood"]
