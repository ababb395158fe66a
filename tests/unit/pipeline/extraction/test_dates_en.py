"""English dates, said on Tuesday 14 April 2026 at 09:00 in Shanghai."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from easy_data.pipeline.extraction.dates import find_dates
from easy_data.pipeline.extraction.local_calendar import Lean

SHANGHAI = ZoneInfo("Asia/Shanghai")
TUESDAY = datetime(2026, 4, 14, 9, 0, tzinfo=SHANGHAI)


def read(text: str, lean: Lean = "past") -> list[tuple[str, str]]:
    """Return (phrase, local time) of the dates in ``text``."""
    found = find_dates(text, "en", said_at=TUESDAY, zone=SHANGHAI, lean=lean)
    return [(m.phrase, m.begins.astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M")) for m in found]


@pytest.mark.parametrize(
    ("text", "phrase", "begins"),
    [
        ("sealed it yesterday", "yesterday", "2026-04-13 00:00"),
        ("ytd lah", "ytd", "2026-04-13 00:00"),
        ("Found out the day before yesterday", "the day before yesterday", "2026-04-12 00:00"),
        ("last night we did", "last night", "2026-04-13 00:00"),
        ("last Friday we voted", "last Friday", "2026-04-10 00:00"),
        ("the Friday before last", "the Friday before last", "2026-04-03 00:00"),
        ("Tuesday last week", "Tuesday last week", "2026-04-07 00:00"),
        ("handed in on Saturday", "on Saturday", "2026-04-11 00:00"),
        ("on sat we won", "on sat", "2026-04-11 00:00"),
        ("next Friday", "next Friday", "2026-04-24 00:00"),
        ("this Friday at 3:30pm", "this Friday at 3:30pm", "2026-04-17 15:30"),
        ("over the weekend", "over the weekend", "2026-04-11 00:00"),
        ("two weeks ago", "two weeks ago", "2026-03-31 00:00"),
        ("a couple of days ago", "a couple of days ago", "2026-04-12 00:00"),
        ("in a fortnight", "in a fortnight", "2026-04-28 00:00"),
        ("half an hour ago", "half an hour ago", "2026-04-14 08:30"),
        ("March 5th", "March 5th", "2026-03-05 00:00"),
        ("5 March 2026", "5 March 2026", "2026-03-05 00:00"),
        ("on the 3rd", "on the 3rd", "2026-04-03 00:00"),
        ("the end of the month", "the end of the month", "2026-04-30 00:00"),
        ("beginning of May 2026", "beginning of May 2026", "2026-05-01 00:00"),
        ("last month", "last month", "2026-03-01 00:00"),
        ("next year", "next year", "2027-01-01 00:00"),
        ("on christmas eve i finished", "christmas eve", "2025-12-24 00:00"),
        ("tonight at 8pm", "tonight at 8pm", "2026-04-14 20:00"),
        ("tomorrow at midnight", "tomorrow at midnight", "2026-04-16 00:00"),
        ("yesterday at half past 3pm", "yesterday at half past 3pm", "2026-04-13 15:30"),
        ("4/25/2026", "4/25/2026", "2026-04-25 00:00"),
    ],
)
def test_a_date_is_read_as_people_mean_it(text: str, phrase: str, begins: str) -> None:
    assert read(text) == [(phrase, begins)]


@pytest.mark.parametrize(
    "text",
    [
        "every Monday",
        "Mondays",
        "I sat down",
        "I may 4get",
        "march on",
        "3/5/2026",
        "the Sunday paper",
        "a christmas tree",
    ],
)
def test_what_names_no_single_day_is_no_date(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(("text", "begins"), [("Friday", "2026-04-17 00:00"), ("March 5", "2027-03-05 00:00")])
def test_a_bare_day_can_lean_to_the_future(text: str, begins: str) -> None:
    assert [b for _, b in read(text, "future")] == [begins]
