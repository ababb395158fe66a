"""Publishing through the broker alone: whatever is killed or lost on the way, each conversation is in SQL once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from sqlalchemy import func, select

from easy_data import ConversationPublisher, EasyMemory
from easy_data.schemas.errors import ConversationTooLarge, InputError, NotFound, SettingsError
from easy_data.schemas.publishing import PublishState
from easy_data.stores import queue
from easy_data.stores.local_servers import free_port, start_valkey
from easy_data.stores.tables import conversations
from tests.fixtures.service import Service
from tests.fixtures.talk import user
from tests.fixtures.waiting import wait_until

ROOT = Path(__file__).parents[3]
NO_SERVER = "redis://127.0.0.1:1/0"
KEPT, SENT, ACCEPTED, REFUSED = PublishState


def publisher(service: Service, journal: Path, **changes: Any) -> ConversationPublisher:
    settings = {
        "broker_url": service.settings["broker_url"],
        "deployment": service.settings["deployment"],
        "resend_seconds": 0.5,
    }
    return ConversationPublisher(**settings | changes, journal=journal)


def stored(memory: EasyMemory) -> int:
    with memory._runtime.database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(conversations)).scalar_one())


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture(autouse=True)
def _try_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "REST_SECONDS", 0.05)
    monkeypatch.setattr("easy_data.stores.redis_receipts.REST_SECONDS", 0.05)


@pytest.fixture
def own_broker(service: Service) -> Iterator[Any]:
    """A broker without persistence that the test starts and stops at one address; it does not run yet."""
    port = free_port()
    running: list[Any] = []

    def start() -> None:
        running.append(start_valkey(port=port))

    def stop() -> None:
        running.pop().stop()

    service.settings["broker_url"] = f"redis://127.0.0.1:{port}/0"
    yield SimpleNamespace(start=start, stop=stop)
    while running:
        with suppress(OSError):
            stop()


def test_a_publisher_needs_neither_sqlalchemy_nor_the_pipeline(tmp_path: Path) -> None:
    code = (
        "import sys, json\n"
        "from easy_data import ConversationPublisher\n"
        f"p = ConversationPublisher({NO_SERVER!r}, {str(tmp_path / 'j.db')!r})\n"
        "state = p.publish('ann', [{'role': 'user', 'content': 'I live in Oslo.'}]).state\n"
        "names = {n.split('.')[0] for n in sys.modules} | {n for n in sys.modules if n.startswith('easy_data.')}\n"
        "print(json.dumps([state, sorted(names)]))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    state, names = json.loads(ran.stdout)
    assert state == KEPT
    assert not {"sqlalchemy", "alembic", "psycopg2", "numpy", "qdrant_edge", "easy_data.pipeline"} & set(names)


def test_what_is_published_is_settled_and_recalled(service: Service, journal: Path) -> None:
    memory = service.memory()
    service.worker()
    with publisher(service, journal, resend_seconds=60) as agent:
        published = agent.publish(
            "ann", [user("我住在上海。我不吃香菜。🥬")], conversation_id="c1", time_zone="Asia/Shanghai"
        )
        assert published.state in (KEPT, SENT)
        assert agent.wait(40)
        (settled,) = agent.confirm()
        assert (settled.id, settled.state, settled.duplicate) == (published.id, ACCEPTED, False)
        assert agent.confirm() == agent.pending() == []
        with pytest.raises(NotFound):
            agent.status(published.id)
    assert settled.receipt_id is not None
    status = memory.receipt(settled.receipt_id).wait(40)
    assert (status.conversation_id, len(status.fates)) == ("c1", 2)
    assert "上海" in memory.recall("ann", "我住在哪里？").text


def test_a_conversation_that_comes_many_times_is_one(service: Service, journal: Path) -> None:
    memory = service.memory()
    with publisher(service, journal, resend_seconds=0.01) as agent:
        for _ in range(2):
            agent.publish("ann", [user("I live in Oslo.")], conversation_id="c1")
        # Nobody takes the messages yet, so they are sent again.
        wait_until(lambda: agent.flush() and min(each.attempts for each in agent.pending()) > 1, what="sent again")
        service.worker()
        assert agent.wait(40)
        settled = agent.confirm()
    assert {each.state for each in settled} == {ACCEPTED}
    assert len({each.receipt_id for each in settled}) == 1
    assert stored(memory) == 1


def test_a_broker_that_was_away_and_then_lost_everything_costs_time_alone(
    service: Service, own_broker: Any, journal: Path
) -> None:
    with publisher(service, journal) as agent:
        said = [f"c{number}" for number in range(5)]
        for name in said[:3]:
            assert agent.publish("ann", [user("I live in Oslo.")], conversation_id=name).state is KEPT
        own_broker.start()
        agent.wait(0.2)
        for name in said[3:]:
            agent.publish("bob", [user("I live in Rome.")], conversation_id=name)
        agent.flush()
        assert {each.state for each in agent.pending()} == {SENT}
        own_broker.stop()
        own_broker.start()
        memory = service.memory()
        service.worker()
        assert agent.wait(40)
        assert [each.conversation_id for each in agent.confirm()] == said
    assert stored(memory) == 5


@pytest.mark.parametrize("passing", ["1", "2"])
def test_a_worker_that_is_killed_after_the_commit_loses_nothing(service: Service, journal: Path, passing: str) -> None:
    memory = service.memory()
    with publisher(service, journal) as agent:
        for name in ("c1", "c2", "c3"):
            agent.publish("ann", [user("I live in Oslo.")], conversation_id=name)
        assert service.worker("intake.committed", passing).killed()
        service.worker()
        assert agent.wait(40)
        assert [each.state for each in agent.confirm()] == [ACCEPTED] * 3
    assert stored(memory) == 3


def test_a_publisher_that_was_killed_leaves_its_journal_to_the_next(service: Service, journal: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from easy_data import ConversationPublisher\n"
        "p = ConversationPublisher(sys.argv[1], sys.argv[2])\n"
        "p.publish('ann', [{'role': 'user', 'content': 'I live in Oslo.'}], conversation_id='c1')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, NO_SERVER, str(journal)], cwd=ROOT, check=False)
    assert ran.returncode == -signal.SIGKILL
    memory = service.memory()
    service.worker()
    with publisher(service, journal) as agent:
        assert [each.conversation_id for each in agent.pending()] == ["c1"]
        assert agent.wait(40)
    assert stored(memory) == 1


def test_what_intake_cannot_use_is_refused_with_the_reason_and_kept(service: Service, journal: Path) -> None:
    service.memory()
    service.worker()
    with publisher(service, journal) as agent:
        agent.publish("ann", [user("I live in Oslo.")], conversation_id="c1")
        other = agent.publish("ann", [user("I live in Rome.")], conversation_id="c1")
        assert agent.wait(40)
        settled = agent.confirm()
        assert {each.state for each in settled} == {ACCEPTED, REFUSED}
        assert [each.id for each in agent.confirm()] == [other.id]
        refused = agent.status(other.id)
        assert "conversation_conflict" in refused.reason
        assert "Rome" not in refused.reason
        agent.discard(other.id)
        assert agent.confirm() == []


def test_no_words_are_readable_at_the_broker(service: Service, journal: Path, redis_url: str) -> None:
    with publisher(service, journal) as agent:
        assert agent.publish("ann", [user("canary-4711 " * 3)], conversation_id="c1").state is SENT
        with redis.Redis.from_url(redis_url) as client:
            found = [client.lrange(k, 0, -1) for k in client.keys("*") if client.type(k) == b"list"]
            keys = client.keys(f"{service.settings['deployment']}:*")
        assert b"easy_data.submit" in repr(found).encode()
        assert b"canary" not in repr(found).encode()
        assert keys
        with pytest.raises(InputError, match="no receipt yet"):
            agent.discard(agent.pending()[0].id)


def test_objects_of_a_client_library_are_published_like_dictionaries(service: Service, journal: Path) -> None:
    memory = service.memory()
    service.worker()
    message = SimpleNamespace(role="user", content=[{"type": "text", "text": "I live in Oslo."}])
    with publisher(service, journal) as agent:
        agent.publish("ann", [message], conversation_id="c1")
        agent.publish("ann", [user("I live in Oslo.")], conversation_id="c1")
        assert agent.wait(40)
        assert {each.state for each in agent.confirm()} == {ACCEPTED}
    assert stored(memory) == 1


def test_what_cannot_be_published_is_refused_before_anything_is_kept(tmp_path: Path) -> None:
    with ConversationPublisher(NO_SERVER, tmp_path / "j.db", max_bytes=2000) as agent:
        for wrong in ({"entity_id": ""}, {"time_zone": "Mars/Olympus"}, {"language": "xx"}, {"conversation_id": "\n"}):
            with pytest.raises(InputError):
                agent.publish(**{"entity_id": "ann", "messages": [user("hi")]} | wrong)
        for messages in ("text", None, {"role": "user"}, [user(b"bytes")], [user(object())]):
            with pytest.raises(InputError):
                agent.publish("ann", messages)
        with pytest.raises(ConversationTooLarge):
            agent.publish("ann", [user("x" * 3000)])
        assert agent.pending() == []
    for url, more in (("http://x", {}), ("amqp://localhost", {}), (NO_SERVER, {"resend_seconds": 0})):
        with pytest.raises(SettingsError):
            ConversationPublisher(url, tmp_path / "k.db", **more)


def test_with_rabbitmq_away_it_is_kept_as_well(tmp_path: Path) -> None:
    with ConversationPublisher("amqp://127.0.0.1:1//", tmp_path / "j.db", cache_url=NO_SERVER) as agent:
        assert agent.publish("ann", [user("I live in Oslo.")]).state is KEPT
        app = agent._queue._publisher()
        assert app.conf.broker_transport_options["confirm_publish"]
        assert agent.flush() == 1


def test_a_forked_child_publishes_for_itself(service: Service, journal: Path) -> None:
    with publisher(service, journal) as agent:
        agent.publish("ann", [user("I live in Oslo.")], conversation_id="parent")
        child = os.fork()
        if child == 0:
            code = 1
            with suppress(BaseException):
                agent.publish("ann", [user("I live in Rome.")], conversation_id="child")
                code = 0
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        agent.publish("ann", [user("I live in Bonn.")], conversation_id="parent again")
        assert [each.conversation_id for each in agent.pending()] == ["parent", "child", "parent again"]
        assert {each.state for each in agent.pending()} == {SENT}
