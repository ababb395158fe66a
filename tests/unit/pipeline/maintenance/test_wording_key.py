"""When two values say the same, for the merge."""

from __future__ import annotations

import pytest

from easy_data.pipeline.maintenance.merge import wording_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("play tennis", "playing tennis"),
        ("Long walks", "a long walk"),
        ("black coffee", "Black Coffee"),
        ("打篮球", "打篮球的"),
        ("科幻小说", "科幻的小说"),
    ],
)
def test_inflection_and_fillers_do_not_make_another_value(one: str, other: str) -> None:
    assert wording_key(one) == wording_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tea before coffee", "coffee before tea"),
        ("trains from Berlin to Paris", "trains to Berlin from Paris"),
        ("coffee with milk", "coffee without milk"),
        ("meetings at 9:00", "meetings at 10:00"),
        ("C", "C++"),
        ("green tea", "green tea with milk"),
        ("吃辣", "不吃辣"),
        ("早上开会", "晚上开会"),
        ("去日本", "想去日本"),
        ("🎸", "🎹"),
    ],
)
def test_what_means_another_thing_is_another_value(one: str, other: str) -> None:
    assert wording_key(one) != wording_key(other)
