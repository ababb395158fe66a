"""Attempts to poison a memory: none may become part of what is recalled."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
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
