"""Tasks put aside at the end of a dialogue."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.pipeline.extraction.judging import judge_dialogue
from easy_data.pipeline.extraction.workspaces import find_workspaces
from easy_data.schemas.candidates import Candidate
from easy_data.schemas.conversation import Conversation, Message


def workspaces(*turns: str, answer: str = "OK.") -> list[Candidate]:
    """Return the workspaces of a dialogue of these user turns, each answered with ``answer``."""
    messages = [
        message
        for turn in turns
        for message in (Message(role="user", content=turn), Message(role="assistant", content=answer))
    ]
    dialogue = Conversation(
        tenant_id="t",
        entity_id="e",
        source="s",
        conversation_id="c",
        messages=tuple(messages),
        ended_at=datetime(2026, 4, 14, 13, 2, tzinfo=UTC),
        time_zone="Asia/Shanghai",
        language="en",
    )
    found = find_workspaces(dialogue, judge_dialogue(dialogue))
    assert all(w.quote in dialogue.messages[w.turn].content for w in found)
    return found


@pytest.mark.parametrize(
    ("turns", "about"),
    [
        (("帮我核这一车货的清单，一共六页", "第一页：轴承 200", "剩下四页下午再对，先记着对到第二页"), "清单"),
        (("继续，第三单元的教案", "导入换成猜谜", "困死了 今天先到这儿，还剩板书设计没弄，明晚接着来"), "教案"),
        (("审稿意见第4条咋回", "第5条得先重跑数据才能答，跑完再找你写，回复信先存着"), "审稿"),
        (("婚禮賓客名單幫我排", "男方的好了", "女方的等我媽給我再繼續"), "名單"),
        (
            ("doing the seating chart", "6: aunties", "still waiting on rsvps for the rest so leave 8 thru 12 blank"),
            "seating",
        ),
        (("eulogy. middle part", "stop there tonight, I can't do the ending yet. We'll pick it up Sunday"), "eulogy"),
        (
            ("database migration plan", "stopping at step 3, DBA has to approve the rest before we go further"),
            "migration",
        ),
        (("packing list for Iceland: layers", "camera stuff I'll check with Jo first, then we finish it"), "packing"),
        (("can you help me reorganise the closet inventory", "top shelf: hats", "bottom shelves another day"), "closet"),
        (("grant application, section B", "the budget section has to wait for finance, don't submit anything"), "grant"),
        (("writing wedding vows, first paragraph is ok", "I'm stuck there. park it, I'll sleep on it"), "vows"),
        (("基金申请书，B 部分", "顺序换一下", "行。预算那块要等财务，先别提交"), "基金"),
        (("去冰岛的行李清单：保暖内衣", "相机的东西我先问问小乔，回头补上"), "行李"),
        (("改我的 resume", "project 部分我明天 find 一下数据再 update，先 save 这版"), "resume"),
    ],
)
def test_a_task_put_aside_is_an_open_workspace(turns: tuple[str, ...], about: str) -> None:
    (found,) = workspaces(*turns)
    assert about in found.task_id
    assert found.state["status"] == "open"
    assert found.state["next"]
    assert not found.closed


@pytest.mark.parametrize(
    "turns",
    [
        ("讲个笑话", "再来一个", "不聊了 睡了"),
        ("机票太贵了", "等等再说"),
        ("糖醋排骨怎么做", "好的 回头试试"),
        ("说不定年底我就去深圳了，也说不定不去", "八字没一撇，先不说了"),
        ("what's a good stretch", "ok thanks, talk tomorrow"),
        ("hi", "I'm bored", "gotta go, dinner"),
        ("my cat is fat", "she's on a diet", "I'll tell you how it goes"),
        ("convert 3 miles", "thanks, done"),
        ("let's pick this up tomorrow",),
    ],
)
def test_small_talk_leaves_nothing_open(turns: tuple[str, ...]) -> None:
    assert workspaces(*turns) == []


def test_a_task_finished_after_it_was_put_aside_is_not_open() -> None:
    turns = ("写年终总结", "先到这，数据还没给，明天接着写", "给了给了，现在全写完了")
    assert workspaces(*turns) == []


def test_a_task_taken_up_again_and_finished_closes_its_workspace() -> None:
    (found,) = workspaces("继续，第三单元的教案", "板书也加上", "好，全都弄完了")
    assert found.closed
    assert found.state["status"] == "done"


def test_the_state_holds_what_is_needed_to_go_on() -> None:
    (found,) = workspaces(
        "帮我核这一车货的清单", "第一页：轴承 200", "剩下四页下午再对，先记着对到第二页", answer="第一页无误，已记录。"
    )
    assert found.state["goal"] == "帮我核这一车货的清单"
    assert found.state["steps"] == ["第一页：轴承 200"]
    assert "第一页无误" in found.state["done"][0]
    assert "第二页" in found.state["next"]


def test_the_name_of_a_task_is_short_and_the_same_each_time() -> None:
    turns = (
        "help me write the cover letter for the harbour museum position in Bergen",
        "stop there, finish it tomorrow",
    )
    assert len({w.task_id for w in (*workspaces(*turns), *workspaces(*turns))}) == 1
    assert len(workspaces(*turns)[0].task_id) <= 40


@pytest.mark.parametrize(
    "turn", ["报告还差第三章没写，明天继续", "Still need the budget table, let's finish it tomorrow"]
)
def test_one_turn_that_says_what_is_left_and_when_it_goes_on_is_enough(turn: str) -> None:
    [found] = workspaces(turn)
    assert (found.state["next"], found.closed) == (turn, False)
