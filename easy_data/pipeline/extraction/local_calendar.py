"""Calendar arithmetic in the speaker's zone: what the date grammars of all languages are made of."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

Precision = Literal["instant", "day", "week", "month", "year"]
Lean = Literal["past", "future"]

WEEK_DAYS = 7
MONTHS = 12
NOON_HOUR = 12
DAY_HOURS = 24
HOUR_MINUTES = 60
SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of local time: from ``first`` (with ``at``, when an hour was said) until before ``until``.

    ``until`` is None for a single day or instant. ``moment`` is set instead of a day when an offset in hours or
    minutes was said.
    """

    first: date
    precision: Precision
    until: date | None = None
    at: time | None = None
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """When something was said: the instant in UTC, the local day of it, and which way a bare "Friday" leans."""

    said_at: datetime
    today: date
    lean: Lean

    def day(self, offset: int) -> Span:
        """Return the day ``offset`` days from today."""
        return Span(self.today + timedelta(days=offset), "day")

    def weeks(self, offset: int) -> Span:
        """Return the whole week (Monday to Sunday, ISO 8601) ``offset`` weeks from this one."""
        monday = self.monday(offset)
        return Span(monday, "week", monday + timedelta(days=WEEK_DAYS))

    def monday(self, offset: int) -> date:
        """Return the Monday of the week ``offset`` weeks from this one."""
        return self.today - timedelta(days=self.today.weekday()) + timedelta(weeks=offset)

    def weekday_of_week(self, weekday: int, offset: int) -> Span:
        """Return a weekday (0 is Monday) of the week ``offset`` weeks from this one."""
        return Span(self.monday(offset) + timedelta(days=weekday), "day")

    def nearest_weekday(self, weekday: int, lean: Lean) -> Span:
        """Return the last such weekday before today or, leaning to the future, the first one after today."""
        if lean == "past":
            back = (self.today.weekday() - weekday) % WEEK_DAYS or WEEK_DAYS
            return self.day(-back)
        ahead = (weekday - self.today.weekday()) % WEEK_DAYS or WEEK_DAYS
        return self.day(ahead)

    def weekend(self, offset: int) -> Span:
        """Return Saturday and Sunday of the week ``offset`` weeks from this one."""
        saturday = self.monday(offset) + timedelta(days=SATURDAY)
        return Span(saturday, "day", saturday + timedelta(days=2))

    def nearest_weekend(self) -> Span:
        """Return the weekend going on, or the last or next one by lean."""
        if self.today.weekday() >= SATURDAY or self.lean == "future":
            return self.weekend(0)
        return self.weekend(-1)

    def months(self, offset: int) -> Span:
        """Return the whole calendar month ``offset`` months from this one."""
        first = add_months(self.today.replace(day=1), offset)
        return Span(first, "month", add_months(first, 1))

    def years(self, offset: int) -> Span:
        """Return the whole calendar year ``offset`` years from this one."""
        return whole_year(self.today.year + offset)

    def shifted(self, unit: str, count: int) -> Span:
        """Return the day ``count`` units away ("day", "week", "month" or "year").

        The day keeps its place (two weeks before the 15th is the 1st; a month from 31 January is the last day of
        February); the unit is the precision, because that is how exact people are.
        """
        if unit == "day":
            return self.day(count)
        if unit == "week":
            return Span(self.today + timedelta(weeks=count), "week")
        if unit == "month":
            return Span(add_months(self.today, count), "month")
        return Span(add_months(self.today, count * MONTHS), "year")

    def elapsed(self, delta: timedelta) -> Span:
        """Return the instant ``delta`` from when it was said; hours and minutes are counted, not read off a clock."""
        return Span(self.today, "instant", moment=self.said_at + delta)

    def month_day(self, month: int, day: int) -> Span | None:
        """Return a day of a year that was not said: the last one not after today, or the next one, by lean."""
        years = range(self.today.year, self.today.year - 5, -1)
        if self.lean == "future":
            years = range(self.today.year, self.today.year + 5)
        for year in years:
            found = whole_date(year, month, day)
            if found and (found.first <= self.today if self.lean == "past" else found.first >= self.today):
                return found
        return None

    def day_of_month(self, day: int) -> Span | None:
        """Return the nearest such day by lean, today included; a month that has no such day is passed over."""
        step = -1 if self.lean == "past" else 1
        for offset in range(3):
            month = add_months(self.today.replace(day=1), step * offset)
            found = whole_date(month.year, month.month, day)
            if found and (found.first <= self.today if self.lean == "past" else found.first >= self.today):
                return found
        return None

    def month_of_year(self, month: int) -> Span:
        """Return a month whose year was not said: this year's, else the last or next one by lean."""
        year = self.today.year
        if self.lean == "past" and month > self.today.month:
            year -= 1
        if self.lean == "future" and month < self.today.month:
            year += 1
        return whole_month(year, month)


def add_months(day: date, count: int) -> date:
    """Return ``day`` moved by ``count`` months; where the month is too short, its last day."""
    index = day.year * MONTHS + day.month - 1 + count
    year, month = index // MONTHS, index % MONTHS + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def whole_date(year: int, month: int, day: int) -> Span | None:
    """Return that day, or None when the calendar has no such day."""
    if 1 <= month <= MONTHS and 1 <= day <= calendar.monthrange(year, month)[1]:
        return Span(date(year, month, day), "day")
    return None


def whole_month(year: int, month: int) -> Span:
    """Return that calendar month."""
    first = date(year, month, 1)
    return Span(first, "month", add_months(first, 1))


def whole_year(year: int) -> Span:
    """Return that calendar year."""
    return Span(date(year, 1, 1), "year", date(year + 1, 1, 1))


def part_of_month(month: Span, part: str) -> Span:
    """Return the "start" (the 1st), "middle" (the 15th) or "end" (the last day) of a month."""
    if part == "start":
        return Span(month.first, "day")
    if part == "middle":
        return Span(month.first.replace(day=15), "day")
    return Span(add_months(month.first, 1) - timedelta(days=1), "day")


def local_instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the instant, in UTC, of a wall time in ``zone``.

    A wall time that a clock change skips is the first instant after the gap; one that occurs twice is the first.
    """
    wall = datetime.combine(day, at, tzinfo=zone)
    after = wall.astimezone(UTC)
    if after.astimezone(zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return after
    before = wall.replace(fold=1).astimezone(UTC)
    shift = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).utcoffset() == shift:
            after = middle
        else:
            before = middle
    return after.replace(microsecond=0)


def local_day(moment: datetime, zone: ZoneInfo) -> date:
    """Return the calendar day of an aware instant in ``zone``."""
    return moment.astimezone(zone).date()
