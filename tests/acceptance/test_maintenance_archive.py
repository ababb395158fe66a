"""The archive: what was finished in a local month becomes one review."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.fixtures.meanings import Meanings, event, task
from tests.fixtures.memories import Open
from tests.fixtures.talk import stored, tell
from tests.fixtures.upkeep import opened_at, reviews, shanghai


def test_finished_matters_of_a_local_month_become_one_review(open_memory: Open) -> None:
    said = {
        "The draft is open": task("draft", summary="Draft the report"),
        "The draft is done": task("draft", closed=True),
        "We chose oak": event("Chose oak for the desk", "decision_made"),
    }
    memory = opened_at(open_memory, shanghai(2028, 1, 31, 12), extractor=Meanings(said), language="zh")
    first, last, chose = said
    tell(memory, first, ended_at=shanghai(2028, 1, 30, 9), time_zone="Asia/Shanghai")
    tell(memory, last, ended_at=shanghai(2028, 2, 1, 0, 30))
    tell(memory, chose, ended_at=shanghai(2028, 1, 31, 23, 30))
    done = {"entity_id": "ann", "event_type": "task_completed"}
    memory.write_event(**done, summary="完成了审计", happened_at=shanghai(2028, 2, 29, 23, 59))
    memory.write_event(**done, summary="Sold the boat", happened_at=shanghai(2028, 3, 1))
    assert memory.maintain(now=shanghai(2028, 1, 31, 23, 59)).counts == {}
    memory.maintain(now=shanghai(2028, 3, 31, 12))
    found = reviews(memory)
    assert {month: review.summary for month, review in found.items()} == {
        "2028-01": "2028年1月完成的事：Chose oak for the desk",
        "2028-02": "2028年2月完成的事：Draft the report；完成了审计",
    }
    memory.maintain(now=shanghai(2028, 4, 1))
    found = reviews(memory)
    sources = [source for review in found.values() for source in review.payload["sources"]]
    finished = [e.id for e in memory.events("ann") if e.event_type in ("task_completed", "decision_made")]
    assert len(sources) == len(set(sources)) == 4
    assert set(finished) < set(sources)
    assert found["2028-02"].happened_at == shanghai(2028, 2, 1)
    assert found["2028-02"].happened_until == shanghai(2028, 3, 1)
    assert memory.recall("ann", "二月份完成了什么？").memories


def test_a_matter_that_arrives_late_is_put_into_the_review_of_its_month(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}), time_zone="Asia/Shanghai")
    done = {"entity_id": "ann", "event_type": "task_completed"}
    memory.write_event(**done, summary="Painted the fence", happened_at=shanghai(2028, 1, 5))
    memory.maintain(now=shanghai(2028, 2, 2))
    (january,) = reviews(memory).values()
    memory.write_event(**done, summary="Sold the boat", happened_at=shanghai(2028, 1, 20))
    memory.write_event(**done, summary="Learned to sail", happened_at=shanghai(2026, 7, 20))
    assert memory.maintain(now=shanghai(2028, 2, 3)).counts == {}
    assert memory.maintain(now=shanghai(2028, 3, 1)).counts == {"archived": 2, "reviews": 2}
    found = reviews(memory)
    assert found["2028-01"].id == january.id
    assert found["2028-01"].summary == "Finished in January 2028: Painted the fence; Sold the boat"
    assert set(found) == {"2026-07", "2028-01"}


def test_a_review_loses_what_is_forgotten_and_goes_with_its_last_source(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({}), time_zone="Asia/Shanghai")
    done = {"entity_id": "ann", "event_type": "task_completed"}
    made = [
        memory.write_event(**done, summary=text, happened_at=shanghai(2028, 1, 5)).memory_id
        for text in ("Painted the fence", "Sold the heron boat")
    ]
    memory.maintain(now=shanghai(2028, 2, 2))
    memory.forget("ann", memory_id=str(made[1]))
    assert "heron" not in str(list(memory.export("ann")))
    (review,) = reviews(memory).values()
    assert review.summary == "Finished in January 2028: Painted the fence"
    memory.forget("ann", memory_id=str(made[0]))
    memory.maintain(now=shanghai(2028, 5, 2))
    assert stored(memory) == []


def test_what_is_said_anew_does_not_vanish_into_a_review(open_memory: Open) -> None:
    said = "Finished painting the long garden fence"
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings({said: event(said, "task_completed")}))
    memory.write_event(
        entity_id="ann", event_type="task_completed", summary=said, happened_at=datetime(2028, 1, 20, tzinfo=UTC)
    )
    memory.maintain(now=shanghai(2028, 2, 2))
    tell(memory, said, ended_at=datetime(2028, 1, 1, 1, tzinfo=UTC))
    assert len([e for e in memory.events("ann") if e.event_type == "task_completed"]) == 2
