"""The roll: old events of low value lose their detail, by the local days of the entity."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from easy_data.schemas.records import EventRecord
from tests.fixtures.meanings import Meanings, event
from tests.fixtures.memories import Open
from tests.fixtures.talk import quotes, tell
from tests.fixtures.upkeep import DAY, full, opened_at, reviews, shanghai


@pytest.mark.parametrize(
    ("now", "rolled"),
    [
        # 31 March is the 90th local day after 1 January, and the last with the detail.
        (shanghai(2028, 3, 31, 0, 0), False),
        (shanghai(2028, 3, 31, 23, 59, 59), False),
        (shanghai(2028, 4, 1, 0, 0), True),
    ],
)
def test_an_event_at_half_past_ten_in_the_evening_is_rolled_neither_a_day_early_nor_late(
    open_memory: Open, now: datetime, rolled: bool
) -> None:
    """22:30 in UTC+8 is 14:30 of the same day in UTC, 06:30 the next morning in UTC+16: only the local day counts."""
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 23), extractor=Meanings({}))
    full(memory)
    (remark,) = [e for e in memory.events("ann") if e.event_type == "remark"]
    report = memory.maintain(now=now)
    (after,) = [e for e in memory.events("ann") if e.event_type == "remark"]
    assert (after.payload == {}) is rolled
    assert report.counts.get("rolled", 0) == int(rolled)
    assert after.model_dump(exclude={"payload", "version"}) == remark.model_dump(exclude={"payload", "version"})


def test_the_same_evening_in_another_zone_is_rolled_by_that_zone(open_memory: Open) -> None:
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 23), extractor=Meanings({}))
    # 22:30 in Shanghai is 09:30 in New York: its 1 January ends 13 hours later.
    tell(memory, "hello", entity="bob", time_zone="America/New_York")
    memory.write_event(
        entity_id="bob", event_type="remark", summary="x", payload={"a": 1}, happened_at=shanghai(2028, 1, 1, 22, 30)
    )
    due = datetime(2028, 4, 1, tzinfo=ZoneInfo("America/New_York"))
    assert memory.maintain(now=due - timedelta(seconds=1)).counts == {}
    assert memory.maintain(now=due).counts == {"rolled": 1}


def test_only_low_value_events_lose_detail_and_their_quotes_stay(open_memory: Open) -> None:
    said = {
        "The kite was red": event("The kite was red", "remark", payload={"colour": "red"}),
        "I won the cup": event("Won the cup", "milestone", payload={"cup": "gold"}),
        "风筝是红的": event("风筝是红的", "info_learned", payload={"颜色": "红"}),
    }
    memory = opened_at(open_memory, shanghai(2028, 1, 1, 12), extractor=Meanings(said))
    tell(memory, *said, time_zone="Asia/Shanghai")
    memory.write_event(
        entity_id="ann", event_type="milestone", summary="Perhaps moved", payload={"to": "Rome"}, confidence=0.4
    )
    memory.maintain(now=shanghai(2028, 6, 1))
    left = {e.summary: e.payload for e in memory.events("ann")}
    assert left == {
        "The kite was red": {},
        "风筝是红的": {},
        "Won the cup": {"cup": "gold"},
        "Perhaps moved": {},
    }
    for record in memory.events("ann"):
        if record.conversation_id:
            (quote,) = quotes(memory, record)
            assert quote in said
    assert memory.recall("ann", "what colour was the kite?").memories


def test_the_retention_and_the_low_value_types_are_settings(open_memory: Open) -> None:
    memory = opened_at(
        open_memory,
        shanghai(2028, 1, 1, 12),
        extractor=Meanings({}),
        event_retention_days=1,
        low_value_events="milestone, remark",
        low_value_confidence=0.0,
        time_zone="Asia/Shanghai",
    )
    for kind in ("milestone", "info_learned"):
        memory.write_event(entity_id="ann", event_type=kind, summary=f"a {kind}", payload={"a": 1})
    assert memory.maintain(now=shanghai(2028, 1, 2, 23)).counts == {}
    assert memory.maintain(now=shanghai(2028, 1, 3)).counts == {"rolled": 1}
    assert {e.event_type: e.payload for e in memory.events("ann")} == {"milestone": {}, "info_learned": {"a": 1}}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai"])
@pytest.mark.parametrize(
    "noon", ["2028-02-29T12:00:00", "2027-02-28T12:00:00", "2027-03-01T12:00:00", "2028-03-31T12:00:00"]
)
def test_leap_days_and_month_ends_are_days_like_others(open_memory: Open, zone: str, noon: str) -> None:
    """O-34."""
    now = datetime.fromisoformat(noon).replace(tzinfo=ZoneInfo(zone))
    memory = opened_at(open_memory, now - 100 * DAY, extractor=Meanings({}), time_zone=zone)
    turns = [
        EventRecord(
            entity_id="ann",
            event_type="conversation_turn",
            summary=f"turn {days}",
            payload={"day": days},
            happened_at=now - days * DAY,
        )
        for days in range(100)
    ]
    jobs = ["Painted the fence", "Sold the boat", "写完了报告", "Fixed the roof", "学会了游泳", "Planted tulips"]
    finished = [
        EventRecord(entity_id="ann", event_type="task_completed", summary=text, happened_at=now - 19 * place * DAY)
        for place, text in enumerate(jobs)
    ]
    memory.write_events([*turns, *finished])
    memory.maintain(now=now)
    left = {e.payload.get("day") for e in memory.events("ann", event_types=["conversation_turn"], limit=200)}
    # Yesterday has ended, and it was the 90th day after the turns of 91 days ago.
    assert left == {*range(91), None}
    listed = [source for review in reviews(memory).values() for source in review.payload["sources"]]
    month = now.replace(day=1, hour=0)
    assert sorted(listed) == sorted(e.id for e in memory.events("ann", event_types=["task_completed"], until=month))
