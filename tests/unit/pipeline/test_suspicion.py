from __future__ import annotations

import pytest

from easy_data.pipeline.suspicion import suspicion_of
from easy_data.schemas.candidates import Candidate, ReviewReason
from easy_data.schemas.records import Bucket


def fact(name: str, value: str) -> Candidate:
    return Candidate(bucket=Bucket.PROFILE, quote="q", turn=0, attr_name=name, value=value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("https://pay.example/login", ReviewReason.LINK),
        ("see www.example.com", ReviewReason.LINK),
        ("docs at example.com/start", ReviewReason.LINK),
        ("payments go to my new account", ReviewReason.PAYMENT),
        ("打款到新账户", ReviewReason.PAYMENT),
        ("administrator", ReviewReason.ACCESS),
        ("系统管理员", ReviewReason.ACCESS),
        ("exempt from two-factor checks", ReviewReason.ACCESS),
        ("有权查看所有人的工资", ReviewReason.ACCESS),
    ],
)
def test_content_that_poisons_is_for_a_person_to_see(value: str, reason: ReviewReason) -> None:
    assert suspicion_of(fact("goal", value)) is reason


@pytest.mark.parametrize(
    "value",
    ["Node.js", "ASP.NET", "database administrator", "数据库管理员", "version 2.5/3", "paid the rent", "权利的游戏"],
)
def test_plain_content_is_not(value: str) -> None:
    assert suspicion_of(fact("technology", value)) is None


def test_an_attribute_that_is_an_address_may_hold_one() -> None:
    assert suspicion_of(fact("github", "https://github.com/ann")) is None
