"""The repositories' main paths on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from easy_data.schemas.candidates import ReviewReason
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.errors import StoreError
from easy_data.schemas.ids import Scope, new_id
from easy_data.schemas.receipts import Outcome, State
from easy_data.schemas.records import Bucket, Entity, EventRecord, ProfileRecord, Status
from easy_data.schemas.review import ReviewItem, ReviewStatus
from easy_data.stores.database import Connection, Database
from easy_data.stores.migrate import ensure_schema
from easy_data.stores.repositories import claims, conversations, entities, evidence, history, memories, reviews
from easy_data.stores.repositories.evidence import Ground

NOW = datetime(2026, 5, 11, 2, 0, tzinfo=UTC)
ANN = Scope("acme", "ann")
# A broken surrogate and NUL never come this far; everything else of Unicode must.
HARD = "café 林晓岚 🌶️ אני ' \" \\ % _ {} $1 :x \ufffd"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    ensure_schema(database)
    yield database
    database.close()


def known(connection: Connection, scope: Scope = ANN) -> Entity:
    newcomer = Entity(tenant_id=scope.tenant_id, entity_id=scope.entity_id)
    return entities.ensure(connection, scope, time_zone=None, language=None, defaults=newcomer, now=NOW)


def deliver(connection: Connection, name: str, *, seq: int, scope: Scope = ANN, text: str = HARD) -> tuple[str, bool]:
    row_id = new_id()
    added = conversations.add(
        connection,
        row_id=row_id,
        conversation=Conversation(
            tenant_id=scope.tenant_id,
            entity_id=scope.entity_id,
            source="chat",
            conversation_id=name,
            messages=(Message(role="user", content=text, said_at=NOW),),
            ended_at=NOW,
            time_zone="UTC",
            language="en",
        ),
        entity_seq=seq,
        epoch=0,
        sha256="0" * 64,
        now=NOW,
    )
    return row_id, added


def fact(value: str, **more: object) -> ProfileRecord:
    made = ProfileRecord(entity_id="ann", attr_name="hobby", attr_type="preference", attr_value=value, valid_from=NOW)
    return made.model_copy(update={"id": new_id(), "version": 1} | more)


def test_a_conversation_is_kept_whole_and_only_once(database: Database) -> None:
    with database.write() as connection:
        known(connection)
        row_id, added = deliver(connection, "c1", seq=1)
        assert added
        assert deliver(connection, "c1", seq=2)[1] is False
    with database.read() as connection:
        row = conversations.latest(connection, "acme", "chat", "c1")
        assert row is not None
        assert (row.id, row.received_at, row.state) == (row_id, NOW, State.RECEIVED)
        kept = row.conversation()
        assert kept is not None
        assert kept.messages[0].content == HARD
        assert conversations.find(connection, "other", row_id) is None


def test_sequence_numbers_count_up_and_are_never_given_twice(database: Database) -> None:
    with database.write() as connection:
        known(connection)
    taken: list[int] = []

    def take() -> None:
        for _ in range(10):
            with database.write() as connection:
                known(connection)
                taken.append(entities.take_sequence(connection, ANN))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(taken) == list(range(1, 41))


def test_workers_that_claim_at_once_get_different_conversations(database: Database) -> None:
    with database.write() as connection:
        for number in range(20):
            known(connection, Scope("acme", f"user-{number}"))
            deliver(connection, f"c{number}", seq=1, scope=Scope("acme", f"user-{number}"))
    claimed: list[str] = []

    def work() -> None:
        while True:
            with database.write() as connection:
                row = claims.claim(connection, now=NOW, lease_until=NOW + timedelta(minutes=5), tenant_id="acme")
            if row is None:
                return
            claimed.append(row.id)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert len(claimed) == len(set(claimed)) == 20


def test_a_lease_that_ran_out_is_taken_over_and_its_first_holder_is_fenced_off(database: Database) -> None:
    lease = NOW + timedelta(minutes=5)
    with database.write() as connection:
        known(connection)
        deliver(connection, "c1", seq=1)
        first = claims.claim(connection, now=NOW, lease_until=lease, tenant_id="acme")
        assert first is not None
        assert claims.claim(connection, now=NOW, lease_until=lease, tenant_id="acme") is None
    with database.write() as connection:
        second = claims.claim(connection, now=lease, lease_until=lease + timedelta(minutes=5), tenant_id="acme")
        assert second is not None
        assert (second.attempts, second.fence) == (2, first.fence + 1)
        assert not claims.is_held(connection, first)
        assert not claims.advance(connection, first, State.EXTRACTED)
        assert not claims.settle(connection, first, Outcome.WRITTEN, now=lease)
        assert claims.settle(connection, second, Outcome.WRITTEN, now=lease)
        assert not claims.settle(connection, second, Outcome.EMPTY, now=lease)
    with database.read() as connection:
        row = conversations.find(connection, "acme", first.id)
        assert row is not None
        assert (row.state, row.outcome) == (State.SETTLED, Outcome.WRITTEN)


def test_effects_wait_for_the_earlier_conversations_of_the_entity(database: Database) -> None:
    lease = NOW + timedelta(minutes=5)
    with database.write() as connection:
        known(connection)
        for seq, name in ((1, "c1"), (2, "c2")):
            deliver(connection, name, seq=seq)
        first = claims.claim(connection, now=NOW, lease_until=lease, tenant_id="acme")
        second = claims.claim(connection, now=NOW, lease_until=lease, tenant_id="acme")
        assert first is not None
        assert second is not None
        assert (first.conversation_id, second.conversation_id) == ("c1", "c2")
        assert claims.is_blocked(connection, second)
        assert not claims.advance(connection, replace(second, state=State.CLASSIFIED), State.PLANNED)
        assert claims.advance(connection, second, State.PLANNED)
        assert claims.release(connection, replace(second, state=State.PLANNED))
        assert claims.claim(connection, now=NOW, lease_until=lease, tenant_id="acme") is None
        assert claims.settle(connection, first, Outcome.EMPTY, now=NOW)
        again = claims.claim(connection, now=NOW, lease_until=lease, tenant_id="acme")
        assert again is not None
        assert (again.id, again.attempts) == (second.id, second.attempts)
        assert not claims.is_blocked(connection, again)


def test_a_value_is_live_once_and_history_any_number_of_times(database: Database) -> None:
    with database.write() as connection:
        known(connection)
        memories.insert_one(connection, ANN, fact("chess"), now=NOW)
        for _ in range(2):
            memories.insert_one(connection, ANN, fact("chess", status=Status.SUPERSEDED), now=NOW)
    with pytest.raises(StoreError), database.write() as connection:
        memories.insert_one(connection, ANN, fact("  CHESS "), now=NOW)
    with database.write() as connection:
        memories.insert_one(connection, Scope("other", "ann"), fact("chess"), now=NOW)
        assert len(memories.page(connection, ANN, Bucket.PROFILE, limit=10)) == 1
        assert len(memories.page(connection, ANN, Bucket.PROFILE, statuses=(), limit=10)) == 3


def test_records_come_back_as_they_went_in(database: Database) -> None:
    event = EventRecord(
        entity_id="ann",
        event_type="info_learned",
        summary=HARD,
        payload={"deep": [{"text": HARD, "number": 1.5, "none": None, "yes": True}]},
        happened_at=datetime(1, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        id=new_id(),
        version=7,
        updated_at=NOW,
    )
    with database.write() as connection:
        known(connection)
        memories.insert_one(connection, ANN, event, now=NOW)
        assert memories.find(connection, ANN, event.id) == event
        assert memories.find(connection, Scope("acme", "bob"), event.id) is None


def test_pages_over_equal_times_show_every_event_once(database: Database) -> None:
    """O-58."""
    made = [
        EventRecord(
            entity_id="ann", event_type="remark", summary=str(n), happened_at=NOW + timedelta(hours=n // 7), id=new_id()
        )
        for n in range(30)
    ]
    with database.write() as connection:
        known(connection)
        memories.insert_many(connection, ANN, made, now=NOW)
    seen: list[EventRecord] = []
    with database.read() as connection:
        while True:
            behind = (seen[-1].happened_at, seen[-1].id) if seen else None
            page = memories.events_page(connection, ANN, before=behind, limit=4)  # type: ignore[arg-type]
            if not page:
                break
            seen += page
    assert [e.id for e in seen] == [e.id for e in sorted(made, key=lambda e: (e.happened_at, e.id), reverse=True)]


def a_question(value: str) -> ReviewItem:
    return ReviewItem(
        id=new_id(),
        entity_id="ann",
        bucket=Bucket.PROFILE,
        reason=ReviewReason.UNCERTAIN,
        status=ReviewStatus.OPEN,
        attr_name="hobby",
        proposed={"attr_value": value},
        question=HARD,
        quote=HARD,
        created_at=NOW,
    )


def test_the_same_proposal_waits_once_and_may_come_again_when_it_is_decided(database: Database) -> None:
    ground = Ground(quote=HARD, said_at=NOW, extractor="patterns", conversation_id="c1", turn=0)
    with database.write() as connection:
        known(connection)
        first = reviews.add(connection, ANN, a_question("chess"), slot_key="k", ground=ground)
        assert reviews.add(connection, ANN, a_question("chess"), slot_key="k", ground=ground) == first
        assert reviews.decide(connection, ANN, first, ReviewStatus.REJECTED, by="user", note="", now=NOW)
        assert not reviews.decide(connection, ANN, first, ReviewStatus.APPROVED, by="user", note="", now=NOW)
        second = reviews.add(connection, ANN, a_question("chess"), slot_key="k", ground=ground)
        assert second != first
        assert [item.id for item in reviews.pending(connection, ANN)] == [second]
        found = reviews.find(connection, ANN, second)
        assert found is not None
        assert (found[0].question, found[1]) == (HARD, ground)


def test_the_same_words_stand_behind_a_memory_once(database: Database) -> None:
    ground = Ground(
        quote=HARD, said_at=NOW, extractor="patterns", conversation_row_id="r1", conversation_id="c1", turn=0
    )
    direct = Ground(quote="", said_at=NOW, extractor="direct")
    kept = fact("chess")
    with database.write() as connection:
        known(connection)
        memories.insert_one(connection, ANN, kept, now=NOW)
        for one in (ground, direct):
            assert evidence.add(connection, ANN, kept.id, Bucket.PROFILE, one)
            assert not evidence.add(connection, ANN, kept.id, Bucket.PROFILE, one)
        assert evidence.remove_conversation(connection, ANN, "r1") == (1, [])
        assert evidence.counts(connection, ANN, [kept.id]) == {kept.id: 1}


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with database.write() as connection:
            known(connection)
            deliver(connection, "c1", seq=1)
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    with database.read() as connection:
        assert entities.find(connection, ANN) is None
        assert conversations.latest(connection, "acme", "chat", "c1") is None


def test_a_naive_time_never_reaches_a_table(database: Database) -> None:
    with pytest.raises(ValueError, match="naive"), database.write() as connection:
        history.bury(connection, ANN, [("k", None)], now=datetime(2026, 1, 1))  # noqa: DTZ001 - naive on purpose
