from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np

from easy_data.pipeline.recall.features import Pool
from easy_data.pipeline.recall.intents import read_query
from easy_data.pipeline.recall.question import Question
from easy_data.pipeline.recall.rank import Ranked, rank
from easy_data.schemas.records import Bucket, Entity, Status
from easy_data.schemas.registry import Registry
from easy_data.stores.repositories.sketches import Sketch

NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)
ENTITY = Entity(tenant_id="t", entity_id="e")
REGISTRY = Registry()


def sketch(name: str, *, bucket: Bucket = Bucket.EVENT, kind: str = "remark", days: float = 1) -> Sketch:
    text = f"We talked about {name} for a good while, and it went on until the evening came and everybody left."
    return Sketch(name, bucket, kind, text, Status.ACTIVE, NOW - timedelta(days=days))


def ranked(
    query: str, sketches: list[Sketch], keyword: list[float], dense: list[float] | None = None, weight: float = 0.3
) -> list[Ranked]:
    question = Question(ENTITY, query, read_query(query, ENTITY, REGISTRY, NOW), NOW)
    pool = Pool(sketches, np.array(keyword), np.array(dense or [0.3] * len(sketches)))
    return rank(pool, question, REGISTRY, recency_weight=weight, limit=10)


def names(found: list[Ranked]) -> list[str]:
    return [r.sketch.id for r in found]


def test_the_better_match_stands_first() -> None:
    assert names(ranked("sailing", [sketch("a"), sketch("b")], [1.0, 3.0])) == ["b", "a"]


def test_of_two_that_fit_alike_the_newer_stands_first() -> None:
    assert names(ranked("sailing", [sketch("old", days=400), sketch("new")], [2.0, 2.0])) == ["new", "old"]


def test_freshness_does_not_outweigh_a_clearly_better_match() -> None:
    assert names(ranked("sailing", [sketch("old", days=400), sketch("new")], [3.0, 1.0])) == ["old", "new"]


def test_a_query_for_recent_things_weighs_freshness_more() -> None:
    shares = [
        {s.feature: s.points for s in ranked(query, [sketch("a")], [1.0])[0].shares()}["freshness"]
        for query in ("sailing", "recent sailing", "最近的航行")
    ]
    assert shares[1] > shares[0]
    assert shares[2] > shares[0]


def test_identity_does_not_age() -> None:
    name = sketch("name", bucket=Bucket.PROFILE, kind="name", days=4000)
    hobby = sketch("hobby", bucket=Bucket.PROFILE, kind="hobby", days=4000)
    fresh = {r.sketch.id: r.columns["freshness"][r.row] for r in ranked("sailing", [name, hobby], [1.0, 1.0])}
    assert fresh["name"] == 1.0
    assert fresh["hobby"] < 0.01


def test_a_fact_the_query_names_is_not_drowned_by_turns() -> None:
    fact = sketch("fact", bucket=Bucket.PROFILE, kind="dietary_restriction", days=900)
    turns = [sketch(f"turn{i}", kind="conversation_turn") for i in range(30)]
    found = ranked("what's for dinner?", [*turns, fact], [5.0] * 30 + [0.0], [0.9] * 30 + [0.0])
    assert found[0].sketch.id == "fact"


def test_what_has_nothing_to_do_with_the_query_is_left_out() -> None:
    assert names(ranked("sailing", [sketch("a"), sketch("b")], [1.0, 0.0], [0.4, 0.0])) == ["a"]


def test_the_shares_add_up_to_the_score() -> None:
    for found in ranked("how many boats did I see last week?", [sketch("a"), sketch("b")], [1.0, 2.0], [0.2, 0.5]):
        assert abs(sum(share.points for share in found.shares()) - found.score) < 0.01


def test_equal_candidates_have_one_order_whatever_order_they_come_in() -> None:
    sketches = [sketch(name) for name in "dacb"]
    assert names(ranked("sailing", sketches, [1.0] * 4)) == names(ranked("sailing", sketches[::-1], [1.0] * 4))


def test_no_candidates_give_no_answer() -> None:
    assert ranked("sailing", [], [], []) == []
