"""Local days and months partition time, whatever the zone and however the ticker behaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from easy_data.pipeline.maintenance.windows import Unit, Window, day_begins, ended_windows

ZONES = [
    "Asia/Shanghai",
    "Europe/London",
    "America/New_York",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/Havana",
]
BEGIN = datetime(2027, 12, 31, 12, 0, tzinfo=UTC)
END = datetime(2029, 1, 2, 12, 0, tzinfo=UTC)
STEP = timedelta(hours=3)


def ticks(*, stopped: range = range(0), twice: bool = False) -> Iterator[datetime]:
    """Every third hour of a year that has a leap day, without those of the days ``stopped``, each perhaps twice."""
    moment = BEGIN
    while moment <= END:
        if (moment - BEGIN).days not in stopped:
            yield from [moment, moment] if twice else [moment]
        moment += STEP


def ticked(unit: Unit, zone: str, moments: Iterable[datetime]) -> list[Window]:
    """The windows that a ticker runs which asks at these moments and remembers only the last start."""
    done: list[Window] = []
    for now in moments:
        last = done[-1].start if done else None
        done += ended_windows(unit, ZoneInfo(zone), since=BEGIN, last=last, now=now)
    return done


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "behaviour", [{}, {"stopped": range(88, 91)}, {"twice": True}], ids=["steady", "stopped", "two"]
)
def test_a_year_of_ticks_runs_each_local_day_and_month_exactly_once(zone: str, behaviour: dict[str, object]) -> None:
    days = ticked("day", zone, ticks(**behaviour))  # type: ignore[arg-type]
    first = BEGIN.astimezone(ZoneInfo(zone)).date()
    assert [w.first for w in days] == [first + timedelta(days=i) for i in range(len(days))]
    assert days[-1].first == END.astimezone(ZoneInfo(zone)).date() - timedelta(days=1)
    months = ticked("month", zone, ticks(**behaviour))  # type: ignore[arg-type]
    # Where the year began in December, December is a month of its time too.
    names = [f"2028-{number:02}" for number in range(1, 13)]
    assert [w.name for w in months] == (["2027-12", *names] if first.year == 2027 else names)
    for windows in (days, months):
        assert all(one.end == two.start for one, two in pairwise(windows))


@pytest.mark.parametrize("zone", ZONES)
def test_every_instant_of_a_window_is_of_its_local_day(zone: str) -> None:
    for window in ended_windows("day", ZoneInfo(zone), since=BEGIN, last=None, now=END):
        for instant in (window.start, window.end - timedelta(microseconds=1)):
            assert instant.astimezone(ZoneInfo(zone)).date() == window.first


@given(
    zone=st.sampled_from(ZONES),
    stops=st.lists(st.integers(min_value=0, max_value=24 * 100), min_size=1, max_size=20),
)
def test_when_the_ticker_asks_does_not_matter(zone: str, stops: list[int]) -> None:
    moments = [BEGIN + timedelta(hours=hour) for hour in sorted(stops)]
    at_once = ended_windows("day", ZoneInfo(zone), since=BEGIN, last=None, now=moments[-1])
    assert ticked("day", zone, moments) == list(at_once)


def test_a_clock_that_jumps_back_runs_nothing_again() -> None:
    moments = [BEGIN + timedelta(days=days) for days in (10, 4, 11, 3)]
    assert len(ticked("day", "UTC", moments)) == 11


@pytest.mark.parametrize(
    ("zone", "day", "begins"),
    [
        # Clocks go from 00:00 to 01:00, so the day begins at 01:00.
        ("Africa/Cairo", date(2028, 4, 28), datetime(2028, 4, 27, 22, 0, tzinfo=UTC)),
        # Clocks go from 01:00 back to 00:00, so there are two midnights; the day begins with the first.
        ("America/Havana", date(2028, 11, 5), datetime(2028, 11, 5, 4, 0, tzinfo=UTC)),
        ("Australia/Lord_Howe", date(2028, 4, 2), datetime(2028, 4, 1, 13, 0, tzinfo=UTC)),
        ("Asia/Shanghai", date(2028, 2, 29), datetime(2028, 2, 28, 16, 0, tzinfo=UTC)),
    ],
)
def test_a_day_begins_at_its_first_instant(zone: str, day: date, begins: datetime) -> None:
    assert day_begins(day, ZoneInfo(zone)) == begins


def test_a_day_that_a_zone_left_out_is_no_window() -> None:
    samoa = ZoneInfo("Pacific/Apia")
    since = datetime(2011, 12, 28, 20, 0, tzinfo=UTC)
    found = list(ended_windows("day", samoa, since=since, last=None, now=since + timedelta(days=5)))
    assert [w.first.day for w in found] == [28, 29, 31, 1, 2]
    assert all(one.end == two.start for one, two in pairwise(found))


@pytest.mark.parametrize(("old", "new"), [("Asia/Shanghai", "America/New_York"), ("America/New_York", "Asia/Shanghai")])
def test_after_a_move_the_windows_go_on_in_the_new_zone(old: str, new: str) -> None:
    now = datetime(2028, 5, 10, 9, 0, tzinfo=UTC)
    last = list(ended_windows("day", ZoneInfo(old), since=BEGIN, last=None, now=now))[-1]
    later = now + timedelta(days=3)
    found = list(ended_windows("day", ZoneInfo(new), since=BEGIN, last=last.start, now=later))
    assert found[0].start > last.start
    assert found[0].start - last.start < timedelta(days=2)
    assert all(one.end == two.start for one, two in pairwise(found))
    assert found[-1].end <= later < found[-1].end + timedelta(days=1)


def test_a_month_has_the_name_of_its_first_local_day() -> None:
    zone = ZoneInfo("Asia/Kolkata")
    now = datetime(2028, 3, 31, 20, 0, tzinfo=UTC)
    found = list(ended_windows("month", zone, since=datetime(2027, 12, 31, 19, 0, tzinfo=UTC), last=None, now=now))
    assert [w.name for w in found] == ["2028-01", "2028-02", "2028-03"]
    assert found[1].end == datetime(2028, 2, 29, 18, 30, tzinfo=UTC)
