from __future__ import annotations

import pytest

from easy_data.pipeline.extraction.judging import judge_dialogue
from easy_data.pipeline.extraction.profiles import find_profile
from easy_data.schemas.candidates import Candidate, Certainty
from easy_data.schemas.registry import Registry
from tests.unit.pipeline.extraction.saying import dialogue


def profile_of(*turns: str) -> list[Candidate]:
    conversation = dialogue(*turns)
    return find_profile(conversation, judge_dialogue(conversation), Registry())


@pytest.mark.parametrize(
    ("turns", "attr", "values"),
    [
        (("我人在苏州", "A: 好的，苏州。", "哎不是，上个月就搬杭州了"), "location", ["杭州"]),
        (("我生日是三月八号", "A: 好的。", "啊写错了，是三月十八号"), "birthday", ["三月十八号"]),
        (("我们店在常州", "A: 好的。", "不是常州，是泰州"), "location", ["泰州"]),
        (("我在四川大学读研", "A: 好的。", "是西南大学，联想词害人"), "education", ["西南大学"]),
        (("我对花生过敏", "A: 好的。", "手滑，是花粉不是花生"), "dietary_restriction", ["对花粉过敏"]),
    ],
)
def test_a_correction_leaves_only_the_corrected_value(turns: tuple[str, ...], attr: str, values: list[str]) -> None:
    found = [c for c in profile_of(*turns) if c.attr_name == attr]
    assert [c.value for c in found] == values
    assert all(c.turn == 2 for c in found)


def test_a_part_of_a_value_is_put_right_in_place() -> None:
    [found] = [
        c
        for c in profile_of("本人做药品冷链运输调度，入行八年", "A: 好的。", "不是药品，是疫苗")
        if c.attr_name == "occupation"
    ]
    assert found.value == "疫苗冷链运输调度"
    assert found.quote == "不是药品，是疫苗"


def test_a_slip_that_puts_nothing_right_makes_the_last_turn_uncertain() -> None:
    [found] = [c for c in profile_of("我人在苏州", "A: 好的。", "啊打错了") if c.attr_name == "location"]
    assert found.certainty is Certainty.HEDGED


def test_other_facts_of_the_turn_survive_a_correction() -> None:
    found = {c.attr_name: c.value for c in profile_of("我叫周敏，我人在苏州", "A: 好的。", "说错了，我人在杭州")}
    assert found == {"name": "周敏", "location": "杭州"}


@pytest.mark.parametrize(
    ("turns", "attr", "value"),
    [
        (("收件人写张维", "A: 好的。", "不对不对，张伟，我打快了"), "name", "张伟"),
        (("my phone's 07700 900231", "A: Saved.", "sorry, 900213, I swapped two"), "phone", "07700900213"),
    ],
)
def test_after_a_slip_a_part_of_the_sentence_that_resembles_the_value_replaces_it(
    turns: tuple[str, ...], attr: str, value: str
) -> None:
    assert [c.value for c in profile_of(*turns) if c.attr_name == attr] == [value]


def test_a_corrected_amount_leaves_the_values_without_one_certain() -> None:
    found = {c.value: c.certainty for c in profile_of("我家狗叫布丁，今年五岁", "A: 好的。", "啊说错了，六岁")}
    assert found == {"狗叫布丁": Certainty.STATED}
