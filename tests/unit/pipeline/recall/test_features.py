from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from easy_data.pipeline.recall.features import Neighbours, wording
from easy_data.schemas.records import Bucket, Status
from easy_data.stores.repositories.sketches import Sketch

AT = datetime(2026, 5, 1, tzinfo=UTC)


def turn(number: int | None, text: str = "hello there", *, conversation: str | None = "c", speaker: str = "") -> Sketch:
    return Sketch(
        f"{conversation}-{number}",
        Bucket.EVENT,
        "conversation_turn",
        text,
        Status.ACTIVE,
        AT,
        conversation,
        number,
        speaker,
    )


def test_a_turn_gets_a_share_of_its_neighbours_score_that_falls_with_distance() -> None:
    shared = Neighbours([turn(3), turn(4), turn(5)]).smoothed(np.array([1.0, 0.0, 0.0]))
    assert shared == pytest.approx([1.0, 0.6, 0.36])


def test_turns_far_apart_or_of_other_conversations_share_nothing() -> None:
    sketches = [turn(0), turn(9), turn(1, conversation="other"), turn(1, conversation=None), turn(None)]
    shared = Neighbours(sketches).smoothed(np.array([1.0, 0.0, 0.0, 0.0, 0.0]))
    assert shared == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0])


def test_a_long_turn_needs_its_neighbours_less() -> None:
    short, long = turn(1, "yes"), turn(1, "word " * 119 + "word")
    gained = [Neighbours([turn(0), other]).smoothed(np.array([1.0, 0.0]))[1] for other in (short, long)]
    assert gained == pytest.approx([0.6, 0.3])


def test_the_order_of_candidates_does_not_change_their_scores() -> None:
    forward = [turn(2), turn(0), turn(1)]
    scores = np.array([0.0, 2.0, 1.0])
    turned = Neighbours(forward[::-1]).smoothed(scores[::-1])[::-1]
    assert Neighbours(forward).smoothed(scores) == pytest.approx(turned)


def test_a_conversation_scores_by_its_best_turns_and_what_stands_alone_scores_nothing() -> None:
    sketches = [turn(0), turn(1), turn(2), turn(0, conversation=None)]
    assert Neighbours(sketches).conversation_score(np.array([4.0, 2.0, 0.0, 9.0]), 2) == pytest.approx([3, 3, 3, 0])


def test_nothing_to_smooth_is_no_error() -> None:
    assert len(Neighbours([]).smoothed(np.zeros(0))) == 0
    assert len(Neighbours([]).conversation_score(np.zeros(0), 5)) == 0


@pytest.mark.parametrize(("query", "names"), [("Where did Ana go?", ("Ana", "Ben")), ("小明去哪了", ("小明", "小红"))])
def test_the_speaker_whom_the_query_names_gains_and_the_other_loses(query: str, names: tuple[str, str]) -> None:
    sketches = [
        turn(0, speaker=names[0]),
        turn(1, f"{names[1]}: hi"),
        Sketch("f", Bucket.PROFILE, "pet", "cat", Status.ACTIVE, AT),
    ]
    assert wording(sketches, query)["speaker"].tolist() == [1.0, -1.0, 0.0]


def test_a_query_that_names_both_speakers_prefers_neither() -> None:
    assert "speaker" not in wording([turn(0, speaker="Ana"), turn(1, speaker="Ben")], "Did Ana meet Ben?")


@pytest.mark.parametrize(
    ("cue", "query", "has", "lacks"),
    [
        ("asks_only", "x", "Really? When?", "I went there in May."),
        ("asks_only", "x", "真的吗？", "我五月去的。"),
        ("first_person", "x", "I moved house", "They moved house"),
        ("first_person", "x", "我搬家了", "他们搬家了"),
        ("number", "how many cats?", "three of them", "some of them"),
        ("number", "有多少只猫", "养了三只", "养了一些"),
        ("time_words", "x", "it was last week", "it was fine"),
        ("time_words", "x", "昨天买的", "买好了"),
    ],
)
def test_cues_are_read_in_both_languages(cue: str, query: str, has: str, lacks: str) -> None:
    with_cue, without = wording([turn(1, has), turn(2, lacks)], query)[cue]
    assert with_cue > without


def test_what_you_told_me_favours_the_assistant_and_what_i_said_the_user() -> None:
    user, assistant = (
        Sketch(role, Bucket.EVENT, "conversation_turn", "text", Status.ACTIVE, AT, "c", 1, "", role)
        for role in ("user", "assistant")
    )
    for query, favoured in (
        ("what did you recommend?", 1),
        ("你推荐过什么书", 1),
        ("where did I park?", 0),
        ("我把车停哪了", 0),
    ):
        assert wording([user, assistant], query)["role"].argmax() == favoured
