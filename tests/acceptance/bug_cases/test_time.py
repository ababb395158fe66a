"""Cases of instants, zones and dates."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from easy_data import EasyMemory
from easy_data.schemas.receipts import Outcome
from easy_data.stores.repositories import conversations
from tests.fixtures.chat_answers import NOTHING, event
from tests.fixtures.meanings import Meanings
from tests.fixtures.meanings import event as told_event
from tests.fixtures.memories import Open
from tests.fixtures.scripted_openai import ScriptedOpenAI
from tests.fixtures.talk import tell, user

TOKYO, KOLKATA = ZoneInfo("Asia/Tokyo"), ZoneInfo("Asia/Kolkata")
# 00:20 on 4 May in Tokyo, still 3 May in UTC.
AFTER_MIDNIGHT = "2026-05-03T15:20:00Z"
PHYSIO = "Yesterday I started physio; the next check is in two weeks."
PHYSIO_ZH = "昨天我开始做理疗了，两周后复查。"


def local_dates(memory: EasyMemory, zone: ZoneInfo = TOKYO) -> dict[str, date]:
    return {e.summary: e.happened_at.astimezone(zone).date() for e in memory.events("ann") if e.happened_at}


@pytest.mark.parametrize("said", [PHYSIO, PHYSIO_ZH], ids=["en", "zh"])
def test_the_patterns_resolve_relative_dates_in_the_zone_of_the_entity(memory: EasyMemory, said: str) -> None:
    """O-32."""
    tell(memory, said, time_zone="Asia/Tokyo", ended_at=AFTER_MIDNIGHT)
    assert set(local_dates(memory).values()) == {date(2026, 5, 3), date(2026, 5, 18)}
    assert all(e.time_phrase for e in memory.events("ann"))


def test_dates_a_model_read_are_local_and_stay_when_the_event_is_told_again(
    chat_memory: Open, chat_server: ScriptedOpenAI
) -> None:
    """O-32."""
    memory = chat_memory()
    started = {"quote": "I started physio", "happened_at": "2026-05-03"}
    check = {"quote": "the next check is in two weeks", "happened_at": "2026-05-18"}
    chat_server.default = {
        **NOTHING,
        "events": [
            event("Started physio", turn=0, time_phrase="Yesterday", **started),
            event("Next check of the physio", turn=0, time_phrase="in two weeks", **check),
        ],
    }
    expected = {"Started physio": date(2026, 5, 3), "Next check of the physio": date(2026, 5, 18)}
    tell(memory, PHYSIO, time_zone="Asia/Tokyo", ended_at=AFTER_MIDNIGHT, conversation_id="c1")
    assert local_dates(memory) == expected
    chat_server.default = {**NOTHING, "events": [event("Started physio", turn=0, **started)]}
    tell(memory, "As I said, I started physio", ended_at="2026-05-03T20:00:00Z", conversation_id="c2")
    assert local_dates(memory) == expected
    assert {e.time_phrase for e in memory.events("ann")} == {"Yesterday", "in two weeks"}


def test_an_event_without_a_date_happened_when_it_was_said(open_memory: Open) -> None:
    """O-32: every conversation carries an instant."""
    memory = open_memory(extractor=Meanings({"I fixed the tap": told_event("Fixed the tap")}))
    memory.end_conversation("ann", [user("I fixed the tap", timestamp="2026-01-01T10:00:00Z"), user("bye")]).wait(30)
    (only,) = memory.events("ann")
    assert only.happened_at == datetime(2026, 1, 1, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize("query", ["What did I finish in January 2026?", "我2026年1月完成了什么？"])
def test_a_month_is_the_month_of_the_entity(open_memory: Open, query: str) -> None:
    """O-33."""
    memory = open_memory(
        extractor=Meanings({"done 完成": told_event("Finished the atlas 完成了地图集", "task_completed")})
    )
    tell(memory, "done 完成", time_zone="Asia/Kolkata", ended_at="2026-01-01T00:30:00+05:30")
    months = [
        datetime(2025, 12, 1, tzinfo=KOLKATA),
        datetime(2026, 1, 1, tzinfo=KOLKATA),
        datetime(2026, 2, 1, tzinfo=KOLKATA),
    ]
    assert len(memory.events("ann", since=months[1], until=months[2])) == 1
    assert memory.events("ann", since=months[0], until=months[1]) == []
    context = memory.recall("ann", query)
    assert context.intent.since == months[1]
    assert len(context.memories) == 1
    assert "2026-01-01" in context.text


MONTH_ENDS = [
    ("2028-02-29T12:00:00Z", "I finished the audit yesterday.", date(2028, 2, 28)),
    ("2028-03-01T12:00:00Z", "I finished the audit yesterday.", date(2028, 2, 29)),
    ("2027-03-01T12:00:00Z", "I finished the audit yesterday.", date(2027, 2, 28)),
    ("2028-01-01T12:00:00Z", "I finished the audit yesterday.", date(2027, 12, 31)),
    ("2028-02-29T12:00:00Z", "昨天我完成了审计。", date(2028, 2, 28)),
    ("2027-03-01T12:00:00Z", "昨天我完成了审计。", date(2027, 2, 28)),
]


@pytest.mark.parametrize(("ended_at", "said", "day"), MONTH_ENDS)
def test_yesterday_is_right_at_the_ends_of_months_and_on_leap_days(
    memory: EasyMemory, ended_at: str, said: str, day: date
) -> None:
    """O-34."""
    tell(memory, said, time_zone="UTC", ended_at=ended_at)
    assert list(local_dates(memory, ZoneInfo("UTC")).values()) == [day]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai"])
@pytest.mark.parametrize("ended_at", ["2028-02-29T12:00:00Z", "2027-02-28T12:00:00Z", "2028-03-31T12:00:00Z"])
def test_no_wording_of_a_date_fails_on_a_day_that_other_years_or_months_do_not_have(
    memory: EasyMemory, ended_at: str, zone: str
) -> None:
    """O-34."""
    said = [
        "I was born on 29 February. I finished the audit a year ago, and last month, and one month ago.",
        "Next year I will move. In two months I have an exam. On the 31st I fly to Rome. On 30 February I rest.",
        "我生日是2月29日。去年今天我完成了审计。上个月我毕业了。下个月31号我要考试。三个月前我搬家了。",
    ]
    assert tell(memory, *said, time_zone=zone, ended_at=ended_at).outcome is Outcome.WRITTEN
    assert memory.recall("ann", "when is the birthday? what happened last month, a year ago?").memories
    assert memory.dead_letters() == []


def test_every_form_of_time_is_read_once_at_intake_and_is_aware_from_there_on(memory: EasyMemory) -> None:
    """O-35: a naive time is wall time in the entity's zone, and the receipt says that there was one."""
    forms = ["2026-07-01T10:00:00", "2026-07-01T10:00:00+02:00", "2026-07-01T08:00:00Z", 1782892800, 1782892800000]
    messages = [user(f"note {number}", timestamp=form) for number, form in enumerate(forms)]
    messages.append(user("note 5", timestamp="next Tuesday"))
    naive_end = datetime(2026, 7, 1, 11, 0)  # noqa: DTZ001 - naive on purpose
    receipt = memory.end_conversation("ann", messages, time_zone="Europe/Berlin", ended_at=naive_end)
    status = receipt.wait(30)
    assert status.notes == {"naive_timestamp": 1, "bad_timestamp": 1}
    runtime = memory._runtime
    with runtime.database.read() as connection:
        (row,) = conversations.of_entity(connection, runtime.scope("ann"))
    moments = [m.said_at for m in row.conversation().messages]  # type: ignore[union-attr]
    assert moments == [datetime(2026, 7, 1, 8, 0, tzinfo=UTC)] * 5 + [None]
    assert row.ended_at == datetime(2026, 7, 1, 9, 0, tzinfo=UTC)


def test_recall_with_a_naive_time_is_refused_and_not_silently_empty(memory: EasyMemory) -> None:
    """O-35."""
    naive = datetime(2026, 7, 1)  # noqa: DTZ001 - naive on purpose
    for ask in (memory.recall, memory.search_events):
        with pytest.raises(ValueError, match="since: must carry a time zone"):
            ask("ann", "tea", since=naive)
    with pytest.raises(ValueError, match="until"):
        memory.events("ann", until=naive + timedelta(days=1))
