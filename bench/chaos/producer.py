"""An agent that hands conversations over: ``python -m bench.chaos.producer FOLDER NUMBER``.

It writes down each attempt before it makes it and each receipt once it has it, tries again what failed, and sends some
conversations twice. Started again after a kill it goes on from its journal: what has no receipt is sent again.
"""

from __future__ import annotations

import random
import sys
import time
from datetime import timedelta
from typing import Any

from bench.chaos.deployment import EMBEDDER_SIZE, PAST_DAYS, Deployment
from bench.chaos.journal import Journal, entries
from bench.chaos.talk import DUPLICATE_SHARE, Talk, talks_of
from bench.chaos.traps import watcher
from bench.chaos.worker import SkewedClock
from easy_data import EasyMemory
from easy_data.pipeline.runtime import build_runtime
from easy_data.schemas.errors import EasyDataError
from easy_data.schemas.settings import Settings
from tests.fixtures.small_embedder import SmallEmbedder

# After a failure, how often nobody asks again: then nobody knows if it was taken.
GIVE_UP_SHARE = 0.15
PAUSE_SECONDS = 0.3


class Producer:
    """Hands over its share, spread over the time the run lasts."""

    def __init__(self, deployment: Deployment, number: int) -> None:
        path = deployment.journals / f"producer{number}.jsonl"
        self._acked, self._given_up = set(), set()
        for entry in entries(path):
            if entry["what"] == "ack":
                self._acked.add(entry["key"])
            elif entry["what"] == "give up":
                self._given_up.add(entry["key"])
        self._deployment = deployment
        self._journal = Journal(path)
        self._rng = random.Random()
        self._memory = self._attach(timedelta())
        # People whose days lie behind: to this agent it is still then.
        self._past = self._attach(-timedelta(days=PAST_DAYS))
        deployment.await_begin(f"producer{number}")
        self._talks = talks_of(deployment, number)

    def run(self) -> None:
        pace = self._deployment.seconds / max(1, len(self._talks))
        open_talks: list[Talk] = []
        for i, talk in enumerate(self._talks):
            if talk.key in self._acked | self._given_up:
                continue
            wait = self._deployment.start.timestamp() + i * pace - time.time()
            if wait > 0:
                time.sleep(wait)
            open_talks = [each for each in (*open_talks, talk) if not self._hand_over(each)]
            if self._rng.random() < DUPLICATE_SHARE:
                self._hand_over(self._rng.choice(self._talks[: i + 1]))
        while open_talks:
            time.sleep(PAUSE_SECONDS)
            open_talks = [each for each in open_talks if not self._hand_over(each)]

    def _hand_over(self, talk: Talk) -> bool:
        """Send one; False when it should be tried again."""
        memory = self._past if talk.entity.startswith("p") else self._memory
        self._journal.write("attempt", key=talk.key, entity=talk.entity, texts=talk.texts)
        begun = time.perf_counter()
        try:
            receipt = memory.end_conversation(
                talk.entity, talk.messages, conversation_id=talk.key, source=talk.source, ended_at=talk.ended_at
            )
        except EasyDataError as error:
            self._journal.write("error", key=talk.key, error=type(error).__name__, retryable=error.retryable)
            if self._rng.random() < GIVE_UP_SHARE:
                self._journal.write("give up", key=talk.key)
                return True
            return False
        took = time.perf_counter() - begun
        self._journal.write(
            "ack", key=talk.key, id=receipt.id, entity=talk.entity, duplicate=receipt.duplicate, seconds=took
        )
        return True

    def _attach(self, behind: timedelta) -> EasyMemory:
        parts: dict[str, Any] = {"embedder": SmallEmbedder(EMBEDDER_SIZE), "clock": SkewedClock(behind.total_seconds())}
        reached = watcher(self._deployment.traps, self._deployment.sprung)
        return EasyMemory.over(build_runtime(Settings(**self._deployment.settings), reached=reached, **parts))


def main(folder: str, number: str) -> None:
    Producer(Deployment.load(folder), int(number)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
