"""Chinese dates: 昨天, 上周三, 两周后, 3月5号下午三点半, 月底, 国庆.

Simplified, traditional and Cantonese words. 上周三 is the Wednesday of the week before this one; 周三 alone leans.
凌晨 belongs to the day named with it; 晚上十二点 is the midnight that ends that day. 春节 and other days of the lunar
calendar are left alone, and so are 前几天, 最近, 下半年: they name no day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, time, timedelta

from easy_data.pipeline.extraction.local_calendar import (
    DAY_HOURS,
    HOUR_MINUTES,
    MONTHS,
    NOON_HOUR,
    Anchor,
    Span,
    part_of_month,
    whole_date,
    whole_month,
    whole_year,
)

_SIMPLIFIED = str.maketrans(
    "週這個兩號點後鐘時間禮內過聖誕節國慶曆農０１２３４５６７８９：",
    "周这个两号点后钟时间礼内过圣诞节国庆历农0123456789:",
)
_NUMBER = r"(?:\d{1,4}|[一二两三四五六七八九十]{1,3}|半)"
_WEEKDAY = r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末]|[1-6])"
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_DAYS = {
    "大前天": -3, "大前日": -3, "前天": -2, "前日": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨儿": -1, "昨": -1,
    "琴日": -1, "寻日": -1, "尋日": -1, "琴晚": -1, "寻晚": -1, "尋晚": -1, "今天": 0, "今日": 0, "今儿": 0, "今": 0,
    "当天": 0,
    "明天": 1, "明日": 1, "明儿": 1, "明": 1, "听日": 1, "聽日": 1, "后天": 2, "后日": 2, "大后天": 3,
}  # fmt: skip
_HOLIDAYS = {
    "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "三八节": (3, 8), "愚人节": (4, 1), "五一": (5, 1),
    "劳动节": (5, 1), "五四青年节": (5, 4), "六一": (6, 1), "儿童节": (6, 1), "七一": (7, 1), "教师节": (9, 10),
    "国庆节": (10, 1), "国庆": (10, 1), "十一长假": (10, 1), "万圣节": (10, 31), "双十一": (11, 11),
    "双11": (11, 11), "双十二": (12, 12), "平安夜": (12, 24), "圣诞节": (12, 25), "圣诞": (12, 25), "跨年夜": (12, 31),
}  # fmt: skip
_PART = r"(?:凌晨|清晨|一大早|大清早|早上|早晨|今早|上午|中午|午后|下午|傍晚|晚上|夜里|半夜|深夜|当晚)"
_CLOCK = re.compile(
    rf"(?:的|\s)?(?P<part>{_PART}|[早晚](?![会餐饭点安]))?\s?(?:(?P<hour>\d{{1,2}}|[一二两三四五六七八九十]{{1,3}})(?:[点时](?P<minute>半|"
    rf"一刻|三刻|整|\d{{1,2}}分?|[一二三四五]?十[一二三四五六七八九]?分?|[零〇][一二三四五六七八九]分?)?钟?"
    r"|(?<=\d):(?P<colon>[0-5]\d)))?"
)
_NOT_A_DATE = (
    r"(?!线|楼|店|桌|门|机|位|车|厅|院|馆|房|仓|柜|球|选手|电池|字|文件|码|坑|床|铺|地铁|公路|窗|会议室|教室|站|井|色)"
)

# 晚上两点 is after the midnight of that evening, 中午一点 after noon.
_SMALL_HOURS = 5
_YEARS = range(1900, 2101)

Reader = Callable[["re.Match[str]", Anchor], "Span | None"]


def number(text: str) -> int:
    """Return the value of an Arabic or Chinese numeral below one hundred (十二, 二十, 两, 12)."""
    if text.isdigit():
        return int(text)
    tens, ten, units = text.rpartition("十")
    if not ten:
        return _DIGITS.get(text[-1:], 0)
    return (_DIGITS.get(tens[-1:], 1) if tens else 1) * 10 + _DIGITS.get(units[-1:], 0)


def spans(text: str, anchor: Anchor) -> Iterator[tuple[int, int, Span]]:
    """Yield (start, end, span) of every reading of every rule; readings may overlap."""
    plain = text.translate(_SIMPLIFIED)
    for pattern, read in _RULES:
        for match in pattern.finditer(plain):
            span = read(match, anchor)
            if span is not None:
                end, timed = _with_clock(plain, match.end(), span)
                yield match.start(), end, timed
    for match in _BARE_CLOCK.finditer(plain):
        end, timed = _with_clock(plain, match.start(), anchor.day(0))
        if timed.at is not None:
            yield match.start(), end, timed


def _with_clock(text: str, position: int, span: Span) -> tuple[int, Span]:
    """Read a time of day that follows a day; return the end and the span, now an instant if an hour was said."""
    match = _CLOCK.match(text, position)
    if match is None or span.precision != "day" or span.until is not None or not (match["part"] or match["hour"]):
        return position, span
    if not match["hour"]:
        return match.end(), span
    minute = match["minute"] or match["colon"] or "0"
    minutes = {"半": 30, "一刻": 15, "三刻": 45, "整": 0}.get(minute)
    if minutes is None:
        minutes = number(minute.rstrip("分"))
    before = text[position - 1 : position]
    hour, later = _hour(number(match["hour"]), match["part"] or (before if before in "早晚" else ""))
    if hour >= DAY_HOURS or minutes >= HOUR_MINUTES:
        return position, span
    return match.end(), replace(
        span, first=span.first + timedelta(days=later), at=time(hour, minutes), precision="instant"
    )


def _hour(hour: int, part: str) -> tuple[int, int]:
    """Return the hour on a 24-hour clock and how many days later it is than the day named."""
    if part in ("下午", "午后", "傍晚") and hour < NOON_HOUR:
        return hour + 12, 0
    if part == "中午" and hour < _SMALL_HOURS:
        return hour + 12, 0
    if part in ("晚上", "晚", "当晚", "夜里", "深夜", "半夜"):
        if hour in (NOON_HOUR, DAY_HOURS):
            return 0, 1
        if hour < _SMALL_HOURS:
            return hour, 1 if part in ("晚上", "晚", "当晚") else 0
        return (hour + 12 if hour < NOON_HOUR else hour), 0
    return (0, 1) if hour == DAY_HOURS else (hour, 0)


def _day_word(match: re.Match[str], anchor: Anchor) -> Span | None:
    return anchor.day(_DAYS[match["day"]])


def _part_of_today(_match: re.Match[str], anchor: Anchor) -> Span | None:
    return anchor.day(0)


def _weekday(match: re.Match[str], anchor: Anchor) -> Span | None:
    shift = match["shift"] or ""
    offset = {"上": -1, "下": 1}.get(shift[-1:], 0) * max(len(shift), 1)
    named = match["weekday"]
    if named == "末":
        return anchor.weekend(offset) if shift or match["this"] else anchor.nearest_weekend()
    weekday = 6 if named in "日天" else number(named) - 1
    if shift or match["this"]:
        return anchor.weekday_of_week(weekday, offset)
    return anchor.day(0) if weekday == anchor.today.weekday() else anchor.nearest_weekday(weekday, anchor.lean)


def _week(match: re.Match[str], anchor: Anchor) -> Span | None:
    shift = match["shift"]
    return anchor.weeks({"上": -1, "下": 1}.get(shift[-1], 0) * len(shift))


# A larger count of units is no distance in time: "2026年前" holds the name of a year.
_FARTHEST = 1000


def _offset(match: re.Match[str], anchor: Anchor) -> Span | None:
    sign = -1 if match["way"] == "前" else 1
    unit = match["unit"].replace("个", "").replace("半", "")
    half = "半" in (match["count"], match["half"], match["unit"][-2:-1])
    count = 0 if match["count"] == "半" else number(match["count"])
    if count > _FARTHEST:
        return None
    if unit in ("小时", "钟头", "钟"):
        return anchor.elapsed(sign * timedelta(hours=count + (0.5 if half else 0)))
    if unit in ("分钟", "分"):
        return anchor.elapsed(sign * timedelta(minutes=count))
    if half:
        if unit == "月":
            whole = anchor.shifted("month", sign * count)
            return replace(whole, first=whole.first + sign * timedelta(days=15), precision="week")
        return anchor.shifted("month", sign * (count * 12 + 6)) if unit == "年" else None
    name = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}[unit]
    return anchor.shifted(name, sign * count)


def _month(match: re.Match[str], anchor: Anchor) -> Span | None:
    shift = match["shift"]
    month = anchor.months({"上": -1, "下": 1}.get(shift[-1:], 0) * max(len(shift), 1))
    return _narrowed(match, month)


def _narrowed(match: re.Match[str], month: Span) -> Span | None:
    """Narrow a month to the day or part said with it."""
    if match["dom"]:
        return whole_date(month.first.year, month.first.month, number(match["dom"]))
    part = match["part"]
    return part_of_month(month, {"初": "start", "中": "middle"}.get(part[-1], "end")) if part else month


def _year_of(match: re.Match[str], anchor: Anchor) -> int | None:
    said = match["year"]
    if not said:
        return None
    if said[0].isdigit():
        year = int(said[:4]) if said[:4].isdigit() else 2000 + int(said[:2])
        return year if year in _YEARS else None
    return (
        anchor.today.year
        + {"大前年": -3, "前年": -2, "去年": -1, "上年": -1, "今年": 0, "明年": 1, "后年": 2}[said.strip("的")]
    )


def _year_month(match: re.Match[str], anchor: Anchor) -> Span | None:
    year = _year_of(match, anchor)
    month = number(match["month"])
    if not 1 <= month <= MONTHS or (match["year"] and year is None):
        return None
    if year is None and match["dom"]:
        return anchor.month_day(month, number(match["dom"]))
    return _narrowed(match, whole_month(year, month) if year else anchor.month_of_year(month))


def _year(match: re.Match[str], anchor: Anchor) -> Span | None:
    year = _year_of(match, anchor)
    if year is None:
        return None
    if match["part"]:
        return Span(date(year, 1, 1), "day") if match["part"].endswith("初") else Span(date(year, 12, 31), "day")
    return whole_year(year)


def _month_end(match: re.Match[str], anchor: Anchor) -> Span | None:
    return part_of_month(anchor.months(0), {"初": "start", "中": "middle"}.get(match["part"], "end"))


def _year_end(match: re.Match[str], anchor: Anchor) -> Span | None:
    month, day = {"初": (1, 1), "中": (7, 1)}.get(match["part"], (12, 31))
    return whole_date(anchor.today.year, month, day)


def _holiday(match: re.Match[str], anchor: Anchor) -> Span | None:
    year, (month, day) = _year_of(match, anchor), _HOLIDAYS[match["holiday"]]
    return whole_date(year, month, day) if year else anchor.month_day(month, day)


def _numeric(match: re.Match[str], _anchor: Anchor) -> Span | None:
    return whole_date(int(match["year"]), int(match["month"]), int(match["dom"]))


def _day_of_month(match: re.Match[str], anchor: Anchor) -> Span | None:
    return anchor.day_of_month(number(match["dom"]))


def _rule(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    return re.compile(pattern), reader


_MONTH_NUMBER = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_DOM = r"(?P<dom>3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])"
_YEAR = r"(?P<year>(?:19|20)\d\d年|\d\d年|大前年的?|前年的?|去年的?|上年|今年的?|明年的?|后年的?)"
_PART_OF_MONTH = r"(?P<part>月?初(?![一二三四五六七八九十])|月?中(?!旬|午|国|秋)|月?底|月?末)"

_RULES: tuple[tuple[re.Pattern[str], Reader], ...] = (
    _rule(
        r"(?P<day>大前[天日]|前[天日晚]|昨[天日儿]|今[天日儿]|当天|明[天日儿]|大后天|后[天日]|[琴寻尋听聽]日|[琴寻尋]晚)",
        _day_word,
    ),
    _rule(r"(?P<day>[昨今明])(?=[早晚夜]|上午|下午|凌晨|中午)", _day_word),
    _rule(
        r"(?<![每天日儿末昨今明后期都一二三四五六号])(?:上午|中午|下午)(?!好|茶|[一二两三四五六七八九十\d])(?=[^，。！？]{0,10}了)",
        _part_of_today,
    ),
    _rule(
        rf"(?<![每逢到至\-—~双单])(?:(?P<this>[这本])|(?P<shift>上+|下+))?个?{_WEEKDAY}(?![到至\-—~一两]|之?[内间])",
        _weekday,
    ),
    _rule(r"(?<![每\d])(?P<shift>[这本]|上+|下+)个?(?:周|星期|礼拜)(?![一二三四五六日天末\d年])", _week),
    _rule(
        rf"(?<![第每个\d])(?P<count>{_NUMBER})(?P<unit>个?小时|个?钟头|个钟|分钟|个半月|个?月|年|天|日|周|个?星期|个?礼拜)"
        r"(?P<half>半)?(?:之|以)?(?P<way>前|后)",
        _offset,
    ),
    _rule(rf"(?P<shift>[这本]|上+|下+)个?月(?:{_DOM}[号日]|{_PART_OF_MONTH})?", _month),
    _rule(
        rf"(?:(?<![\d.历])|{_YEAR}){_MONTH_NUMBER}月份?(?!初[一二三四五六七八九十])(?:{_DOM}[号日]?|{_PART_OF_MONTH})?",
        _year_month,
    ),
    _rule(rf"{_YEAR}(?P<part>年?[初底末])?(?!\d|代)", _year),
    _rule(r"(?<![去今明后前新\d]|一|两)年(?P<part>初|底|末|中)", _year_end),
    _rule(
        r"(?<![上下个\d一二三四五六七八九十])(?:这个?|本)?月(?P<part>初(?![一二三四五六七八九十])|中旬|底|末)",
        _month_end,
    ),
    _rule(rf"{_YEAR}?(?<!农历)(?P<holiday>{'|'.join(sorted(_HOLIDAYS, key=len, reverse=True))})", _holiday),
    _rule(r"(?<![\d.])(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<dom>\d{1,2})(?![\d.])", _numeric),
    _rule(rf"(?<![\d.月第A-Za-z]){_DOM}[号日](?![\d前后]){_NOT_A_DATE}", _day_of_month),
)
_BARE_CLOCK = re.compile(
    rf"{_PART}\s?(?:\d{{1,2}}|[一二两三四五六七八九十]{{1,3}})(?:[点时]|:[0-5]\d)"
    r"|(?<![\d一二两三四五六七八九十:])(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:钟|半|整|\d{1,2}分|一刻)"
)
