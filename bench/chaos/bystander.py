"""Somebody who writes, forgets, reviews and reads all through a run: ``python -m bench.chaos.bystander FOLDER``.

It checks on the spot what only a reader can see: what it wrote is there, what it had forgotten is nowhere, and nothing
of another tenant shows. What it saw wrong it writes down, and the checker counts it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from bench.chaos.deployment import EMBEDDER_SIZE, OTHER_TENANT, Deployment
from bench.chaos.journal import Journal
from easy_data import EasyMemory
from easy_data.pipeline.indexing import relay
from easy_data.pipeline.reconcile import reconcile
from easy_data.pipeline.runtime import Runtime, build_runtime
from easy_data.schemas.errors import EasyDataError
from easy_data.schemas.settings import Settings
from tests.fixtures.small_embedder import SmallEmbedder

PEOPLE = ("b0", "b1", "b2")
PAUSE_SECONDS = 0.1
REMEMBERED = 40
DOOMED_EVERY = 25


class Bystander:
    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._journal = Journal(deployment.journals / "bystander.jsonl")
        self._rng = random.Random(f"{deployment.seed}/bystander")
        self._ours, self._theirs = self._build({}), self._build({"tenant_id": OTHER_TENANT})
        self._memory, self._other = EasyMemory.over(self._ours), EasyMemory.over(self._theirs)
        self._count = 0
        # (entity, memory id, word) of what is there, and (entity, word) of what is gone
        self._there: list[tuple[str, str, str]] = []
        self._gone: list[tuple[str, str]] = []
        self._doomed: list[str] = []

    def run(self) -> None:
        self._deployment.await_begin("bystander")
        end = self._deployment.start.timestamp() + self._deployment.seconds
        turns: tuple[Callable[[], None], ...] = (self._write, self._forget, self._read, self._review)
        while time.time() < end:
            self._count += 1
            self._try(self._rng.choice(turns))
            if self._count % DOOMED_EVERY == 0:
                self._try(self._doom)
            if self._count % (DOOMED_EVERY // 2) == 0:
                self._try(self._be_another)
            time.sleep(PAUSE_SECONDS)
        while self._doomed:
            self._try(self._erase)
            time.sleep(PAUSE_SECONDS)
        # The other tenant has no workers here: what its own would do at their next tick.
        while not self._try(self._keep_other):
            time.sleep(PAUSE_SECONDS)

    def _try(self, turn: Callable[[], None]) -> bool:
        try:
            turn()
        except EasyDataError as error:
            self._journal.write("error", turn=turn.__name__, error=type(error).__name__)
            return False
        return True

    def _keep_other(self) -> None:
        relay(self._theirs)
        reconcile(self._theirs)

    def _write(self) -> None:
        entity, word = self._rng.choice(PEOPLE), f"Wrote{self._count:05}"
        made = self._memory.write_profile(entity_id=entity, attr_name="pet", attr_value=f"cat named {word}")
        if made.memory_id is None:
            self._journal.write("violation", invariant="I8", detail=f"{word} was not written: {made.fate}")
            return
        self._journal.write("wrote", entity=entity, id=made.memory_id, word=word)
        self._there.append((entity, made.memory_id, word))
        if not any(word in fact.attr_value for fact in self._memory.profile(entity)):
            self._journal.write("violation", invariant="I9", detail=f"{word} was written and is not listed")

    def _forget(self) -> None:
        if len(self._there) < 5:
            return
        entity, memory_id, word = self._there.pop(self._rng.randrange(len(self._there)))
        with suppress(LookupError):  # forgotten by a call whose answer was lost
            self._memory.forget(entity, memory_id=memory_id)
        self._journal.write("forgot", entity=entity, id=memory_id, word=word)
        self._gone = [*self._gone[-REMEMBERED:], (entity, word)]
        self._look(entity, word)

    def _read(self) -> None:
        if self._gone:
            self._look(*self._rng.choice(self._gone))

    def _look(self, entity: str, word: str) -> None:
        """Ask in every way there is for what was forgotten."""
        ways: dict[str, Callable[[], Any]] = {
            "recall": lambda: self._memory.recall(entity, f"cat named {word}").text,
            "search": lambda: [hit.model_dump_json() for hit in self._memory.search_profile(entity, word)],
            "list": lambda: [fact.attr_value for fact in self._memory.profile(entity)],
            "summary": lambda: self._memory.summary(entity),
            "export": lambda: list(self._memory.export(entity)),
        }
        for way, look in ways.items():
            if word in str(look()):
                self._journal.write("violation", invariant="I8", detail=f"{way} shows {word}, which was forgotten")
        self._journal.write("looked", word=word)

    def _review(self) -> None:
        waiting = self._memory.pending_review(limit=20)
        if waiting:
            item = self._rng.choice(waiting)
            decision = self._rng.choice(("approve", "reject"))
            self._memory.review(item.id, decision, by="bystander")
            self._journal.write("decided", id=item.id, decision=decision)

    def _doom(self) -> None:
        """Say something about somebody who will be forgotten while it is still being worked on."""
        entity, key = f"d{self._count:05}", f"doomed-{self._count:05}"
        texts = [f"I have a dog named Canary{self._count:05}.", "Noted.", "I live in Oslo."]
        self._journal.write("attempt", key=key, entity=entity, texts=texts)
        roles = ("user", "assistant", "user")
        said = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]
        self._doomed.append(entity)
        receipt = self._memory.end_conversation(entity, said, conversation_id=key)
        self._journal.write("ack", key=key, id=receipt.id, entity=entity, duplicate=receipt.duplicate, seconds=None)
        if len(self._doomed) > 1:
            self._erase()

    def _erase(self) -> None:
        entity = self._doomed[0]
        self._memory.forget(entity, everything=True)
        self._doomed.pop(0)
        self._journal.write("erased", entity=entity, word=f"Canary{entity[1:]}")

    def _be_another(self) -> None:
        """Another tenant has people of the same names; its conversations are nobody's work here."""
        entity, word = self._rng.choice(PEOPLE), f"Other{self._count:05}"
        self._other.write_profile(entity_id=entity, attr_name="pet", attr_value=f"cat named {word}")
        self._journal.write("other", entity=entity, word=word)
        said = [{"role": "user", "content": f"I have a dog named {word}."}]
        receipt = self._other.end_conversation(entity, said, conversation_id=f"other-{self._count:05}")
        self._journal.write("other ack", id=receipt.id)
        relay(self._theirs)
        shown = f"{self._memory.recall(entity, 'cat')}{self._memory.profile(entity)}{self._memory.summary(entity)}"
        if "Other" in shown:
            self._journal.write("violation", invariant="I13", detail=f"{entity} shows what another tenant keeps")
        theirs = f"{self._other.recall(entity, 'cat')}{self._other.profile(entity)}{self._other.summary(entity)}"
        if "Wrote" in theirs:
            self._journal.write("violation", invariant="I13", detail=f"another tenant's {entity} shows ours")

    def _build(self, more: dict[str, Any]) -> Runtime:
        settings = Settings(**self._deployment.settings | more)
        return build_runtime(settings, embedder=SmallEmbedder(EMBEDDER_SIZE))


if __name__ == "__main__":
    Bystander(Deployment.load(sys.argv[1])).run()
