"""Dates as people say them, resolved against when and where they were said.

Rules shared by the languages: a week begins on Monday; "last Friday" is the most recent one before today, while
Chinese "上周五" is the Friday of the week before this one; a weekday, day or month without a year leans to the past or
to the future as asked; days begin at local midnight (or the first instant after it where a clock change skips it); the
lunar calendar is left alone; recurring days ("every Friday", "每周五") are no dates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from easy_data.pipeline.extraction import dates_en, dates_zh
from easy_data.pipeline.extraction.local_calendar import Anchor, Lean, Precision, Span, local_day, local_instant
from easy_data.schemas.records import Language

__all__ = ["DateMention", "find_dates", "local_day"]


@dataclass(frozen=True, slots=True)
class DateMention:
    """One date in a text: ``text[start:end] == phrase``.

    ``begins`` and ``until`` are instants in UTC; ``until`` is exclusive and None for a single day or instant. With
    precision "day" or coarser ``begins`` is the local start of that day.
    """

    start: int
    end: int
    phrase: str
    begins: datetime
    until: datetime | None
    precision: Precision


def find_dates(
    text: str, language: Language, *, said_at: datetime, zone: ZoneInfo, lean: Lean = "past"
) -> list[DateMention]:
    """Return the dates said in ``text``, in order, without overlaps.

    Both grammars read every text, since people mix languages; where their readings overlap the longer one stays, and
    at equal length the one of ``language``. ``said_at`` must be aware. ``lean`` decides what a bare "Friday" or
    "March 5th" means.
    """
    anchor = Anchor(said_at=said_at.astimezone(UTC), today=local_day(said_at, zone), lean=lean)
    found: list[tuple[int, int, int, Span]] = []
    for name, grammar in (("zh", dates_zh.spans), ("en", dates_en.spans)):
        foreign = int(name != language)
        found.extend((start, end, foreign, span) for start, end, span in grammar(text, anchor))
    found.sort(key=lambda item: (item[0], item[0] - item[1], item[2]))
    kept: list[tuple[int, int, Span]] = []
    for start, end, _, span in found:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, span))
        elif end - start > kept[-1][1] - kept[-1][0]:
            kept[-1] = (start, end, span)
    return list(_mentions(text, kept, zone))


def _mentions(text: str, kept: list[tuple[int, int, Span]], zone: ZoneInfo) -> Iterator[DateMention]:
    for start, end, span in kept:
        yield DateMention(
            start=start,
            end=end,
            phrase=text[start:end],
            begins=span.moment or local_instant(span.first, span.at or time(), zone),
            until=_midnight(span.until, zone),
            precision=span.precision,
        )


def _midnight(day: date | None, zone: ZoneInfo) -> datetime | None:
    return None if day is None else local_instant(day, time(), zone)
