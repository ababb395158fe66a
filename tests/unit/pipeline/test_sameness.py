"""What counts as the same statement: wording may differ, figures, names and denials may not."""

from __future__ import annotations

import pytest

from easy_data.pipeline.sameness import relation
from easy_data.schemas.candidates import Relation

BACKUP = "The backup runs at 02:00."


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ("So the backup runs at 2:00.", BACKUP, Relation.SAME),
        ("As I said, the backup runs at 02:00.", BACKUP, Relation.SAME),
        ("Our backup is running at 02:00 every night.", BACKUP, Relation.SAME),
        ("我说过，备份在02:00运行。", "备份在02:00运行。", Relation.SAME),
        ("The backup runs.", BACKUP, Relation.REFINES),
        ("The backup runs at 03:00.", BACKUP, Relation.CONTRADICTS),
        ("The backup never runs at 02:00.", BACKUP, Relation.CONTRADICTS),
        ("Deploying on Fridays is not allowed", "Deploying on Fridays is allowed", Relation.CONTRADICTS),
        ("我们团队周五不可以上线。", "我们团队周五可以上线。", Relation.CONTRADICTS),
        ("项目评审定在10月16日。", "项目评审定在10月15日。", Relation.CONTRADICTS),
        ("我的药量是50毫克。", "我的药量是5毫克。", Relation.CONTRADICTS),
        ("The lease ends in April.", "The lease ends in March.", Relation.CONTRADICTS),
        ("My dose is 5 g", "My dose is 5 mg", Relation.NEW),
        ("Lunch with Carol on Friday", "Lunch with Bob on Friday", Relation.NEW),
        ("The backup of server B runs at 02:00", "The backup of server A runs at 02:00", Relation.NEW),
        ("Pay 100 euros to the dentist", "Pay 100 euros to the landlord", Relation.NEW),
        ("I have 3 dogs", "I have 3 cats", Relation.NEW),
        ("周一和李娜开会", "周一和张伟开会", Relation.NEW),
        ("完成了注册页面", "完成了登录页面", Relation.NEW),
        ("", BACKUP, Relation.NEW),
        ("👍", "👎", Relation.NEW),
    ],
)
def test_the_relation_of_two_statements(new: str, old: str, expected: Relation) -> None:
    assert relation(new, old) is expected


@pytest.mark.parametrize("text", [BACKUP, "I can't swim.", "我不吃香菜。", "Lunch with Bob on Friday at 12:30"])
def test_a_statement_says_the_same_as_itself(text: str) -> None:
    assert relation(text, text) is Relation.SAME
