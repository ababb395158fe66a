"""Windows: the local days and months of an entity that have ended. Pure: zone and instants in, instants out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from easy_data.pipeline.extraction.local_calendar import add_months, local_day, local_instant

Unit = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class Window:
    """A local day or month: its first date, its first instant and the first instant after it, both in UTC."""

    unit: Unit
    first: date
    start: datetime
    end: datetime

    @property
    def name(self) -> str:
        """``2026-05-01`` for a day, ``2026-05`` for a month."""
        return self.first.isoformat() if self.unit == "day" else month_name(self.first)


def month_name(day: date) -> str:
    """Return the month of a day as ``2026-05``."""
    return f"{day:%Y-%m}"


def day_begins(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant of a local day: after the gap when midnight is skipped, the first when it repeats."""
    return local_instant(day, time(0), zone)


def ended_windows(
    unit: Unit, zone: ZoneInfo, *, since: datetime, last: datetime | None, now: datetime
) -> Iterator[Window]:
    """Yield the local days or months that have ended by ``now``, the oldest first.

    They begin with the one that holds ``since``, or when one was recorded already (``last``, its start) with the first
    that starts after it. Each follows from the one before and not from when it is asked for, so a ticker that was
    stopped, doubled or late changes nothing. When the entity has moved to another zone, the first day or month of the
    new zone that starts after the last one of the old follows; the starts always grow.
    """
    first = local_day(since if last is None else last, zone)
    if unit == "month":
        first = first.replace(day=1)
    start = day_begins(first, zone)
    while True:
        following = first + timedelta(days=1) if unit == "day" else add_months(first, 1)
        end = day_begins(following, zone)
        if end > now:
            return
        # A day that a zone leaves out altogether (Samoa, 30 December 2011) has no instant and is no window.
        if end > start and (last is None or start > last):
            yield Window(unit, first, start, end)
        first, start = following, end
