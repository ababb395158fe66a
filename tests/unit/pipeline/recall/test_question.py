from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from easy_data.pipeline.recall.question import Conditions, route_of
from easy_data.schemas.records import LIVE_STATUSES, Bucket, ProfileRecord, Status
from easy_data.stores.repositories.sketches import Sketch

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
TURN = Sketch("1", Bucket.EVENT, "conversation_turn", "hello", Status.ACTIVE, NOON)
PLAN = Sketch("2", Bucket.EVENT, "plan", "a trip", Status.ACTIVE, NOON)


def test_an_event_is_a_turn_or_not_by_its_type() -> None:
    assert [route_of(s.bucket, s.kind) for s in (TURN, PLAN)] == ["turns", "events"]


@pytest.mark.parametrize(
    ("routes", "turn", "plan"), [((), True, True), (("turns",), True, False), (("profile",), False, False)]
)
def test_routes_narrow_what_answers(routes: tuple[str, ...], turn: bool, plan: bool) -> None:
    conditions = Conditions(routes=routes)  # type: ignore[arg-type]  # parametrised as plain text
    assert (conditions.allow(TURN), conditions.allow(PLAN)) == (turn, plan)


def test_buckets_and_routes_narrow_together() -> None:
    conditions = Conditions(buckets=(Bucket.PROFILE, Bucket.EVENT), routes=("turns", "workspace"))
    assert conditions.wanted_buckets == (Bucket.EVENT,)
    assert Conditions().wanted_buckets == ()


def test_as_of_lets_in_what_had_happened_and_facts_that_held_then() -> None:
    conditions = Conditions(as_of=NOON)
    assert conditions.allow(TURN)
    assert not Conditions(as_of=NOON - timedelta(seconds=1)).allow(TURN)
    fact = ProfileRecord(entity_id="one", attr_name="location", attr_value="Oslo", valid_to=NOON)
    assert not conditions.held(fact)
    assert conditions.held(fact.model_copy(update={"valid_to": NOON + timedelta(seconds=1)}))
    assert Status.SUPERSEDED in conditions.statuses
    assert Conditions().statuses == LIVE_STATUSES
