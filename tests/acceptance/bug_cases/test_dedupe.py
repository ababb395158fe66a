"""Cases of what is the same, what repeats, and what contradicts."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from easy_data import EasyMemory
from easy_data.pipeline import inbox, intake
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.candidates import Candidate, Fate
from easy_data.schemas.conversation import Conversation, ConversationInput
from easy_data.schemas.ports import Extraction
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.records import Bucket, MemoryRecord, Status
from easy_data.stores.repositories import conversations, evidence, memories
from tests.fixtures.chat_answers import NOTHING, event, profile
from tests.fixtures.meanings import Meanings, fact
from tests.fixtures.meanings import event as told_event
from tests.fixtures.memories import Build, Open
from tests.fixtures.modes import both_modes
from tests.fixtures.scripted_openai import ScriptedOpenAI
from tests.fixtures.talk import quotes, stored, tell, user
from tests.fixtures.waiting import wait_until

pytestmark = both_modes


class Together:
    """An extractor that lets two workers go on only when both have read their conversation."""

    def __init__(self) -> None:
        self.meeting = threading.Barrier(2)

    def extract(self, conversation: Conversation) -> Extraction:
        quote = conversation.messages[0].content
        self.meeting.wait(10)
        one = Candidate(
            bucket=Bucket.PROFILE, attr_name="beverage_preference", value="black coffee", quote=quote, turn=0
        )
        two = Candidate(bucket=Bucket.EVENT, event_type="remark", summary=quote, quote=quote, turn=0)
        return Extraction(candidates=(one, two))


def work_together(runtime: Runtime, entity: str, deliveries: list[str]) -> list[MemoryRecord]:
    """Two workers take what was delivered at the same moment; return the entity's memories."""
    for name in deliveries:
        given = ConversationInput(
            entity_id=entity, messages=[user("I take my coffee black.")], conversation_id=f"{entity}-{name}"
        )
        intake.accept(given, runtime)
    workers = [threading.Thread(target=wait_until, args=(lambda: inbox.work_one(runtime),)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    inbox.drain(runtime)
    scope = runtime.scope(entity)
    with runtime.database.read() as connection:
        assert all(row.outcome is Outcome.WRITTEN for row in conversations.of_entity(connection, scope))
        return [m for bucket in Bucket for m in memories.page(connection, scope, bucket, limit=10)]


def test_a_fact_of_two_conversations_read_at_the_same_moment_is_one_memory(build: Build) -> None:
    """O-01 (b)."""
    runtime = build(extractor=Together())
    for number in range(25):
        found = work_together(runtime, f"user-{number}", ["c1", "c2"])
        assert len(found) == 2
        with runtime.database.read() as connection:
            grounds = evidence.counts(connection, runtime.scope(f"user-{number}"), [m.id for m in found])
        assert set(grounds.values()) == {2}


def test_one_conversation_delivered_twice_to_two_workers_counts_once(build: Build) -> None:
    """O-01 (a). A lease that runs out hands the same conversation to a second worker while the first is at work."""
    runtime = build(extractor=Together(), settings={"lease_seconds": 1e-6})
    for number in range(25):
        found = work_together(runtime, f"user-{number}", ["c1", "c1"])
        assert len(found) == 2
        with runtime.database.read() as connection:
            grounds = evidence.counts(connection, runtime.scope(f"user-{number}"), [m.id for m in found])
        assert set(grounds.values()) == {1}


@pytest.mark.parametrize(
    ("sentence", "meaning"),
    [
        ("My bike is a red Brompton.", told_event("The user's bike is a red Brompton.")),
        ("我的自行车是红色的小布。", told_event("用户的自行车是红色的小布。")),
        ("I ride a red Brompton.", fact("hobby", "riding a red Brompton")),
    ],
)
def test_a_repeated_memory_gains_evidence_and_is_never_deleted(
    open_memory: Open, sentence: str, meaning: dict[str, object]
) -> None:
    """O-17."""
    memory = open_memory(extractor=Meanings({sentence: meaning}))
    ids = set()
    for number in range(3):
        tell(memory, sentence, conversation_id=f"c{number}")
        (only,) = stored(memory)
        ids.add(only.id)
        assert quotes(memory, only) == [sentence] * (number + 1)
    assert len(ids) == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("vegetarian since 2019", "I've been vegetarian since 2019."),
        ("vegetarian", "I'm a vegetarian."),
        ("吃素", "我吃素。"),
    ],
)
def test_direct_writes_and_conversations_share_one_way_in(memory: EasyMemory, value: str, said: str) -> None:
    """O-18."""
    memory.write_profile(entity_id="ann", attr_name="dietary_restriction", attr_value=value)
    assert tell(memory, said).fates[0].fate is Fate.MERGED
    assert len(stored(memory)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Deploying on Fridays is allowed for my team.", "Deploying on Fridays is not allowed for my team."),
        ("Deploying on Fridays is not allowed for my team.", "Deploying on Fridays is allowed for my team."),
        ("We never merge without a second review.", "We merge without a second review."),
        ("我们团队周五可以上线。", "我们团队周五不可以上线。"),
    ],
)
def test_a_negated_correction_is_no_duplicate(open_memory: Open, first: str, second: str) -> None:
    """O-28."""
    memory = open_memory(extractor=Meanings({first: told_event(first), second: told_event(second)}))
    tell(memory, first)
    (old,) = memory.events("ann")
    tell(memory, second)
    assert [e.summary for e in memory.events("ann")] == [second]
    assert memory.explain("ann", old.id).record.status is Status.SUPERSEDED
    assert [hit.text for hit in memory.recall("ann", first).memories] == [second]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The project review is on 15 October.", "The project review is on 16 October."),
        ("My dose is 5 mg.", "My dose is 50 mg."),
        ("The lease ends in March.", "The lease ends in April."),
        ("项目评审定在10月15日。", "项目评审定在10月16日。"),
        ("我的药量是5毫克。", "我的药量是50毫克。"),
    ],
)
def test_statements_that_differ_in_a_figure_are_not_the_same(open_memory: Open, first: str, second: str) -> None:
    """O-29."""
    monday = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
    memory = open_memory(extractor=Meanings({first: told_event(first, "plan"), second: told_event(second, "plan")}))
    tell(memory, first, ended_at=monday)
    (old,) = memory.events("ann")
    tell(memory, second, ended_at=monday + timedelta(days=1))
    (new,) = memory.events("ann")
    assert new.summary == second
    history = memory.history("ann", old.id)
    assert [(r.action, r.cause.get("superseded_by")) for r in history] == [("write", None), ("supersede", new.id)]


def test_a_change_of_state_ends_the_old_one(open_memory: Open) -> None:
    """O-30."""
    moved = "They moved me off Harbour; I'm on Lantern now."
    memory = open_memory(
        extractor=Meanings(
            {
                "I'm on the Harbour project.": fact("current_project", "the Harbour project"),
                moved: fact("current_project", "Lantern", replaces="Harbour", change="changed"),
            }
        )
    )
    tell(memory, "I'm on the Harbour project.")
    (harbour,) = memory.profile("ann")
    tell(memory, moved)
    (lantern,) = memory.profile("ann")
    assert lantern.attr_value == "Lantern"
    ended = memory.explain("ann", harbour.id).record
    assert (ended.status, ended.valid_to) == (Status.SUPERSEDED, lantern.valid_from)  # type: ignore[union-attr]


def test_a_memory_that_a_model_names_but_was_not_offered_changes_nothing(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-47."""
    memory = chat_memory()
    other = memory.write_profile(entity_id="bob", attr_name="location", attr_value="Porto")
    before = memory.profile("bob")
    for number, target in enumerate(("12", str(other.memory_id))):
        said = f"All hands are on release {number} now."
        chat_server.default = {
            **NOTHING,
            "profile": [profile("current_project", f"release {number}", turn=0, quote=said, target_ids=[target])],
        }
        status = tell(memory, said, conversation_id=f"c{number}")
        assert [(f.fate, f.reason) for f in status.fates] == [(Fate.QUEUED, "unknown_target")]
    assert stored(memory) == []
    assert len(memory.pending_review("ann")) == 2
    assert (memory.profile("bob"), memory.pending_review("bob")) == (before, [])


@pytest.mark.parametrize(
    "said",
    [
        [
            "The backup runs at 02:00.",
            "So the backup runs at 2:00.",
            "As I said, the backup runs at 02:00.",
            "Backups run at 02:00.",
            "The backup is running at 02:00.",
            "Yes: backup runs at 02:00!",
        ],
        ["备份在02:00运行。", "备份是在2:00运行的。", "我说过，备份在02:00运行。", "备份02:00运行。"],
    ],
    ids=["en", "zh"],
)
def test_one_conversation_that_repeats_itself_makes_one_memory(
    chat_memory: Open, chat_server: ScriptedOpenAI, said: list[str]
) -> None:
    """O-57."""
    memory = chat_memory()
    chat_server.default = {
        **NOTHING,
        "events": [event(text, turn=turn, quote=text, event_type="info_learned") for turn, text in enumerate(said)],
    }
    status = tell(memory, *said)
    assert [f.fate for f in status.fates] == [Fate.WRITTEN, *[Fate.MERGED] * (len(said) - 1)]
    (only,) = stored(memory)
    assert quotes(memory, only) == said
    assert only.confidence == pytest.approx(0.9)
