"""Calendar arithmetic: month ends, leap days, clock changes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from easy_data.pipeline.extraction.local_calendar import (
    Anchor,
    add_months,
    local_day,
    local_instant,
    part_of_month,
    whole_date,
    whole_month,
)


def anchor(today: date, lean: str = "past") -> Anchor:
    """Return an anchor at noon UTC of ``today``."""
    return Anchor(datetime.combine(today, time(12), tzinfo=UTC), today, "future" if lean == "future" else "past")


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2028, 1, 31), 1, date(2028, 2, 29)),
        (date(2028, 2, 29), 12, date(2029, 2, 28)),
        (date(2026, 3, 31), -1, date(2026, 2, 28)),
        (date(2026, 1, 15), -1, date(2025, 12, 15)),
        (date(2026, 12, 1), 1, date(2027, 1, 1)),
    ],
)
def test_a_month_without_that_day_gives_its_last_day(day: date, months: int, expected: date) -> None:
    assert add_months(day, months) == expected


def test_the_31st_passes_over_months_that_have_none() -> None:
    span = anchor(date(2026, 5, 10)).day_of_month(31)
    assert span is not None
    assert span.first == date(2026, 3, 31)


def test_the_29th_of_february_is_found_in_the_last_leap_year() -> None:
    """O-34: no arithmetic that fails on a leap day."""
    span = anchor(date(2027, 3, 1)).month_day(2, 29)
    assert span is not None
    assert span.first == date(2024, 2, 29)


def test_a_day_the_calendar_lacks_is_no_date() -> None:
    assert whole_date(2026, 2, 30) is None
    assert whole_date(2026, 13, 1) is None


def test_the_end_of_a_month_is_its_last_day() -> None:
    assert part_of_month(whole_month(2028, 2), "end").first == date(2028, 2, 29)


def test_a_weekday_leans_to_the_past_or_the_future() -> None:
    tuesday = date(2026, 4, 14)
    assert anchor(tuesday).nearest_weekday(1, "past").first == date(2026, 4, 7)
    assert anchor(tuesday).nearest_weekday(1, "future").first == date(2026, 4, 21)


def test_a_wall_time_in_a_gap_is_the_first_instant_after_it() -> None:
    new_york = ZoneInfo("America/New_York")
    assert local_instant(date(2026, 3, 8), time(2, 30), new_york) == datetime(2026, 3, 8, 7, 0, tzinfo=UTC)


def test_a_midnight_in_a_gap_is_the_first_instant_of_that_day() -> None:
    cairo = ZoneInfo("Africa/Cairo")
    begins = local_instant(date(2026, 4, 24), time(), cairo)
    assert begins == datetime(2026, 4, 23, 22, 0, tzinfo=UTC)
    assert local_day(begins, cairo) == date(2026, 4, 24)


def test_a_wall_time_that_occurs_twice_is_the_first_of_the_two() -> None:
    new_york = ZoneInfo("America/New_York")
    assert local_instant(date(2026, 11, 1), time(1, 30), new_york) == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
