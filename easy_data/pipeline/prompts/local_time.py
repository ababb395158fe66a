"""The local times a model writes: a year, a month, a day, or a wall time, as ISO 8601."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from easy_data.schemas.zones import in_utc

_PERIOD = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
# The prompt tells times with the day of the week behind them, and small models copy that.
_WEEKDAY = re.compile(r"\s+(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$", re.IGNORECASE)
_YEARS = range(1900, 2200)
_DECEMBER = 12


def local_period(text: str) -> tuple[datetime, datetime | None] | None:
    """Return where ``text`` begins and, for a month or a year, ends (exclusive); None when it is empty.

    Times are naive unless ``text`` has an offset. Raises ``ValueError`` for anything else than ISO 8601 of the years
    1900 to 2199.
    """
    written = _WEEKDAY.sub("", text.strip())
    if not written:
        return None
    period = _PERIOD.fullmatch(written)
    if period is None:
        begin, end = _instant(written), None
    else:
        year, month, day = (int(part) if part else None for part in period.groups())
        begin = datetime(year or 0, month or 1, day or 1)  # noqa: DTZ001 - local, the caller knows the zone
        end = None if day else _next(begin, whole_year=month is None)
    if begin.year not in _YEARS:
        raise ValueError("the year is out of range")
    return begin, end


def instants(at: str, until: str, zone: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """Return the UTC instants of a period from ``at`` to the end of ``until`` (the last day, month or year of it).

    Naive times are read in ``zone``. An end that is not after the beginning is left out.
    """
    begins = local_period(at)
    if begins is None:
        return None, None
    begin, end = begins
    last = local_period(until)
    if last is not None:
        whole_day = _PERIOD.fullmatch(_WEEKDAY.sub("", until.strip())) is not None
        end = last[1] or (last[0] + timedelta(days=1) if whole_day else last[0])
    start = in_utc(begin, zone)
    stop = in_utc(end, zone) if end else None
    return start, stop if stop and stop > start else None


def _instant(written: str) -> datetime:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        # The library's message repeats the text, which is the model's; it would end in a log.
        raise ValueError("is no time of ISO 8601") from None


def _next(begin: datetime, *, whole_year: bool) -> datetime:
    if whole_year or begin.month == _DECEMBER:
        return begin.replace(year=begin.year + 1, month=1)
    return begin.replace(month=begin.month + 1)
