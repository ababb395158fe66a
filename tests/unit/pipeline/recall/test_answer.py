from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from easy_data.pipeline.direct import write_records
from easy_data.pipeline.indexing import relay
from easy_data.pipeline.recall.answer import recall, rerank, search
from easy_data.pipeline.recall.summary import summary_text
from easy_data.pipeline.runtime import Runtime, build_runtime
from easy_data.providers.local_embedder import LocalEmbedder
from easy_data.providers.openai_embedder import OpenAIEmbedder
from easy_data.schemas.errors import InputError
from easy_data.schemas.recall import Context, RecallRequest
from easy_data.schemas.records import (
    Bucket,
    EventRecord,
    MemoryRecord,
    Polarity,
    ProfileRecord,
    Status,
    WorkspaceRecord,
)
from easy_data.schemas.settings import load_settings
from easy_data.stores.repositories import logs, memories
from tests.fixtures.scripted_openai import Reply, ScriptedOpenAI
from tests.fixtures.talk import SetClock

NOW = datetime(2026, 5, 11, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory, embedder: LocalEmbedder) -> Path:
    """A folder with an empty store and its index: making one takes longer than most tests."""
    folder = tmp_path_factory.mktemp("empty")
    build_runtime(load_settings(path=folder / "memory.db"), embedder=embedder).close()
    return folder


@pytest.fixture
def runtime(tmp_path: Path, embedder: LocalEmbedder, empty_store: Path) -> Iterator[Runtime]:
    shutil.copytree(empty_store, tmp_path, dirs_exist_ok=True)
    built = build_runtime(load_settings(path=tmp_path / "memory.db"), clock=SetClock(NOW), embedder=embedder)
    yield built
    built.close()


def know(runtime: Runtime, *records: MemoryRecord) -> list[str]:
    ids = [fate.memory_id or "" for fate in write_records(runtime, records)]
    relay(runtime)
    return ids


def fact(name: str, value: str, **more: object) -> ProfileRecord:
    return ProfileRecord.model_validate({"entity_id": "ann", "attr_name": name, "attr_value": value} | more)


def event(summary: str, days: float = 3, **more: object) -> EventRecord:
    return EventRecord.model_validate(
        {
            "entity_id": "ann",
            "event_type": "conversation_turn",
            "summary": summary,
            "happened_at": NOW - timedelta(days=days),
        }
        | more
    )


def task(name: str, **more: object) -> WorkspaceRecord:
    return WorkspaceRecord.model_validate({"entity_id": "ann", "task_id": name} | more)


def ask(runtime: Runtime, query: str, **more: object) -> Context:
    return recall(RecallRequest.model_validate({"entity_id": "ann", "query": query} | more), runtime)


def texts(context: Context) -> list[str]:
    return [hit.text for hit in context.memories]


def test_a_named_fact_comes_first_and_what_else_fits_follows(runtime: Runtime) -> None:
    know(
        runtime,
        event("Dinner with Bo at the noodle bar"),
        fact("dietary_restriction", "peanuts"),
        event("Bought a tent"),
    )
    context = ask(runtime, "What should I cook for dinner?")
    assert texts(context)[:2] == ["dietary restriction: peanuts", "Dinner with Bo at the noodle bar"]
    assert context.served_from == "full"
    assert not context.degraded


def test_a_single_valued_attribute_is_served_from_the_summary(runtime: Runtime) -> None:
    know(runtime, fact("location", "Oslo"), event("Flew to Rome"))
    context = ask(runtime, "where do I live?")
    assert (context.served_from, texts(context)) == ("hot", ["location: Oslo"])


@pytest.mark.parametrize(
    "query", ["where did I live last year?", "where do I live and when did I fly to Rome?", "tell me about Rome"]
)
def test_the_summary_does_not_answer_what_asks_for_more_than_attributes(runtime: Runtime, query: str) -> None:
    know(runtime, fact("location", "Oslo"), event("Flew to Rome"))
    assert ask(runtime, query).served_from == "full"


def test_a_summary_of_an_older_version_is_never_served(runtime: Runtime) -> None:
    know(runtime, fact("location", "Oslo", confidence=0.7))
    assert texts(ask(runtime, "where do I live?")) == ["location: Oslo"]
    with runtime.database.write() as connection:
        known = memories.profile(connection, runtime.scope("ann"), limit=1)
        memories.remove(connection, runtime.scope("ann"), [known[0].id])
    know(runtime, fact("hobby", "chess"))
    assert not any("Oslo" in text for text in texts(ask(runtime, "where do I live?")))
    assert "Oslo" not in summary_text(runtime, runtime.scope("ann"))


def test_what_sql_no_longer_has_does_not_come_back_from_the_index(runtime: Runtime) -> None:
    gone = know(runtime, event("Bought a kayak"))
    with runtime.database.write() as connection:
        memories.remove(connection, runtime.scope("ann"), gone)
    assert texts(ask(runtime, "kayak")) == []


def test_a_memory_that_the_index_does_not_know_yet_is_found(runtime: Runtime) -> None:
    write_records(runtime, [event("Bought a kayak")])
    assert texts(ask(runtime, "kayak")) == ["Bought a kayak"]


def test_one_entity_never_sees_another(runtime: Runtime) -> None:
    know(runtime, event("Bought a kayak"), event("Sold a kayak", entity_id="bob"))
    assert texts(ask(runtime, "kayak")) == ["Bought a kayak"]


def test_without_the_index_memories_come_from_sql_and_the_context_says_so(runtime: Runtime) -> None:
    know(runtime, event("Bought a kayak"), fact("hobby", "paddling a kayak"), event("Baked bread"))
    runtime.index.close()
    context = ask(runtime, "kayak")
    assert sorted(texts(context)) == ["Bought a kayak", "hobby: paddling a kayak"]
    assert (context.served_from, context.degraded) == ("sql", ("index",))


def test_without_the_embedding_memories_are_found_by_their_words(runtime: Runtime) -> None:
    know(runtime, event("Bought a kayak"), event("Baked bread"))
    with ScriptedOpenAI() as server:
        server.reply(Reply(status=401))
        broken = OpenAIEmbedder(base_url=server.base_url, model="m", size=runtime.embedder.size)
        context = ask(dataclasses.replace(runtime, embedder=broken), "kayak")
    assert (texts(context), context.degraded) == (["Bought a kayak"], ("embedding",))


@pytest.mark.parametrize("query", ["", " \n", "\x00", "\ud800"])
def test_an_empty_query_gives_an_empty_context(runtime: Runtime, query: str) -> None:
    know(runtime, fact("location", "Oslo"))
    context = ask(runtime, query)
    assert (context.text, context.memories, context.served_from) == ("", (), "empty")


@pytest.mark.parametrize(
    "query",
    [
        "x" * 100_000,
        "的了吗",
        "the of and",
        "🌶️",
        "'; DROP TABLE events; --",
        'a AND (b OR "c")~2^ *:*',
        "%",
        "_",
        "עברית",
    ],
)
def test_any_query_is_answered(runtime: Runtime, query: str) -> None:
    know(runtime, fact("location", "Oslo"), event("file_name"))
    assert not ask(runtime, query).degraded
    with runtime.database.read() as connection:
        assert memories.count(connection, runtime.scope("ann"), Bucket.EVENT) == 1


@pytest.mark.parametrize(("top_k", "most"), [(0, 0), (-1, 0), (1, 1), (3, 3), (10_000, 8)])
def test_the_number_asked_for_is_clamped(runtime: Runtime, top_k: int, most: int) -> None:
    know(runtime, *(event(f"Kayak trip number {n}") for n in range(8)))
    assert len(ask(runtime, "kayak trip", top_k=top_k).memories) == most


def test_an_unknown_entity_gives_an_empty_context(runtime: Runtime) -> None:
    assert ask(runtime, "我住在哪", entity_id="nobody").model_dump(include={"text", "memories", "language"}) == {
        "text": "",
        "memories": (),
        "language": "zh",
    }


def test_a_reversed_range_is_refused(runtime: Runtime) -> None:
    with pytest.raises(InputError, match="until"):
        ask(runtime, "kayak", since=NOW, until=NOW - timedelta(days=1))


def test_conditions_narrow_what_is_returned(runtime: Runtime) -> None:
    know(
        runtime,
        event("Kayak lesson", 40),
        event("Kayak tour", 2),
        event("Kayak bought", 2, event_type="milestone"),
        fact("hobby", "kayak"),
        task("kayak repair"),
    )
    assert texts(ask(runtime, "kayak", buckets=("profile",))) == ["hobby: kayak"]
    assert texts(ask(runtime, "kayak", event_types=("milestone",))) == ["Kayak bought"]
    recent = ask(runtime, "kayak", buckets=("event",), since=NOW - timedelta(days=5), until=NOW)
    assert sorted(texts(recent)) == ["Kayak bought", "Kayak tour"]


def test_a_time_in_the_query_prefers_what_happened_then(runtime: Runtime) -> None:
    know(runtime, event("Went paddling with the kayak club", 9), event("Went paddling with the kayak club again", 40))
    assert texts(ask(runtime, "what about the kayak club a month ago?"))[0] == "Went paddling with the kayak club again"
    assert texts(ask(runtime, "what about the kayak club?"))[0] == "Went paddling with the kayak club"


def test_open_tasks_come_when_they_are_asked_for(runtime: Runtime) -> None:
    know(runtime, task("quarterly report", state={"next": "add charts"}), task("old budget", closed=True))
    context = ask(runtime, "Where were we?")
    assert [hit.record.task_id for hit in context.open_tasks if isinstance(hit.record, WorkspaceRecord)] == [
        "quarterly report"
    ]
    assert "next step: add charts" in context.text


def test_the_turn_that_a_returned_fact_rests_on_is_not_repeated(runtime: Runtime) -> None:
    turn = {"event_type": "conversation_turn", "conversation_id": "c", "turn": 4}
    know(runtime, event("I never eat peanuts at dinner", **turn), event("Dinner was late", **{**turn, "turn": 5}))
    fates = write_records(runtime, [fact("dietary_restriction", "peanuts", conversation_id="c")])
    relay(runtime)
    with runtime.database.write() as connection:
        connection.exec_driver_sql("UPDATE evidence SET turn = 4 WHERE memory_id = ?", (fates[0].memory_id,))
    found = texts(ask(runtime, "peanuts at dinner"))
    assert "dietary restriction: peanuts" in found
    assert "Dinner was late" in found
    assert "I never eat peanuts at dinner" not in found


def test_both_sides_of_a_contradiction_come_out_marked(runtime: Runtime) -> None:
    know(runtime, fact("location", "Oslo", confidence=0.7, valid_from=NOW - timedelta(days=9)))
    know(runtime, fact("location", "Bergen", confidence=0.7))
    context = ask(runtime, "where do I live?")
    assert {hit.text for hit in context.memories} == {"location: Oslo", "location: Bergen"}
    assert len(context.conflicts) == 1
    assert set(context.conflicts[0]) == {hit.id for hit in context.memories}
    assert "versus" in context.text
    assert context.questions


def test_what_the_user_is_against_is_marked(runtime: Runtime) -> None:
    know(runtime, fact("food_preference", "coriander", polarity=-1))
    (hit,) = ask(runtime, "what food do I like?").memories
    assert hit.polarity is Polarity.NEGATIVE
    assert "dislikes: coriander" in hit.text


def test_each_recall_is_written_down_without_its_words(runtime: Runtime) -> None:
    ids = know(runtime, event("Bought a kayak"))
    context = ask(runtime, "kayak")
    runtime.recalls.flush()
    with runtime.database.read() as connection:
        (row,) = logs.recalls(connection, runtime.scope("ann"), limit=5)
    assert row["id"] == context.recall_id
    assert [hit["id"] for hit in row["hits"]] == ids
    assert "kayak" not in str(row)


def test_a_score_is_explained_by_its_features(runtime: Runtime) -> None:
    know(runtime, event("Bought a kayak"))
    (hit,) = ask(runtime, "kayak").memories
    assert sum(share.points for share in hit.shares) == pytest.approx(hit.score, abs=0.01)


def test_search_stays_in_its_bucket_and_kind(runtime: Runtime) -> None:
    know(runtime, event("Kayak tour"), fact("hobby", "kayak"), fact("sport", "kayak polo"), task("kayak repair"))
    scope = runtime.scope("ann")
    assert [h.text for h in search(runtime, scope, "kayak", buckets=(Bucket.PROFILE,), kinds=("sport",))] == [
        "sport: kayak polo"
    ]
    assert [h.bucket for h in search(runtime, scope, "kayak", buckets=(Bucket.WORKSPACE,))] == [Bucket.WORKSPACE]
    assert search(runtime, scope, "") == []
    assert len(search(runtime, scope, "kayak", limit=2)) == 2


def test_rerank_orders_hits_of_several_searches_and_drops_what_is_gone(runtime: Runtime) -> None:
    gone, *_ = know(runtime, event("Kayak sold"), event("Kayak tour in the fjord"), fact("hobby", "kayak"))
    scope = runtime.scope("ann")
    events = search(runtime, scope, "kayak", buckets=(Bucket.EVENT,))
    facts = search(runtime, scope, "kayak", buckets=(Bucket.PROFILE,))
    with runtime.database.write() as connection:
        memories.remove(connection, scope, [gone])
    ordered = rerank(runtime, scope, "tour in the fjord", [*facts, *events, *facts])
    assert [hit.text for hit in ordered] == ["Kayak tour in the fjord", "hobby: kayak"]
    assert rerank(runtime, scope, "kayak", []) == []


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("배포는 금요일에 하지 않는다", "금요일"),
        ("Пароль меняю раз в квартал", "квартал"),
        ("أفضل القهوة بدون سكر", "القهوة"),
        ("אני גר בחיפה", "בחיפה"),
        ("café crème", "cafe\u0301"),
        ("🌶️ okay", "🌶️"),
        ("周末去爬山", "爬山"),
    ],
)
def test_a_memory_is_found_in_every_script(runtime: Runtime, said: str, query: str) -> None:
    """Case O-49."""
    know(runtime, event(said), event("something else"))
    assert texts(ask(runtime, query))[0] == said


def test_a_replaced_value_is_history_and_comes_only_when_the_past_is_asked_for(runtime: Runtime) -> None:
    know(runtime, fact("location", "Oslo"))
    with runtime.database.write() as connection:
        (known,) = memories.profile(connection, runtime.scope("ann"), limit=1)
        old = known.model_copy(update={"status": Status.SUPERSEDED, "valid_to": NOW})
        memories.replace(connection, runtime.scope("ann"), old, now=NOW)
    know(runtime, fact("location", "Bergen"))
    assert texts(ask(runtime, "where do I live?")) == ["location: Bergen"]
    past = ask(runtime, "where did I live before?")
    assert set(texts(past)) == {"location: Bergen", "location: Oslo"}
    assert "location: Oslo (2026-05-11, sure, earlier, no longer so)" in past.text
