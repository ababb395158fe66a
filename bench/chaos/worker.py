"""A worker or beat of a run: ``python -m bench.chaos.worker FOLDER KIND NAME [SKEW]``.

It is the product's own Celery application with traps at the named points, the small embedder, sweeps every few seconds
in place of every minute, and a clock that may be wrong by SKEW seconds.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import kombu.transport.redis
from celery import Celery
from celery.apps.beat import Beat
from celery.signals import worker_ready
from sqlalchemy import update

from bench.chaos import talk
from bench.chaos.deployment import EMBEDDER_SIZE, Deployment
from bench.chaos.traps import watcher
from easy_data.pipeline.extraction.pattern_extractor import PatternExtractor
from easy_data.pipeline.models import build_chat_extractor
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.ports import Extraction, Extractor
from easy_data.schemas.receipts import State
from easy_data.schemas.registry import Registry
from easy_data.schemas.settings import Settings
from easy_data.stores.repositories import claims
from easy_data.stores.tables import conversations
from easy_data.workers.celery_app import make_app
from tests.fixtures.small_embedder import SmallEmbedder

SWEEP_SECONDS = 4.0
MAINTAIN_SECONDS = 10.0
CONCURRENCY = 2


class SkewedClock:
    """A host's clock that is wrong by ``seconds``."""

    def __init__(self, seconds: float) -> None:
        self._wrong_by = timedelta(seconds=seconds)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._wrong_by


class Reader:
    """Patterns for most conversations, the chat model for some; and what a conversation does to its reader."""

    def __init__(self, deployment: Deployment, settings: Settings) -> None:
        registry = Registry()
        self._deployment = deployment
        self._patterns = PatternExtractor(registry)
        self._chat: Extractor = build_chat_extractor(settings, registry)
        # Patterns are compiled on first use: here, before the process forks, and not in each child.
        for text in ("I live in Oslo.", "我住在杭州。"):
            said = Message(role="user", content=text)
            self._patterns.extract(
                Conversation(
                    tenant_id="-",
                    entity_id="-",
                    source="-",
                    conversation_id="-",
                    messages=(said,),
                    ended_at=datetime.now(UTC),
                    time_zone="UTC",
                    language="en",
                )
            )

    def extract(self, conversation: Conversation) -> Extraction:
        if not self._deployment.healed.exists():
            said = " ".join(message.content for message in conversation.messages)
            if talk.POISON in said:
                os.kill(os.getpid(), signal.SIGKILL)
            if talk.BROKEN in said:
                raise ValueError("the reader cannot read this")
        reader = self._chat if conversation.source == talk.MODEL_SOURCE else self._patterns
        return reader.extract(conversation)


def build(deployment: Deployment, *, proxied: bool, skew: float) -> Celery:
    chosen = dict(deployment.settings)
    if proxied and deployment.proxied_broker_url:
        chosen["broker_url"] = deployment.proxied_broker_url
    settings = Settings(**chosen)
    reached = watcher(deployment.traps, deployment.sprung)
    app = make_app(
        settings,
        embedder=SmallEmbedder(EMBEDDER_SIZE),
        extractor=Reader(deployment, settings),
        clock=SkewedClock(skew),
        reached=reached,
    )
    if skew:
        # For as long as the harness says, the broker's client believes the wrong clock too: then a worker takes what
        # others have just taken for lost, and hands it out again.
        kombu.transport.redis.time = lambda: time.time() + (skew if deployment.believed.exists() else 0)
    _watch_the_gap(reached)
    if deployment.unfenced:
        _take_the_fence_out()
    for name, seconds in (("easy_data.sweep", SWEEP_SECONDS), ("easy_data.maintain", MAINTAIN_SECONDS)):
        app.conf.beat_schedule[name]["schedule"] = timedelta(seconds=seconds)
    return app


def _watch_the_gap(reached: Any) -> None:
    """Name the point at which a message has left the queue and is not yet noted as taken: a kill there loses it."""
    append = kombu.transport.redis.QoS.append

    def watched(qos: Any, message: Any, delivery_tag: Any) -> None:
        reached("broker.popped")
        append(qos, message, delivery_tag)

    kombu.transport.redis.QoS.append = watched


def _take_the_fence_out() -> None:
    """Let a worker do what any message asks, done already or not, and write whether or not it holds the row."""
    claim_stage = claims.claim_stage

    def claim(connection: Any, row_id: str, state: State, **times: Any) -> Any:
        reopened = {"state": state, "lease_until": None, "next_attempt_at": times["now"]}
        connection.execute(update(conversations).where(conversations.c.id == row_id).values(**reopened))
        return claim_stage(connection, row_id, state, **times)

    def advance(connection: Any, row: Any, state: State, **values: Any) -> bool:
        moved = {"state": state, "lease_until": None, **values}
        connection.execute(update(conversations).where(conversations.c.id == row.id).values(**moved))
        return True

    claims.claim_stage, claims.advance = claim, advance
    claims.is_held = lambda *_: True


def main(folder: str, kind: str, name: str, skew: str = "0") -> None:
    logging.basicConfig(level=logging.ERROR)
    deployment = Deployment.load(folder)
    app = build(deployment, proxied=name == "w0", skew=float(skew))
    if kind == "beat":
        schedule = str(deployment.path / f"{name}.schedule")
        Beat(app=app, schedule=schedule, loglevel="ERROR", quiet=True, max_interval=1).run()
        return
    worker_ready.connect(lambda **_: (deployment.ready / name).touch(), weak=False)
    alone = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
    app.Worker(
        pool="prefork", concurrency=CONCURRENCY, hostname=f"{name}@chaos", loglevel="ERROR", quiet=True, **alone
    ).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
