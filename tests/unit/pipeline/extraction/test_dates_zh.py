"""Chinese dates, said on Tuesday 14 April 2026 at 09:00 in Shanghai."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from easy_data.pipeline.extraction.dates import find_dates
from easy_data.pipeline.extraction.dates_zh import number
from easy_data.pipeline.extraction.local_calendar import Lean

SHANGHAI = ZoneInfo("Asia/Shanghai")
TUESDAY = datetime(2026, 4, 14, 9, 0, tzinfo=SHANGHAI)


def read(text: str, lean: Lean = "past") -> list[tuple[str, str]]:
    """Return (phrase, local time) of the dates in ``text``."""
    found = find_dates(text, "zh", said_at=TUESDAY, zone=SHANGHAI, lean=lean)
    return [(m.phrase, m.begins.astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M")) for m in found]


@pytest.mark.parametrize(
    ("text", "phrase", "begins"),
    [
        ("昨天下午总算过了", "昨天下午", "2026-04-13 00:00"),
        ("大前天第三回", "大前天", "2026-04-11 00:00"),
        ("后天早上九点见", "后天早上九点", "2026-04-16 09:00"),
        ("上周三来信", "上周三", "2026-04-08 00:00"),
        ("上上周日", "上上周日", "2026-04-05 00:00"),
        ("下週五交", "下週五", "2026-04-24 00:00"),
        ("禮拜天掃描完", "禮拜天", "2026-04-12 00:00"),
        ("这周末", "这周末", "2026-04-18 00:00"),
        ("三天前接到电话", "三天前", "2026-04-11 00:00"),
        ("两周后复查", "两周后", "2026-04-28 00:00"),
        ("半个月前", "半个月前", "2026-03-30 00:00"),
        ("一年半前", "一年半前", "2024-10-14 00:00"),
        ("3月5号", "3月5号", "2026-03-05 00:00"),
        ("十月二十一号", "十月二十一号", "2025-10-21 00:00"),
        ("2024年2月29日", "2024年2月29日", "2024-02-29 00:00"),
        ("去年10月", "去年10月", "2025-10-01 00:00"),
        ("我5号去的", "5号", "2026-04-05 00:00"),
        ("月底交", "月底", "2026-04-30 00:00"),
        ("下个月初", "下个月初", "2026-05-01 00:00"),
        ("上月底", "上月底", "2026-03-31 00:00"),
        ("今早听村支书讲", "今早", "2026-04-14 00:00"),
        ("昨晚十二点", "昨晚十二点", "2026-04-14 00:00"),
        ("明天凌晨两点", "明天凌晨两点", "2026-04-15 02:00"),
        ("周三15:30开的会", "周三15:30", "2026-04-08 15:30"),
        ("半小时前", "半小时前", "2026-04-14 08:30"),
        ("去年国庆", "去年国庆", "2025-10-01 00:00"),
        ("琴日搞掂", "琴日", "2026-04-13 00:00"),
        ("2026-03-05 提交", "2026-03-05", "2026-03-05 00:00"),
    ],
)
def test_a_date_is_read_as_people_mean_it(text: str, phrase: str, begins: str) -> None:
    assert read(text) == [(phrase, begins)]


@pytest.mark.parametrize(
    "text",
    [
        "每周三开会",
        "周一到周五",
        "坐5号线",
        "12号楼",
        "有三点建议",
        "这两天",
        "过两天",
        "农历三月初三",
        "五月初五",
        "90年代",
        "2月30号",
        "第三天",
    ],
)
def test_what_names_no_single_day_is_no_date(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "begins"), [("周三", "2026-04-15 00:00"), ("5号", "2026-05-05 00:00"), ("3月5号", "2027-03-05 00:00")]
)
def test_a_bare_day_can_lean_to_the_future(text: str, begins: str) -> None:
    assert [b for _, b in read(text, "future")] == [begins]


@pytest.mark.parametrize(
    ("text", "value"), [("十", 10), ("十二", 12), ("二十", 20), ("三十一", 31), ("两", 2), ("7", 7)]
)
def test_chinese_numerals_have_their_value(text: str, value: int) -> None:
    assert number(text) == value
