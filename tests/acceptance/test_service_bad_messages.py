"""The service and messages that are not ours, conversations that cannot be read, and a model that is away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kombu import Connection

from easy_data import EasyMemory
from easy_data.pipeline import inbox
from easy_data.schemas.conversation import Conversation
from easy_data.schemas.ids import new_id
from easy_data.schemas.ports import Extraction
from easy_data.schemas.receipts import Outcome, State
from easy_data.stores.repositories import conversations
from easy_data.workers.process import PROCESS
from tests.acceptance.conftest import SharedService
from tests.fixtures.meanings import Meanings, fact
from tests.fixtures.memories import Open
from tests.fixtures.modes import SERVICE
from tests.fixtures.scripted_openai import ScriptedOpenAI
from tests.fixtures.service import Service
from tests.fixtures.talk import facts, stored, tell, user
from tests.fixtures.waiting import wait_until

# The protocol of Celery's messages, version 2: arguments, keywords, and what else is to be called.
NOTHING_ELSE: dict[str, Any] = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
Header = dict[str, Any]
# Headers that Celery reads before it looks at the task.
HEADERS: list[Header] = [
    {"eta": "tomorrow"},
    {"expires": "never"},
    {"timelimit": "long"},
    {"timelimit": [1]},
    {"id": None},
    {"retries": "many"},
    {"lang": 7},
    {"root_id": []},
    {"shadow": {}},
    {"origin": 7},
    {"stamped_headers": 7},
]
PICKLED = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x0etouch /tmp/own3d\x85R."


@pytest.fixture
def mode() -> str:
    """Everything here is about the service."""
    return SERVICE


def send(shared: SharedService, body: object, task: str, *, header: Header | None = None, **properties: Any) -> None:
    """Put a message into the queue of the first stage, as anybody who reaches the broker can."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"lang": "py", "task": task, "id": new_id(), "root_id": new_id(), "timelimit": [None, None], "retries": 0}
    options = {"global_keyprefix": f"{shared.settings['deployment']}:"}
    with Connection(shared.settings["broker_url"], transport_options=options) as connection:
        connection.Producer().publish(
            text,
            routing_key="extract",
            exchange="",
            headers=headers | (header or {}),
            **{"content_type": "application/json", "content_encoding": "utf-8"} | properties,
        )


def test_messages_that_are_not_ours_are_refused_and_counted_and_the_work_goes_on(
    open_memory: Open, shared_service: SharedService, tenant: dict[str, Any]
) -> None:
    extractor = Meanings({"I live in Oslo.": fact("location", "Oslo")}, holds=True)
    memory = open_memory(extractor=extractor)
    extractor.held.set()
    other = EasyMemory(**tenant | {"tenant_id": "other", "broker_url": None})
    foreign = other.end_conversation("ann", [user("I live in Paris.")]).id
    other.close()
    PROCESS.counts.clear()
    mine = {"tenant_id": tenant["tenant_id"], "row_id": foreign}
    hostile: list[tuple[object, str]] = [
        ([[], {**mine, "surprise": "x"}, NOTHING_ELSE], "easy_data.extract"),
        ([[], {"tenant_id": "other", "row_id": foreign}, NOTHING_ELSE], "easy_data.extract"),
        ([[], {**mine, "row_id": "../../etc/passwd"}, NOTHING_ELSE], "easy_data.extract"),
        ([[], {**mine, "row_id": "'; DROP TABLE conversations; --"}, NOTHING_ELSE], "easy_data.settle"),
        ([["default", foreign], {}, NOTHING_ELSE], "easy_data.extract"),
        ([[], {}, NOTHING_ELSE], "easy_data.maintain"),
        ([[], {"tenant_id": tenant["tenant_id"], "entity_id": ["ann"]}, NOTHING_ELSE], "easy_data.summary"),
        ([[], mine, NOTHING_ELSE], "os.system"),
        ([[], mine, NOTHING_ELSE], "easy_data.unknown"),
    ]
    for body, task in hostile:
        send(shared_service, body, task)
    # Another tenant's conversation under our own tenant's name: a fine message about nothing.
    send(shared_service, [[], mine, NOTHING_ELSE], "easy_data.extract")
    wait_until(lambda: PROCESS.counts["rejected"] >= len(hostile) and PROCESS.counts["idle"] == 1, seconds=20)
    assert extractor.read == []
    assert tell(memory, "I live in Oslo.").outcome is Outcome.WRITTEN
    runtime = memory._runtime
    with runtime.database.read() as connection:
        assert conversations.find(connection, tenant["tenant_id"], foreign) is None


def test_bodies_that_cannot_be_read_are_refused_and_nothing_in_them_is_run(
    open_memory: Open, shared_service: SharedService
) -> None:
    memory = open_memory()
    PROCESS.counts.clear()
    send(shared_service, PICKLED, "easy_data.extract", content_type="application/x-python-serialize")
    send(shared_service, PICKLED, "easy_data.extract", content_type="application/data", content_encoding="binary")
    send(shared_service, b"{", "easy_data.extract")
    send(shared_service, b"\xff\xfe", "easy_data.extract")
    send(shared_service, {"no": "task"}, "easy_data.extract")
    send(shared_service, [], "easy_data.extract")
    send(shared_service, {"task": "easy_data.extract", "id": "x", "args": [], "kwargs": {}}, "")
    send(shared_service, {}, "")
    for header in HEADERS:
        send(shared_service, [[], {"tenant_id": "other"}, NOTHING_ELSE], "easy_data.sweep", header=header)
    send(shared_service, [[], {"tenant_id": "other"}, {"chain": [{"task": "easy_data.sweep"}]}], "easy_data.sweep")
    assert tell(memory, "I live in Oslo.").outcome is Outcome.WRITTEN
    # More when messages to the tenant of the test before were still under way.
    assert PROCESS.counts["rejected"] >= 9 + len(HEADERS)


class Poisoned(Meanings):
    """Cannot read what speaks of herons."""

    def __init__(self) -> None:
        super().__init__(
            {"cats": fact("pet", "two cats"), "Oslo": fact("location", "Oslo"), "heron": fact("pet", "heron")}
        )
        self.harmless = False

    def extract(self, conversation: Conversation) -> Extraction:
        found = super().extract(conversation)
        if "heron" in conversation.messages[0].content and not self.harmless:
            raise ZeroDivisionError("I keep a heron")
        return found


def test_a_poisonous_conversation_is_put_aside_with_its_reason_and_can_be_replayed(open_memory: Open) -> None:
    extractor = Poisoned()
    memory = open_memory(extractor=extractor, max_attempts=3)
    said = (("ann", "I have cats"), ("ann", "I keep a heron"), ("ann", "I live in Oslo"), ("bob", "I have cats"))
    receipts = [
        memory.end_conversation(entity, [user(text)], conversation_id=f"c{n}") for n, (entity, text) in enumerate(said)
    ]
    outcomes = [receipt.wait(30).outcome for receipt in receipts]
    assert outcomes == [Outcome.WRITTEN, Outcome.DEAD_LETTER, Outcome.WRITTEN, Outcome.WRITTEN]
    (dead,) = memory.dead_letters()
    # The reason names the kind of fault and nothing that was said.
    assert (dead.receipt_id, dead.reason, dead.attempts) == (receipts[1].id, "ZeroDivisionError", 3)
    assert extractor.read.count("c1") == 3
    assert facts(memory) == {"pet": {"two cats"}, "location": {"Oslo"}}
    extractor.harmless = True
    assert memory.replay(dead.receipt_id).wait(30).outcome is Outcome.WRITTEN
    assert memory.dead_letters() == []
    assert "heron" in facts(memory)["pet"]


@pytest.mark.timeout(180)
def test_a_conversation_that_ends_every_worker_at_it_is_put_aside_and_the_others_are_read(service: Service) -> None:
    """A worker that dies leaves no exception: the attempt was counted before it began."""
    service.settings |= {"lease_seconds": 1.5, "max_attempts": 2}
    memory = service.memory()
    receipts = [memory.end_conversation("ann", [user("I keep a heron.")], conversation_id="c1")]
    for _ in range(2):
        assert service.worker("claim.committed", "1").killed()
        assert memory.dead_letters() == []
    receipts.append(memory.end_conversation("ann", [user("I live in Oslo.")], conversation_id="c2"))
    service.worker()

    def settled() -> bool:
        inbox.sweep(memory._runtime)
        return all(receipt.status().settled for receipt in receipts)

    wait_until(settled, seconds=45)
    assert [receipt.outcome for receipt in receipts] == [Outcome.DEAD_LETTER, Outcome.WRITTEN]
    assert receipts[0].status().reason == "3 attempts ended without a result"
    assert facts(memory) == {"location": {"Oslo"}}


def test_without_its_model_conversations_wait_and_nothing_is_taken_for_done(
    open_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    nobody = {"llm_base_url": "http://127.0.0.1:1/v1", "llm_model": "scripted-1", "llm_attempts": 1}
    memory = open_memory(**nobody, retry_seconds=0.05, max_attempts=2)
    receipt = memory.end_conversation("ann", [user("I keep two ferrets")])
    wait_until(lambda: receipt.status().attempts > 4, seconds=45, what="it was tried more often than a fault would be")
    status = receipt.status()
    assert (status.state, status.outcome, status.settled) == (State.RECEIVED, None, False)
    assert status.reason.startswith("model_unavailable: ")
    assert (stored(memory), memory.dead_letters()) == ([], [])
    quote = "I keep two ferrets"
    chat_server.default = {
        "profile": [{"attr_name": "pet", "value": "two ferrets", "turn": 0, "quote": quote}],
        "events": [],
        "workspace": [],
    }
    memory.close()
    memory = open_memory(llm_base_url=chat_server.base_url, llm_model="scripted-1", retry_seconds=0.05)
    assert memory.receipt(receipt.id).wait(30).outcome is Outcome.WRITTEN
    assert facts(memory) == {"pet": {"two ferrets"}}
