from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from easy_data.pipeline.recall.features import Pool
from easy_data.pipeline.recall.intents import read_query
from easy_data.pipeline.recall.question import Question
from easy_data.pipeline.recall.rank import Ranked, rank
from easy_data.pipeline.recall.updates import newest_first
from easy_data.schemas.records import Bucket, Entity, Status
from easy_data.schemas.registry import Registry
from easy_data.stores.repositories.sketches import Sketch

NOW = datetime(2026, 4, 1, tzinfo=UTC)
REGISTRY = Registry()


def said(name: str, text: str, *, days: int, role: str = "user") -> Sketch:
    at = NOW - timedelta(days=days)
    return Sketch(name, Bucket.EVENT, "conversation_turn", text, Status.ACTIVE, at, f"c-{name}", 2, role=role)


def ordered(query: str, keyword: list[float], *sketches: Sketch) -> list[Ranked]:
    entity = Entity(tenant_id="default", entity_id="one")
    question = Question(entity, query, read_query(query, entity, REGISTRY, NOW), NOW)
    pool = Pool(sketches, np.array(keyword), np.full(len(sketches), 0.5))
    return newest_first(rank(pool, question, REGISTRY, recency_weight=0.3, limit=10), question)


OLD = said("old", "I own three bikes, all of them in the cellar of the house", days=90)
NEW = said("new", "My collection of bikes has grown, I own four bikes as of this week", days=2)
OTHER = said("other", "The cellar was flooded", days=1)


def test_of_two_statements_of_one_matter_the_newer_stands_first_and_the_older_is_marked() -> None:
    found = ordered("How many bikes do I own?", [9.0, 7.0, 1.0], OLD, NEW, OTHER)
    assert [one.sketch.id for one in found[:2]] == ["new", "old"]
    assert [one.newer for one in found] == [None, "new", None]


def test_scores_still_fall_and_the_shares_add_up_to_them() -> None:
    found = ordered("How many bikes do I own?", [9.0, 7.0, 1.0], OLD, NEW, OTHER)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert abs(sum(share.points for share in one.shares()) - one.score) < 0.01


def test_a_question_about_the_past_puts_the_older_first() -> None:
    found = ordered("How many bikes did I use to own previously?", [9.0, 8.9, 1.0], OLD, NEW, OTHER)
    assert found[0].sketch.id == "old"
    assert found[0].newer == "new"


def test_the_same_holds_in_chinese() -> None:
    old = said("old", "我有三辆自行车，都放在地下室里，周末经常骑着出去玩", days=90)
    new = said("new", "我现在有四辆自行车了，新买的那辆是公路车，特别轻", days=2)
    assert ordered("我有几辆自行车？", [9.0, 7.0], old, new)[0].sketch.id == "new"
    assert ordered("我之前有几辆自行车？", [9.0, 8.9], old, new)[0].sketch.id == "old"


def test_a_question_for_the_time_of_something_is_left_as_it_is() -> None:
    for query in ("When did I first own bikes?", "我什么时候买的自行车？"):
        assert all(one.newer is None for one in ordered(query, [9.0, 7.0], OLD, NEW))


def test_what_shares_few_of_the_words_and_what_the_assistant_said_stay_in_their_places() -> None:
    assistant = said("assistant", NEW.text, days=1, role="assistant")
    found = ordered("How many bikes do I own?", [9.0, 9.0, 2.0], OLD, assistant, OTHER)
    assert all(one.newer is None for one in found)
