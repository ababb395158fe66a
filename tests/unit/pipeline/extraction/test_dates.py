"""Finding dates: offsets, zones, mixed languages."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from easy_data.pipeline.extraction.dates import find_dates, local_day

SHANGHAI = ZoneInfo("Asia/Shanghai")
TUESDAY = datetime(2026, 4, 14, 9, 0, tzinfo=SHANGHAI)


def test_dates_are_counted_from_the_local_day_just_after_midnight() -> None:
    """O-32: "yesterday" said at 00:20 in Tokyo is the local day before, and "in two weeks" counts from it."""
    tokyo = ZoneInfo("Asia/Tokyo")
    said_at = datetime(2026, 5, 3, 15, 20, tzinfo=UTC)
    text = "Yesterday I started physio; the next check is in two weeks."
    found = find_dates(text, "en", said_at=said_at, zone=tokyo, lean="future")
    assert [(m.phrase, local_day(m.begins, tokyo).isoformat()) for m in found] == [
        ("Yesterday", "2026-05-03"),
        ("in two weeks", "2026-05-18"),
    ]


def test_one_instant_is_another_day_in_another_zone() -> None:
    said_at = datetime(2025, 12, 31, 19, 0, tzinfo=UTC)
    for name, day in (("Asia/Kolkata", "2026-01-01"), ("America/New_York", "2025-12-31")):
        zone = ZoneInfo(name)
        found = find_dates("today", "en", said_at=said_at, zone=zone)
        assert local_day(found[0].begins, zone).isoformat() == day


def test_a_mixed_text_is_read_with_both_grammars() -> None:
    found = find_dates("上周三 Home Office 来信, and last night 我哭了", "zh", said_at=TUESDAY, zone=SHANGHAI)
    assert [m.phrase for m in found] == ["上周三", "last night"]


def test_the_longer_of_two_overlapping_readings_stays() -> None:
    found = find_dates("the day before yesterday", "en", said_at=TUESDAY, zone=SHANGHAI)
    assert [m.phrase for m in found] == ["the day before yesterday"]


def test_a_period_has_an_exclusive_end() -> None:
    found = find_dates("last month", "en", said_at=TUESDAY, zone=SHANGHAI)[0]
    assert found.until is not None
    assert (local_day(found.begins, SHANGHAI).day, local_day(found.until, SHANGHAI).isoformat()) == (1, "2026-04-01")


def test_hours_ago_are_counted_across_a_clock_change() -> None:
    new_york = ZoneInfo("America/New_York")
    said_at = datetime(2026, 3, 8, 4, 0, tzinfo=new_york)
    found = find_dates("two hours ago", "en", said_at=said_at, zone=new_york)[0]
    assert found.begins == datetime(2026, 3, 8, 6, 0, tzinfo=UTC)
    assert found.precision == "instant"


_CHINESE = [
    "昨天",
    "前天",
    "上",
    "周",
    "三",
    "3",
    "月",
    "5",
    "号",
    "下午",
    "点",
    "半",
    "两",
    "前",
    "后",
    "年",
    "每",
    "。",
]
_ENGLISH = ["last", "next", "Friday", "in", "two", "weeks", "March", "5th", "at", "pm", "the", "of", ",", "31", "2026"]
_PIECES = st.sampled_from(_CHINESE + _ENGLISH)


@given(st.lists(_PIECES, max_size=14), st.sampled_from(["", " "]))
def test_mentions_are_in_order_apart_and_are_what_the_text_says(pieces: list[str], blank: str) -> None:
    text = blank.join(pieces)
    found = find_dates(text, "zh", said_at=TUESDAY, zone=SHANGHAI)
    assert all(text[m.start : m.end] == m.phrase for m in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(m.until is None or m.until > m.begins for m in found)


def test_a_long_text_full_of_dates_gives_each_of_them() -> None:
    rng = random.Random(4)
    text = "，".join(rng.choice(["昨天去了", "上周三来的", "3月5号走"]) for _ in range(2000))
    assert len(find_dates(text, "zh", said_at=TUESDAY, zone=SHANGHAI)) == 2000
