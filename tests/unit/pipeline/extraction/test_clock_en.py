"""English times of day after a day."""

from __future__ import annotations

from datetime import date, time

import pytest

from easy_data.pipeline.extraction.clock_en import with_clock
from easy_data.pipeline.extraction.local_calendar import Span

DAY = Span(date(2026, 4, 14), "day")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (" at 3pm", time(15)),
        (" at 12am", time(0)),
        (" at 15:30", time(15, 30)),
        (" at noon", time(12)),
        (" evening at 8:15", time(20, 15)),
    ],
)
def test_a_stated_hour_makes_the_day_an_instant(text: str, at: time) -> None:
    end, span = with_clock(text, 0, DAY)
    assert (end, span.at, span.precision) == (len(text), at, "instant")


def test_a_number_that_may_not_be_an_hour_is_left_alone() -> None:
    assert with_clock(" at 3 shops", 0, DAY) == (0, DAY)


def test_midnight_ends_the_day_it_is_said_of() -> None:
    assert with_clock(" at midnight", 0, DAY)[1].first == date(2026, 4, 15)
