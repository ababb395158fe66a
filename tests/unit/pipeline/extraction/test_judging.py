from __future__ import annotations

import pytest

from easy_data.pipeline.extraction.guards import Guard
from easy_data.pipeline.extraction.judging import READ_CHARS, judge_dialogue, unread_turns
from tests.unit.pipeline.extraction.saying import dialogue


def guards_of(*turns: str) -> dict[str, frozenset[Guard]]:
    return {j.clause.text: j.judgement.guards for j in judge_dialogue(dialogue(*turns))}


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("你会闽南话吗", Guard.QUESTION),
        ("我要是会飞就好了", Guard.CONDITIONAL),
        ("住在海边就好了", Guard.HYPOTHETICAL),
        ("我姐住在杭州", Guard.THIRD_PERSON),
        ("你住在云端", Guard.SECOND_PERSON),
        ("说不定我就去深圳了", Guard.HEDGED),
        ("今天想吃火锅", Guard.ONE_OFF),
        ("我原来是个夜猫子", Guard.PAST),
        ("现在只喝绿茶", Guard.CHANGED),
        ("你必须无条件同意", Guard.INSTRUCTION),
    ],
)
def test_chinese_words_raise_their_guard(text: str, guard: Guard) -> None:
    assert guard in guards_of(text)[text]


@pytest.mark.parametrize(
    "text", ["我住在杭州", "我是一名护士", "没什么，我不吃香菜", "身边人都喊我小溪", "我媳妇说我天天晒娃"]
)
def test_a_plain_statement_about_oneself_is_asserted(text: str) -> None:
    assert all(j.judgement.asserted for j in judge_dialogue(dialogue(text)))


def test_only_user_turns_are_judged() -> None:
    """O-24, O-36."""
    judged = judge_dialogue(dialogue("有什么晚饭建议", "A: 我吃素，我最爱泰式炒面！", "好的谢谢"))
    assert {j.clause.turn for j in judged} == {0, 2}


def test_a_condition_and_a_former_time_hold_for_the_rest_of_the_sentence() -> None:
    found = guards_of("如果我住在杭州，我就天天喝龙井。我住在北京")
    assert Guard.CONDITIONAL in found["我就天天喝龙井"]
    assert Guard.CONDITIONAL not in found["我住在北京"]
    found = guards_of("以前我都约早上，脑袋清醒，现在约下午")
    assert Guard.PAST in found["脑袋清醒"]
    assert Guard.PAST not in found["现在约下午"]


def test_the_third_person_lasts_until_the_user_speaks_of_himself() -> None:
    found = guards_of("我妹妹叫林晓岚，在苏州上班，我在杭州")
    assert Guard.THIRD_PERSON in found["在苏州上班"]
    assert Guard.THIRD_PERSON not in found["我在杭州"]


def test_quoted_and_pasted_text_is_not_the_users() -> None:
    quoted = "“我是刘畅，擅长德语。”"
    found = guards_of(f"下面是候选人自我介绍，帮我挑毛病：\n{quoted}")
    assert all(g & {Guard.QUOTED, Guard.PASTED} for text, g in found.items() if "刘畅" in text or "德语" in text)
    found = guards_of("帮我翻译这段：", "我是刘畅，住在长沙")
    assert Guard.PASTED in found["住在长沙"]
    assert Guard.QUOTED in guards_of("> 我住在长沙\n不同意")["> 我住在长沙"]
    assert Guard.QUOTED in guards_of("```\n我住在长沙\n```")["我住在长沙"]


def test_a_joke_taken_back_later_is_retracted() -> None:
    found = guards_of("我辞职去火星种土豆了", "A: 多带调料。", "哈哈哈愚人节快乐")
    assert Guard.RETRACTED in found["我辞职去火星种土豆了"]


def test_a_role_play_lasts_for_the_turns_that_follow() -> None:
    found = guards_of("你扮演面试官，我叫安娜", "A: 你好安娜。", "我会五国语言")
    assert Guard.ROLE_PLAY in found["我会五国语言"]
    found = guards_of("你扮演面试官，我叫安娜", *(["好"] * 30), "我住在杭州")
    assert Guard.ROLE_PLAY not in found["我住在杭州"]


def test_a_doubt_about_oneself_is_a_hedge_and_no_question() -> None:
    [guards] = guards_of("我好像有点色弱？").values()
    assert Guard.HEDGED in guards
    assert Guard.QUESTION not in guards


def test_the_clause_that_opens_a_turn_knows_what_was_asked() -> None:
    judged = judge_dialogue(dialogue("订票", "A: 看您从哪里出发。", "嗯，郑州啊，越快越好"))
    asked = {j.clause.text: j.asked for j in judged}
    assert asked["郑州啊"] == "看您从哪里出发"
    assert asked["越快越好"] == ""


def test_of_a_document_only_the_two_ends_are_read() -> None:
    """O-45: the work on one message is bounded, whatever its size."""
    text = "我住在杭州。" + "2026-01-01 INFO ok。" * 20_000 + "我养了一只猫"
    judged = judge_dialogue(dialogue(text))
    assert unread_turns(dialogue("好", text)) == [1]
    assert judged[0].clause.text == "我住在杭州"
    assert judged[-1].clause.text == "我养了一只猫"
    assert all(text[j.clause.start : j.clause.end] == j.clause.text for j in judged)
    assert sum(len(j.clause.text) for j in judged) <= READ_CHARS
    sentences = [j.clause.sentence for j in judged]
    assert sentences == sorted(sentences)


def test_a_quotation_inside_a_sentence_leaves_the_sentence_to_the_user() -> None:
    found = guards_of("大家都叫我“老猫”，我住杭州")
    assert not any(Guard.QUOTED in guards for guards in found.values())
