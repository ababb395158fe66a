from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.pipeline.recall.intents import language_of, read_intent, read_query
from easy_data.schemas.recall import Intent
from easy_data.schemas.records import Bucket, Entity
from easy_data.schemas.registry import Attribute, Registry

NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)  # a Wednesday
SHANGHAI = Entity(tenant_id="t", entity_id="e", time_zone="Asia/Shanghai", language="zh")


def intent(query: str, registry: Registry | None = None) -> Intent:
    return read_intent(query, SHANGHAI, registry or Registry(), NOW)


@pytest.mark.parametrize(
    ("query", "attribute"),
    [
        ("晚饭吃什么好？", "dietary_restriction"),
        ("晚饭吃什么好？", "food_preference"),
        ("What should I have for dinner?", "dietary_restriction"),
        ("where do I live", "location"),
        ("我住在哪个城市", "location"),
        ("怎么称呼你比较好", "preferred_name"),
        ("write me a script that renames files", "programming_language"),
        ("帮我写个脚本", "programming_language"),
        ("do I have any pets?", "pet"),
        ("我养的猫叫什么", "pet"),
        ("when is my birthday", "birthday"),
        ("我生日是哪天", "birthday"),
    ],
)
def test_everyday_words_name_the_attribute_they_are_about(query: str, attribute: str) -> None:
    assert attribute in intent(query).attributes


@pytest.mark.parametrize("query", ["thank you", "好的谢谢", "catalogue of doggerel", "🌶️ okay"])
def test_words_that_only_look_alike_name_no_attribute(query: str) -> None:
    assert intent(query).attributes == ()


def test_an_attribute_of_the_application_is_named_by_its_topics_and_its_labels() -> None:
    registry = Registry(
        [
            Attribute(name="shoe_size", type="body", topics={"en": ("sneakers",), "zh": ("球鞋",)}),
            Attribute(name="crop", type="farm", labels={"zh": "作物", "en": "crop"}),
        ]
    )
    assert intent("which sneakers fit me", registry).attributes == ("shoe_size",)
    assert intent("买双球鞋", registry).attributes == ("shoe_size",)
    assert intent("which crops did well", registry).attributes == ("crop",)
    assert intent("今年的作物如何", registry).attributes == ("crop",)


@pytest.mark.parametrize("query", ["what did we do last week?", "上周我们做了什么"])
def test_last_week_is_the_whole_local_week_before_this_one(query: str) -> None:
    found = intent(query)
    assert (found.since, found.until) == (
        datetime(2026, 5, 31, 16, tzinfo=UTC),
        datetime(2026, 6, 7, 16, tzinfo=UTC),
    )
    assert Bucket.EVENT in found.buckets


def test_since_a_month_reaches_to_the_present() -> None:
    found = intent("what changed since March?")
    assert (found.since, found.until) == (datetime(2026, 2, 28, 16, tzinfo=UTC), NOW)


def test_a_rough_offset_covers_the_days_around_it() -> None:
    found = intent("what did I buy two months ago?")
    assert found.since is not None
    assert found.until is not None
    assert found.since < datetime(2026, 4, 1, tzinfo=UTC)
    assert found.until > datetime(2026, 4, 20, tzinfo=UTC)


def test_a_query_without_a_date_has_no_time_range() -> None:
    assert intent("我住在哪").since is None


@pytest.mark.parametrize(
    "query", ["where were we with the report?", "继续上次的报告", "what's still unfinished?", "还有什么没做完"]
)
def test_a_task_is_asked_for(query: str) -> None:
    found = intent(query)
    assert found.asks_task
    assert Bucket.WORKSPACE in found.buckets


@pytest.mark.parametrize(
    ("query", "past"), [("where did I use to live, I used to rent", True), ("我以前住哪", True), ("我住哪", False)]
)
def test_the_past_is_told_from_the_present(query: str, past: bool) -> None:
    assert intent(query).asks_past is past


def test_the_rest_of_a_query_is_what_no_topic_accounts_for() -> None:
    assert read_query("我住在哪", SHANGHAI, Registry(), NOW).rest.split() == ["我"]


def test_the_language_is_that_of_the_letters_and_else_the_entitys() -> None:
    assert [language_of(text, "zh") for text in ("Wo bin ich?", "where 哪里", "1 + 1")] == ["en", "zh", "zh"]
