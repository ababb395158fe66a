"""The service on bad days: servers that are down, full or not what the settings say, and messages that are not ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis
import sqlalchemy as sa

from easy_data import EasyMemory
from easy_data.pipeline import inbox
from easy_data.pipeline.indexing import drift
from easy_data.schemas.errors import SettingsError, StoreBusy, StoreError
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.local_servers import LocalServer, free_port, start_valkey
from easy_data.stores.repositories import conversations, entities
from tests.fixtures.engines import PostgresServer
from tests.fixtures.meanings import Meanings, event, fact
from tests.fixtures.memories import Open
from tests.fixtures.modes import SERVICE
from tests.fixtures.qdrant_server import QdrantProcess
from tests.fixtures.refusing_postgres import RefusingPostgres
from tests.fixtures.service import Service
from tests.fixtures.talk import facts, stored, tell, user
from tests.fixtures.waiting import wait_until

SAID = {"c1": "I live in Oslo.", "c2": "我不吃香菜。", "c3": "I have two cats."}
ATTRIBUTES = ["dietary_restriction", "location", "pet"]


@pytest.fixture
def mode() -> str:
    """Everything here is about the service."""
    return SERVICE


class Broker:
    """A broker and cache of this test alone, on a port that stays."""

    def __init__(self) -> None:
        self._port = free_port()
        self._server: LocalServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start it, or start it again with nothing in it."""
        self._server = start_valkey(port=self._port)

    def stop(self) -> None:
        """Stop it; a second call does nothing."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    def limit(self, memory: int) -> None:
        """Let it refuse what it has no room for; 0 takes the limit away."""
        with redis.Redis.from_url(self.url) as client:
            client.config_set("maxmemory", memory)


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.stop()


def hand_over(memory: EasyMemory) -> list[str]:
    return [memory.end_conversation("ann", [user(text)], conversation_id=name).id for name, text in SAID.items()]


def check_all_settle(memory: EasyMemory, receipts: list[str]) -> None:
    """Sweep, as beat does each minute, until every conversation has left its effect, once."""

    def settled() -> bool:
        inbox.sweep(memory._runtime)
        return all(memory.receipt(each).status().settled for each in receipts) and memory.flush(0)

    wait_until(settled, seconds=45, what="all are settled")
    assert [memory.receipt(each).outcome for each in receipts] == [Outcome.WRITTEN] * len(receipts)
    assert sorted(facts(memory)) == ATTRIBUTES
    assert {len(memory.history("ann", record.id)) for record in stored(memory)} == {1}
    assert drift(memory._runtime) == 0


@pytest.mark.timeout(120)
@pytest.mark.parametrize("trouble", ["stopped", "full"])
def test_a_broker_that_is_down_or_full_stops_no_intake_and_the_work_is_done_when_it_is_back(
    service: Service, broker: Broker, trouble: str
) -> None:
    service.settings |= {"broker_url": broker.url, "cache_url": broker.url}
    worker = service.worker()
    memory = service.memory()
    memory.end_conversation("bob", [user("hello")]).wait(45)
    if trouble == "stopped":
        broker.stop()
    else:
        broker.limit(1)
    receipts = hand_over(memory)
    assert {memory.receipt(each).status().state for each in receipts} == {State.RECEIVED}
    (background,) = [check for check in memory.diagnose() if check.name == "background"]
    assert "did not reach the broker; the sweeper sends them" in background.found
    assert memory.recall("ann", "where do I live?").memories == ()
    if trouble == "stopped":
        broker.start()
    else:
        broker.limit(0)
    # The memory above leaves the broker alone for a while; whoever sweeps later does not.
    check_all_settle(service.memory(), receipts)
    worker.stop()


def close_database(server: PostgresServer, url: str) -> None:
    """Let nobody in, and throw out who is."""
    name = sa.make_url(url).database
    server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


def open_database(server: PostgresServer, url: str) -> None:
    server.execute(f'ALTER DATABASE "{sa.make_url(url).database}" ALLOW_CONNECTIONS true')


@pytest.mark.timeout(120)
def test_without_its_database_intake_says_so_and_keeps_nothing_half(
    service: Service, postgres_server: PostgresServer
) -> None:
    url = service.settings["database_url"]
    memory = service.memory()
    service.worker()
    memory.end_conversation("bob", [user("hello")]).wait(45)
    close_database(postgres_server, url)
    for _ in range(2):
        with pytest.raises(StoreBusy, match=r"PostgreSQL at .* does not answer; is it running, and does database_url"):
            hand_over(memory)
    with pytest.raises(StoreBusy):
        memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="chess")
    with pytest.raises(StoreBusy):
        memory.recall("ann", "where do I live?")
    open_database(postgres_server, url)
    runtime = memory._runtime
    with runtime.database.read() as connection:
        assert conversations.of_entity(connection, runtime.scope("ann")) == []
        assert entities.find(connection, runtime.scope("ann")) is None
    # The same call again is all that is needed; workers that met the outage go on.
    check_all_settle(memory, hand_over(memory))


def test_without_its_vector_server_recall_says_so_and_conversations_wait(
    open_memory: Open, qdrant_process: QdrantProcess
) -> None:
    """Facts are compared in SQL and go on; events are compared with like ones, which the server finds."""
    told = ("The red kite tore.", "风筝修好了。", "The boat is for sale.")
    meanings: dict[str, Any] = {text: event(text, "task_completed") for text in told}
    memory = open_memory(
        qdrant_url=qdrant_process.url,
        retry_seconds=0.05,
        extractor=Meanings(meanings | {"I live in Oslo.": fact("location", "Oslo")}),
    )
    tell(memory, told[0])
    qdrant_process.kill()
    waiting = [memory.end_conversation("ann", [user(text)]) for text in told[1:]]

    def wait() -> bool:
        return all(receipt.status().reason.startswith("index_unavailable") for receipt in waiting)

    wait_until(wait, seconds=45, what="both wait for the index, and that is their reason")
    assert [receipt.outcome for receipt in waiting] == [None, None]
    context = memory.recall("ann", "what happened to the red kite?")
    assert (context.degraded, [hit.text for hit in context.memories]) == (("index",), [told[0]])
    memory.write_profile(entity_id="ann", attr_name="hobby", attr_value="kites")
    assert facts(memory) == {"hobby": {"kites"}}
    last = memory.end_conversation("bob", [user("I live in Oslo.")])
    assert memory._background.wait_until(lambda: last.status().settled, timeout=30)
    qdrant_process.start()
    assert memory.flush(45)
    assert [receipt.outcome for receipt in waiting] == [Outcome.WRITTEN] * 2
    assert {record.summary for record in memory.events("ann")} == set(told)
    assert memory.recall("ann", "what happened to the red kite?").degraded == ()
    assert drift(memory._runtime) == 0


def test_a_cache_that_is_full_or_down_costs_nothing_but_the_cache(open_memory: Open, broker: Broker) -> None:
    memory = open_memory(cache_url=broker.url)
    broker.limit(1)
    tell(memory, "I live in Oslo.")
    assert "Oslo" in memory.summary("ann")
    broker.stop()
    tell(memory, "I have two cats.")
    assert "cats" in memory.summary("ann")
    assert "cats" in memory.recall("ann", "which pets do I have?").text


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"database_url": "postgresql://127.0.0.1:1/x"}, StoreBusy, "does not answer; is it running, and does"),
        ({"database_url": "mysql://127.0.0.1/x"}, SettingsError, "database_url must begin with postgresql://"),
        ({"database_url": "not a url"}, SettingsError, "database_url must begin with postgresql://"),
        ({"database_url": "postgresql://easy:secret@h:port/x"}, SettingsError, "database_url is not a URL; write it"),
        ({"database_url": None}, SettingsError, "needs database_url"),
        ({"broker_url": "http://127.0.0.1"}, SettingsError, "broker_url must begin with redis://"),
        ({"broker_url": "redis://127.0.0.1:port/0"}, SettingsError, "broker_url is not a URL"),
        ({"cache_url": "amqp://127.0.0.1"}, SettingsError, "cache_url must begin with redis://"),
        ({"cache_url": "redis://127.0.0.1:port/0"}, SettingsError, "cache_url is not a URL"),
        ({"qdrant_url": "127.0.0.1:6333"}, SettingsError, "qdrant_url: must look like http://host:6333"),
        ({"qdrant_url": "http://127.0.0.1:port"}, SettingsError, "qdrant_url: its port is not a number"),
        ({"qdrant_url": None}, SettingsError, "needs either qdrant_url or index_path"),
        ({"index_path": "/tmp/x"}, SettingsError, "needs either qdrant_url or index_path"),
        ({"deployment": "a b"}, SettingsError, "deployment"),
    ],
)
def test_an_address_that_cannot_be_is_refused_at_the_start(
    tenant: dict[str, Any], changes: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as refused:
        EasyMemory(**{name: value for name, value in (tenant | changes).items() if value is not None})
    assert "secret" not in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        ("28P01", 'password authentication failed for user "easy"', "refuses this user or password; correct"),
        ("28000", 'no pg_hba.conf entry for host "127.0.0.1", user "easy"', "does not let this user in from this host"),
        ("3D000", 'database "memory" does not exist', "does not have this database or user; create it"),
        ("53300", "sorry, too many clients already", "does not answer"),
    ],
)
def test_a_database_that_lets_nobody_in_is_told_with_the_remedy(
    tenant: dict[str, Any], code: str, reason: str, said: str
) -> None:
    with RefusingPostgres(code, reason) as server:
        url = f"postgresql://easy:very-secret@127.0.0.1:{server.port}/memory?sslmode=disable&gssencmode=disable"
        with pytest.raises(StoreError, match=said) as refused:
            EasyMemory(**tenant | {"database_url": url})
    assert "very-secret" not in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
