"""English dates: yesterday, last Friday, two weeks ago, March 5th at 3pm, the end of the month, Christmas Eve.

"last Friday" is the most recent Friday before today; "next Friday" is the Friday of the next week (Monday to Sunday);
"this Friday" is the one of this week; "Friday" and "on Friday" lean. "last night" is the evening of yesterday. Short
names (Fri, Sat) count only after on, last, this, next or by, since "sat" is also a verb. Days and months in digits
alone (3/5) are left alone unless one of them cannot be a month. "Mondays", "every Monday" are no dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta

from easy_data.pipeline.extraction.clock_en import BARE_CLOCK, with_clock
from easy_data.pipeline.extraction.local_calendar import (
    MONTHS,
    Anchor,
    Lean,
    Span,
    part_of_month,
    whole_date,
    whole_month,
    whole_year,
)

Reader = Callable[["re.Match[str]", Anchor], "Span | None"]

_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTH_NUMBERS = {
    name: index
    for index, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "sixty": 60, "ninety": 90,
    "half": 0,
}  # fmt: skip
_DAYS = {
    "yesterday": -1, "yday": -1, "ytd": -1, "yest": -1, "ystd": -1, "ysterday": -1, "yesterdy": -1, "today": 0,
    "2day": 0, "tdy": 0, "tonight": 0, "tonite": 0, "2nite": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tmrrw": 1,
    "tomoz": 1, "2moro": 1, "tomo": 1, "overmorrow": 2,
}  # fmt: skip
_HOLIDAYS = {
    "new year's day": (1, 1), "new years day": (1, 1), "valentine's day": (2, 14), "valentines day": (2, 14),
    "valentine's": (2, 14), "st patrick's day": (3, 17), "st. patrick's day": (3, 17), "paddy's day": (3, 17),
    "april fools' day": (4, 1), "april fools day": (4, 1), "may day": (5, 1), "juneteenth": (6, 19),
    "canada day": (7, 1), "fourth of july": (7, 4), "independence day": (7, 4), "bastille day": (7, 14),
    "halloween": (10, 31), "bonfire night": (11, 5), "guy fawkes": (11, 5), "armistice day": (11, 11),
    "veterans day": (11, 11), "christmas eve": (12, 24), "xmas eve": (12, 24), "christmas day": (12, 25),
    "xmas day": (12, 25), "christmas": (12, 25), "xmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new years eve": (12, 31), "nye": (12, 31), "hogmanay": (12, 31),
}  # fmt: skip
_FULL_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT_DAY = r"(?:mon|tues?|wed(?:s|nes)?|thu(?:rs?)?|fri|sat|sun)"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DOM = r"(?P<dom>3[01]|[12]\d|0?[1-9])"
_ORDINAL = r"(?P<dom>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)"
_COUNT = (
    r"(?P<count>\d{1,3}|(?:a\s+)?couple(?:\s+of)?|half\s+an?|an?|"
    + "|".join(word for word in _WORDS if word not in ("a", "an", "couple", "half"))
    + ")"
)
_UNIT = r"(?P<unit>minute|min|hour|hr|day|night|week|wk|fortnight|month|year|yr)s?\b"


def spans(text: str, anchor: Anchor) -> Iterator[tuple[int, int, Span]]:
    """Yield (start, end, span) of every reading of every rule; readings may overlap."""
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            span = read(match, anchor)
            if span is not None:
                end, timed = with_clock(text, match.end(), span)
                yield match.start(), end, timed
    for match in BARE_CLOCK.finditer(text):
        end, timed = with_clock(text, match.start(), anchor.day(0))
        if timed.at is not None:
            yield match.start(), end, timed


def _day_word(match: re.Match[str], anchor: Anchor) -> Span | None:
    offset = _DAYS[match["day"].lower()]
    if match["twice"]:
        offset *= 2
    return anchor.day(offset)


def _night(match: re.Match[str], anchor: Anchor) -> Span | None:
    return anchor.day(-1 if match["which"].lower() == "last" else 0)


def _weekday_number(name: str) -> int:
    return _WEEKDAYS[name[:3].lower()]


def _weekday(match: re.Match[str], anchor: Anchor) -> Span | None:
    weekday, which = _weekday_number(match["weekday"]), (match["which"] or "").lower()
    week = (match["week"] or "").lower()
    if week:
        return anchor.weekday_of_week(weekday, {"last": -1, "this": 0, "next": 1}[week])
    if match["before_last"]:
        return _a_week_from(anchor.nearest_weekday(weekday, "past"), -1)
    if which in ("last", "past", "this past"):
        return anchor.nearest_weekday(weekday, "past")
    if which == "next":
        return anchor.weekday_of_week(weekday, 1)
    if which in ("this", "this coming", "coming"):
        ahead = which != "this" and weekday <= anchor.today.weekday()
        return anchor.weekday_of_week(weekday, int(ahead))
    return anchor.nearest_weekday(weekday, anchor.lean)


def _a_week_from(span: Span, weeks: int) -> Span:
    return replace(span, first=span.first + timedelta(weeks=weeks))


def _week_from_day(match: re.Match[str], anchor: Anchor) -> Span | None:
    """Read "a week ago Tuesday" and "a week on Tuesday" (from the nearest Tuesday, a week further)."""
    past = match["way"].lower() in ("ago", "last", "ago last")
    return _a_week_from(
        anchor.nearest_weekday(_weekday_number(match["weekday"]), "past" if past else "future"), -1 if past else 1
    )


def _weekend(match: re.Match[str], anchor: Anchor) -> Span | None:
    which = match["which"].lower()
    if which in ("last", "past", "this past"):
        return anchor.weekend(-1)
    if which == "this":
        return anchor.weekend(0)
    return anchor.weekend(1) if which == "next" else anchor.nearest_weekend()


def _period(match: re.Match[str], anchor: Anchor) -> Span | None:
    offset = {"last": -1, "this": 0, "next": 1}[match["which"].lower()] * (2 if match["before_last"] else 1)
    unit = match["unit"].lower()
    if unit == "week":
        return anchor.weeks(offset)
    return anchor.months(offset) if unit == "month" else anchor.years(offset)


def _offset(match: re.Match[str], anchor: Anchor) -> Span | None:
    words = match["count"].lower().split()
    half = words[0] == "half"
    count = int(words[0]) if words[0].isdigit() else _WORDS["couple" if "couple" in words else words[0]]
    sign = 1 if match["ahead"] else -1
    unit = match["unit"].lower()
    if unit in ("minute", "min"):
        return anchor.elapsed(sign * timedelta(minutes=count))
    if unit in ("hour", "hr"):
        return anchor.elapsed(sign * timedelta(minutes=30 if half else 60 * count))
    if half:
        return anchor.shifted("month", sign * 6) if unit in ("year", "yr") else None
    if unit == "fortnight":
        return anchor.shifted("week", sign * 2 * count)
    return anchor.shifted({"night": "day", "wk": "week", "yr": "year"}.get(unit, unit), sign * count)


def _month_number(match: re.Match[str]) -> int:
    return _MONTH_NUMBERS[match["month"][:3].lower()]


def _month_day(match: re.Match[str], anchor: Anchor) -> Span | None:
    month, day, year = _month_number(match), int(match["dom"]), match["year"]
    return whole_date(int(year), month, day) if year else anchor.month_day(month, day)


def _month(match: re.Match[str], anchor: Anchor) -> Span | None:
    month, which = _month_number(match), (match["which"] or "").lower()
    if match["year"]:
        span = whole_month(int(match["year"]), month)
    elif which in ("last", "next"):
        lean: Lean = "past" if which == "last" else "future"
        span = replace(anchor, lean=lean, today=anchor.months({"past": -1, "future": 1}[lean]).first).month_of_year(
            month
        )
    else:
        span = anchor.month_of_year(month)
    part = (match["part"] or "").lower()
    if not part:
        return span
    if part in ("early", "late"):
        return span
    return part_of_month(
        span, {"beginning": "start", "start": "start", "mid": "middle", "middle": "middle"}.get(part, "end")
    )


def _end_of_period(match: re.Match[str], anchor: Anchor) -> Span | None:
    offset = {"last": -1, "next": 1}.get((match["which"] or "").lower(), 0)
    part = {"beginning": "start", "start": "start", "middle": "middle"}.get(match["part"].lower(), "end")
    unit = match["unit"].lower()
    if unit == "month":
        return part_of_month(anchor.months(offset), part)
    if unit == "week":
        return anchor.weekday_of_week({"start": 0, "middle": 2, "end": 4}[part], offset)
    year = anchor.today.year + offset
    return Span({"start": date(year, 1, 1), "middle": date(year, 7, 1), "end": date(year, 12, 31)}[part], "day")


def _year(match: re.Match[str], _anchor: Anchor) -> Span | None:
    return whole_year(int(match["year"]))


def _ordinal(match: re.Match[str], anchor: Anchor) -> Span | None:
    return anchor.day_of_month(int(match["dom"]))


def _holiday(match: re.Match[str], anchor: Anchor) -> Span | None:
    month, day = _HOLIDAYS[" ".join(match["holiday"].lower().replace("’", "'").split())]
    if match["which"]:
        return whole_date(anchor.today.year + {"last": -1, "next": 1}.get(match["which"].lower(), 0), month, day)
    return anchor.month_day(month, day)


def _numeric(match: re.Match[str], _anchor: Anchor) -> Span | None:
    return whole_date(int(match["year"]), int(match["month"]), int(match["dom"]))


def _slashed(match: re.Match[str], _anchor: Anchor) -> Span | None:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if (first > MONTHS) == (second > MONTHS) and first != second:
        return None
    day, month = (first, second) if first > MONTHS else (second, first)
    return whole_date(year, month, day)


def _rule(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII), reader


_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_LAST = r"(?P<which>last|this|next)"

_RULES: tuple[tuple[re.Pattern[str], Reader], ...] = (
    _rule(
        rf"\b(?P<twice>(?:the )?day (?:before|after) )?(?P<day>{'|'.join(sorted(_DAYS, key=len, reverse=True))})\b",
        _day_word,
    ),
    _rule(r"\b(?P<which>last) (?:night|nite|evening)\b", _night),
    _rule(r"\b(?:earlier )?(?P<which>this) (?:morning|morn|arvo|afternoon|evening)\b", _night),
    _rule(
        r"(?<!every )(?<!each )(?<!most )(?<!any )\b(?:on )?"
        r"(?:(?P<which>last|this past|past|this coming|coming|this|next) )?(?:the )?"
        rf"(?P<weekday>{_FULL_DAY})(?P<before_last> before last)?(?: (?:of )?(?P<week>last|this|next) week)?\b"
        r"(?!-| (?:paper|class|classes|roast|lunch|brunch|school|prayers|service|league|market|crossword)\b)",
        _weekday,
    ),
    _rule(
        rf"\b(?:(?P<which>last|this past|past|this coming|coming|this|next)|on|by|since|until|till|for|til) "
        rf"(?P<weekday>{_SHORT_DAY})\b(?P<before_last> before last)?(?P<week>(?!))?",
        _weekday,
    ),
    _rule(rf"\ba week (?P<way>ago last|ago|last|from|on|this|next) (?P<weekday>{_FULL_DAY})\b", _week_from_day),
    _rule(r"\b(?P<which>last|this past|past|this|next|over the|on the|at the) weekend\b", _weekend),
    _rule(rf"\b(?:the )?{_LAST} (?P<unit>week|month|year)(?P<before_last>(?!))?\b(?! (?:on|of) {_FULL_DAY})", _period),
    _rule(r"\bthe (?P<unit>week|month|year) before (?P<before_last>(?P<which>last))\b", _period),
    _rule(rf"\b{_COUNT}[\s-]+{_UNIT}\s+(?:ago|back|(?P<ahead>from now|from today|hence))\b", _offset),
    _rule(rf"\b(?P<ahead>in) (?:about |around |exactly )?{_COUNT}[\s-]+{_UNIT}(?!['’])", _offset),
    _rule(rf"\b{_MONTH} {_DOM}(?:st|nd|rd|th)?\b(?!:)(?:,? {_YEAR})?", _month_day),
    _rule(rf"\b{_DOM}(?:st|nd|rd|th)?(?: of)?[ -]{_MONTH}(?:,?[ -]{_YEAR})?", _month_day),
    _rule(
        r"\b(?:(?:in|since|by|until|till|during|of|from|(?P<which>last|this|next)"
        r"|(?:the )?(?P<part>beginning|start|middle|end|mid|early|late)(?: of|-)?) )+"
        rf"{_MONTH}(?: {_YEAR})?",
        _month,
    ),
    _rule(rf"\b(?P<which>(?!))?(?P<part>(?!))?{_MONTH} {_YEAR}", _month),
    _rule(
        r"\b(?:the )?(?P<part>beginning|start|middle|end) of (?:the |(?P<which>last|this|next) )?"
        r"(?P<unit>week|month|year)\b",
        _end_of_period,
    ),
    _rule(rf"\b(?:in|since|by|until|back in) {_YEAR}(?![-/:.]\d)", _year),
    _rule(
        rf"\b(?:on |by |until )the {_ORDINAL}\b(?! (?:floor|of|time|birthday|street|avenue|century|anniversary))",
        _ordinal,
    ),
    _rule(
        r"\b(?:(?P<which>last|this|next) )?(?P<holiday>"
        + "|".join(name.replace("'", "['’]").replace(".", r"\.") for name in sorted(_HOLIDAYS, key=len, reverse=True))
        + r")\b(?!['’]|\s(?:tree|cake|card|gift|present|jumper|song|music|movie|dinner|party|shopping|lights|market))",
        _holiday,
    ),
    _rule(r"(?<![\d.])(?P<year>(?:19|20)\d\d)-(?P<month>\d{1,2})-(?P<dom>\d{1,2})(?![\d.])", _numeric),
    _rule(r"(?<![\d/.])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)(?![\d/])", _slashed),
)
