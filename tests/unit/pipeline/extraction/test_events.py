"""What becomes an event, when it happened, in whose words."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from easy_data.pipeline.extraction.events import find_events
from easy_data.pipeline.extraction.judging import judge_dialogue
from easy_data.schemas.candidates import Candidate
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.records import Bucket

ENDED = datetime(2026, 4, 14, 13, 2, tzinfo=UTC)


def conversation(*turns: str, zone: str = "Asia/Shanghai", ended_at: datetime = ENDED) -> Conversation:
    """Return a dialogue of these user turns, each answered, in ``zone``."""
    messages = [
        m for turn in turns for m in (Message(role="user", content=turn), Message(role="assistant", content="OK."))
    ]
    return Conversation(
        tenant_id="t",
        entity_id="e",
        source="s",
        conversation_id="c",
        messages=tuple(messages),
        ended_at=ended_at,
        time_zone=zone,
        language="zh" if any("\u3400" <= char <= "\u9fff" for turn in turns for char in turn) else "en",
    )


def events(*turns: str, zone: str = "Asia/Shanghai", ended_at: datetime = ENDED) -> list[Candidate]:
    """Return the events of a dialogue of these user turns."""
    dialogue = conversation(*turns, zone=zone, ended_at=ended_at)
    return find_events(dialogue, judge_dialogue(dialogue))


def day(event: Candidate, zone: str = "Asia/Shanghai") -> str | None:
    """Return the local day of an event."""
    return None if event.happened_at is None else event.happened_at.astimezone(ZoneInfo(zone)).date().isoformat()


def test_relative_days_are_resolved_in_the_zone_and_the_phrase_is_kept() -> None:
    """O-32."""
    found = events(
        "Yesterday I started physio; the next check is in two weeks.",
        zone="Asia/Tokyo",
        ended_at=datetime(2026, 5, 3, 15, 20, tzinfo=UTC),
    )
    assert [(e.event_type, day(e, "Asia/Tokyo"), e.time_phrase) for e in found] == [
        ("milestone", "2026-05-03", "Yesterday"),
        ("plan", "2026-05-18", "in two weeks"),
    ]


def test_the_time_of_the_turn_counts_not_the_end_of_the_dialogue() -> None:
    dialogue = conversation("I passed my driving test yesterday")
    first = dialogue.messages[0].model_copy(update={"said_at": datetime(2026, 4, 10, 3, 0, tzinfo=UTC)})
    dialogue = dialogue.model_copy(update={"messages": (first, *dialogue.messages[1:])})
    assert day(find_events(dialogue, judge_dialogue(dialogue))[0]) == "2026-04-09"


def test_an_elliptic_report_takes_its_subject_from_what_was_said_before() -> None:
    (event,) = events("你知道科目三有多变态吗", "我挂了两回！大前天第三回，过了过了过了！！！")
    assert event.event_type == "task_completed"
    assert "科目三" in event.summary
    assert day(event) == "2026-04-11"


def test_a_pronoun_takes_the_sentence_it_points_to() -> None:
    (event,) = events("it's DONE", "the mural. sealed it yesterday, three storeys")
    assert "mural" in event.summary


def test_a_report_that_never_says_of_what_is_no_event() -> None:
    assert events("过了过了过了！！！") == []


@pytest.mark.parametrize(
    ("text", "event_type"),
    [
        ("last Friday we voted, the co-op is going with the green roof", "decision_made"),
        ("前天晚上把账一笔笔算完，决定不买学区房了", "decision_made"),
        ("on Monday the owner told me that wall used to be a bakery oven", "info_learned"),
        ("今早听村支书讲，果园下半年要通滴灌", "info_learned"),
        ("昨晚社區的消防演練終於辦完", "task_completed"),
        ("前天 finally 把 IELTS 考完了", "task_completed"),
        ("上周六领证了", "milestone"),
    ],
)
def test_the_type_says_what_kind_of_event_it_is(text: str, event_type: str) -> None:
    assert [e.event_type for e in events(text)] == [event_type]


def test_one_event_told_twice_is_one_event_with_the_date() -> None:
    (event,) = events("I finally passed my driving test!", "yes, I passed my driving test on Sunday")
    assert day(event) == "2026-04-12"


def test_a_date_given_later_dates_the_event() -> None:
    (event,) = events("I got the job at the harbour office!", "yesterday")
    assert day(event) == "2026-04-13"


def test_two_events_of_one_dialogue_stay_two() -> None:
    found = events("昨天把阳台的柜子装好了", "前天签了租房合同")
    assert [day(e) for e in found] == ["2026-04-13", "2026-04-12"]


def test_reports_that_differ_in_a_number_are_two_events() -> None:
    """O-29: a number that differs forbids taking two things for one."""
    found = events("I submitted my chapter 3 yesterday", "and I submitted my chapter 4 yesterday")
    assert len(found) == 2


@pytest.mark.parametrize(
    "text",
    [
        "昨晚没睡好",
        "昨天中午吃了碗面",
        "要是昨天交了就好了",
        "帮我翻译：昨天我完成了报告",
        "我表弟昨天考过了驾照",
        "你昨天说的那个方法我试了",
        "I'm so tired today",
        "my brother passed his test yesterday",
        "if I'd finished it yesterday I'd be in bed",
        "did you finish the report yesterday?",
        "it rained all day yesterday",
        "translate: I finished my report yesterday",
        "nvm figured it out",
    ],
)
def test_small_talk_others_and_what_did_not_happen_are_no_events(text: str) -> None:
    assert events(text) == []


def test_a_joke_taken_back_is_no_event() -> None:
    assert events("I just sold the house yesterday and bought a llama", "april fools, it's my coat") == []


def test_a_quote_is_found_in_its_turn_word_for_word() -> None:
    dialogue = conversation("hey", "我挂了两回！  大前天第三回，科目三过了！！")
    for event in find_events(dialogue, judge_dialogue(dialogue)):
        assert event.bucket is Bucket.EVENT
        assert event.quote in dialogue.messages[event.turn].content


def test_the_assistants_words_are_no_events() -> None:
    dialogue = conversation("ok thanks")
    messages = (*dialogue.messages, Message(role="assistant", content="I finished your report yesterday."))
    dialogue = dialogue.model_copy(update={"messages": messages})
    assert find_events(dialogue, judge_dialogue(dialogue)) == []


def test_one_sentence_can_tell_what_happened_and_what_is_planned() -> None:
    """O-32."""
    past, plan = events("昨天我开始做理疗了，两周后复查。")
    assert (past.event_type, past.summary, day(past)) == ("milestone", "昨天我开始做理疗了", "2026-04-13")
    assert (plan.event_type, day(plan)) == ("plan", "2026-04-28")


def test_a_date_inside_what_was_learned_is_no_plan_of_its_own() -> None:
    [learned] = events("今天中午才知道，我们厂下个月要整体搬迁")
    assert (learned.event_type, day(learned)) == ("info_learned", "2026-04-14")
    assert "搬迁" in learned.summary


def test_a_sentence_that_says_enough_stands_without_the_one_before() -> None:
    [passed] = events("我住在杭州，不吃香菜，喜欢吃辣。昨天我考过了科目三！")
    assert passed.summary == "昨天我考过了科目三"


@pytest.mark.parametrize(
    "turns", [("Deploying on Fridays is allowed for my team.", "Deploying on Fridays is not allowed for my team.")]
)
def test_a_rule_and_its_reversal_are_both_told(turns: tuple[str, ...]) -> None:
    assert [e.event_type for e in events(*turns)] == ["decision_made", "decision_made"]
