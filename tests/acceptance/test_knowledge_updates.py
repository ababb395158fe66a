"""A value is replaced and the change confirmed: sixty changes, each asked about now, in the past, and as of between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from easy_data import EasyMemory
from easy_data.schemas.records import Language, Status
from tests.fixtures.memories import Open

FIRST, CHANGED, ASKED = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))
BETWEEN = datetime(2026, 4, 1, tzinfo=UTC)

# attribute, (asked now, asked about the past) in English and Chinese, values that follow one another in each language
KINDS = (
    (
        "location",
        ("Where do I live?", "Where did I live before?"),
        ("我住在哪里？", "我之前住哪？"),
        ("Oslo", "Porto", "Leeds", "Kyoto"),
        ("北京", "上海", "成都", "杭州"),
    ),
    (
        "occupation",
        ("What is my job?", "What was my previous job?"),
        ("我做什么工作？", "我以前做什么工作？"),
        ("nurse", "paramedic", "teacher", "baker"),
        ("护士", "老师", "厨师", "律师"),
    ),
    (
        "employer",
        ("Which company do I work for?", "Which company did I work for before?"),
        ("我在哪家公司上班？", "我之前在哪家公司？"),
        ("Acme", "Globex", "Initech", "Umbrella"),
        ("字节跳动", "腾讯", "华为", "小米"),
    ),
    (
        "name",
        ("What is my name?", "What was my name before?"),
        ("我叫什么名字？", "我以前叫什么名字？"),
        ("Anna Berg", "Anna Lund", "Anna Holm", "Anna Dahl"),
        ("王芳", "王子涵", "王一诺", "王思远"),
    ),
    (
        "relationship_status",
        ("Am I married or single?", "What was my relationship status before?"),
        ("我的感情状况是什么？", "我以前的感情状况是什么？"),
        ("single", "married", "divorced", "engaged"),
        ("单身", "已婚", "离异", "订婚"),
    ),
    (
        "preferred_name",
        ("What do I like to be called?", "What did I want to be called before?"),
        ("怎么称呼我？", "之前怎么称呼我？"),
        ("Annie", "Nan", "Anouk", "Nina"),
        ("小王", "老王", "阿芳", "芳姐"),
    ),
    (
        "sleep_schedule",
        ("When do I go to bed?", "When did I go to bed before?"),
        ("我几点睡觉？", "我以前几点睡觉？"),
        ("in bed by ten", "up until two", "in bed by nine", "up until midnight"),
        ("十点睡", "两点睡", "九点睡", "零点睡"),
    ),
    (
        "work_schedule",
        ("What are my working hours?", "What were my working hours before?"),
        ("我的工作时间是什么？", "我以前的工作时间是什么？"),
        ("nine to five", "night shifts", "mornings only", "four days a week"),
        ("朝九晚五", "夜班", "只上上午", "一周四天"),
    ),
    (
        "communication_channel",
        ("What is the best way to contact me?", "What was the best way to contact me before?"),
        ("怎么联系我？", "以前怎么联系我？"),
        ("email", "Slack", "phone calls", "Signal"),
        ("邮件", "微信群", "打电话", "飞书"),
    ),
    (
        "hometown",
        ("What is my hometown?", "What did I say my hometown was before?"),
        ("我的家乡是哪里？", "我之前说家乡是哪里？"),
        ("Cork", "Galway", "Sligo", "Tralee"),
        ("苏州", "无锡", "常州", "镇江"),
    ),
)


@dataclass(frozen=True)
class Change:
    """One slot whose value changed, and the two questions about it."""

    entity: str
    language: Language
    attribute: str
    old: str
    new: str
    now: str
    past: str


class SetClock:
    """A clock that a test sets."""

    at = FIRST

    def now(self) -> datetime:
        return self.at


def changes() -> Iterator[Change]:
    for attribute, english, chinese, words, characters in KINDS:
        sides: tuple[tuple[Language, tuple[str, str], tuple[str, ...]], ...] = (
            ("en", english, words),
            ("zh", chinese, characters),
        )
        for language, asked, values in sides:
            for number, (old, new) in enumerate(pairwise(values)):
                yield Change(f"{attribute}-{language}-{number}", language, attribute, old, new, *asked)


def write(memory: EasyMemory, clock: SetClock, change: Change) -> None:
    clock.at = FIRST
    memory.write_profile(entity_id=change.entity, attr_name=change.attribute, attr_value=change.old)
    clock.at = CHANGED
    memory.write_profile(entity_id=change.entity, attr_name=change.attribute, attr_value=change.new)
    for item in memory.pending_review(change.entity):
        memory.review(item.id, "approve", by="user")
    clock.at = ASKED


def place(memory: EasyMemory, change: Change, query: str, value: str, as_of: datetime | None = None) -> int:
    found = memory.recall(change.entity, query, as_of=as_of).memories
    return next((n for n, hit in enumerate(found) if value in hit.text), 99)


@pytest.fixture
def updated(open_memory: Open) -> EasyMemory:
    clock = SetClock()
    memory = open_memory(clock=clock)
    for change in changes():
        write(memory, clock, change)
    memory.flush()
    return memory


def test_the_newer_of_two_values_stands_above_the_older_one_and_the_past_turns_it_round(updated: EasyMemory) -> None:
    every = list(changes())
    wrong_now = [c.entity for c in every if not place(updated, c, c.now, c.new) < place(updated, c, c.now, c.old)]
    wrong_past = [c.entity for c in every if not place(updated, c, c.past, c.old) < place(updated, c, c.past, c.new)]
    wrong_then = [
        c.entity
        for c in every
        if not place(updated, c, c.now, c.old, BETWEEN) < place(updated, c, c.now, c.new, BETWEEN)
    ]
    assert len(every) == 60
    most = 3
    assert len(wrong_now) <= most, wrong_now
    assert len(wrong_past) <= most, wrong_past
    assert len(wrong_then) <= most, wrong_then


def test_a_value_that_was_replaced_is_marked_as_such_in_the_block(updated: EasyMemory) -> None:
    context = updated.recall("location-en-0", "Where did I live before?")
    assert [hit.status for hit in context.memories[:2]] == [Status.SUPERSEDED, Status.ACTIVE]
    assert "Oslo (2026-03-01, " in context.text
    assert "earlier, no longer so" in context.text
