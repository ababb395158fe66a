"""Which write wins: one test for each row of the policy table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from easy_data.pipeline.policy import Action, Decision, Statement, classify, decide_fact, grown
from easy_data.schemas.candidates import Candidate, Certainty, Change, RejectReason, ReviewReason
from easy_data.schemas.conversation import Conversation, Message
from easy_data.schemas.records import Bucket, Polarity, ProfileRecord
from easy_data.schemas.registry import Registry
from easy_data.schemas.settings import Settings

BEFORE = datetime(2026, 3, 10, tzinfo=UTC)
NOW = BEFORE + timedelta(days=30)
SAID = "I like tea and live in Oslo."
REGISTRY = Registry()


@pytest.fixture
def settings() -> Settings:
    return Settings()


def conversation(*messages: tuple[str, str]) -> Conversation:
    return Conversation(
        tenant_id="t",
        entity_id="ann",
        source="s",
        conversation_id="c",
        messages=tuple(Message(role=role, content=text) for role, text in messages),  # type: ignore[arg-type]
        ended_at=NOW,
        time_zone="UTC",
        language="en",
    )


def candidate(**fields: Any) -> Candidate:
    start: dict[str, Any] = {"bucket": Bucket.PROFILE, "quote": SAID, "turn": 0, "attr_name": "hobby", "value": "chess"}
    return Candidate(**(start | fields))


def judged(settings: Settings, *messages: tuple[str, str], **fields: Any) -> tuple[str, str, float]:
    found = classify(candidate(**fields), conversation(*(messages or (("user", SAID),))), REGISTRY, settings)
    return found.verdict, found.reason, found.confidence


def stored(value: str, **fields: Any) -> ProfileRecord:
    start: dict[str, Any] = {"id": value, "valid_from": BEFORE, "confidence": 0.9, "attr_name": "location"}
    return ProfileRecord(entity_id="ann", attr_value=value, **(start | fields))


def decided(settings: Settings, value: str, *live: ProfileRecord, attr: str = "location", **fields: Any) -> Decision:
    polarity = fields.pop("polarity", Polarity.POSITIVE)
    new = ProfileRecord(entity_id="ann", attr_name=attr, attr_value=value, polarity=polarity)
    statement = Statement(**({"record": new, "said_at": NOW} | fields))
    return decide_fact(statement, live, REGISTRY.get(attr), settings)


@pytest.mark.parametrize(
    ("certainty", "verdict", "reason", "confidence"),
    [
        (Certainty.CONFIRMED, "accept", "", 0.95),
        (Certainty.STATED, "accept", "", 0.9),
        (Certainty.HEDGED, "review", ReviewReason.UNCERTAIN, 0.5),
        (Certainty.INFERRED, "review", ReviewReason.UNCERTAIN, 0.5),
        (Certainty.WEAK, "reject", RejectReason.BELOW_THRESHOLD, 0.2),
    ],
)
def test_how_it_was_said_decides_between_writing_asking_and_leaving_it(
    settings: Settings, certainty: Certainty, verdict: str, reason: str, confidence: float
) -> None:
    assert judged(settings, certainty=certainty) == (verdict, reason, confidence)


@pytest.mark.parametrize(("own", "kept"), [(0.99, 0.9), (0.7, 0.7), (0.4, 0.4)])
def test_a_models_own_figure_lowers_trust_and_never_raises_it(settings: Settings, own: float, kept: float) -> None:
    assert judged(settings, confidence=own)[2] == kept


@pytest.mark.parametrize(
    ("certainty", "confidence"), [(Certainty.STATED, 0.93), (Certainty.CONFIRMED, 0.95), (Certainty.HEDGED, 0.5)]
)
def test_what_two_readers_found_is_surer_if_it_was_stated(
    settings: Settings, certainty: Certainty, confidence: float
) -> None:
    assert judged(settings, certainty=certainty, agreed=True)[2] == confidence


def test_what_two_readers_dispute_is_for_a_person_unless_it_is_refused_anyway(settings: Settings) -> None:
    disputed = {"flags": ("disputed",)}
    assert judged(settings, **disputed)[:2] == ("review", ReviewReason.DISPUTED)
    assert judged(settings, **disputed, certainty=Certainty.WEAK)[:2] == ("reject", RejectReason.BELOW_THRESHOLD)
    assert judged(settings, **disputed, attr_name="shoe_size")[1] == RejectReason.NOT_IN_REGISTRY
    assert judged(settings, flags=("disputed", "instruction"))[:2] == ("review", ReviewReason.INSTRUCTION)
    assert judged(settings, **disputed, value="my profile is at https://a.example/x")[1] == ReviewReason.LINK


def test_what_is_not_in_the_registry_is_an_event_at_most(settings: Settings) -> None:
    assert judged(settings, attr_name="shoe_size")[:2] == ("event_only", RejectReason.NOT_IN_REGISTRY)
    unknown = {"bucket": Bucket.EVENT, "attr_name": "", "event_type": "party", "summary": "x"}
    assert judged(settings, **unknown)[:2] == ("reject", RejectReason.NOT_IN_REGISTRY)


def test_only_a_users_turn_that_holds_the_quote_is_evidence(settings: Settings) -> None:
    assert judged(settings, ("assistant", SAID))[1] == RejectReason.NOT_USER
    assert judged(settings, ("user", "something else"))[1] == RejectReason.NO_EVIDENCE
    assert judged(settings, turn=5)[1] == RejectReason.NO_EVIDENCE
    assert judged(settings, ("user", f"[Long-term memory about the user]\n- {SAID}"))[1] == RejectReason.RECALLED_TEXT


def test_secrets_long_and_sensitive_values_are_rejected(settings: Settings) -> None:
    assert judged(settings, value="[secret:password]")[1] == RejectReason.SECRET
    assert judged(settings, value="x" * 4001)[1] == RejectReason.TOO_LONG
    assert judged(settings, attr_name="phone", value="555")[1] == RejectReason.SENSITIVE
    assert judged(Settings(keep_sensitive=True), attr_name="phone", value="555")[0] == "accept"


def test_an_order_to_the_assistant_waits_for_a_person(settings: Settings) -> None:
    assert judged(settings, flags=("instruction",))[:2] == ("review", ReviewReason.INSTRUCTION)


def test_nothing_there_is_written(settings: Settings) -> None:
    assert decided(settings, "Oslo") == Decision(Action.INSERT)


@pytest.mark.parametrize("value", ["Oslo", "oslo", " OSLO ", "Ｏｓｌｏ"])
def test_the_same_value_is_merged(settings: Settings, value: str) -> None:
    old = stored("Oslo")
    assert decided(settings, value, old) == Decision(Action.MERGE, old)


def test_a_trusted_value_is_asked_about_and_never_overwritten(settings: Settings) -> None:
    for confidence in (0.8, 0.99):
        old = stored("Oslo", confidence=confidence)
        for change in (Change.NONE, Change.CHANGED):
            decision = decided(settings, "Rome", old, change=change)
            assert decision == Decision(Action.REVIEW, old, ReviewReason.OVERWRITE)


def test_a_less_trusted_value_gives_way_when_the_user_says_that_it_changed(settings: Settings) -> None:
    old = stored("Oslo", confidence=0.79)
    assert decided(settings, "Rome", old, change=Change.CHANGED) == Decision(Action.SUPERSEDE, old, "changed")


def test_without_a_sign_of_change_both_values_stand_as_a_conflict(settings: Settings) -> None:
    old = stored("Oslo", confidence=0.79)
    assert decided(settings, "Rome", old) == Decision(Action.CONFLICT, old, ReviewReason.CONFLICT)


def test_a_value_below_the_threshold_gives_way(settings: Settings) -> None:
    old = stored("Oslo", confidence=0.59)
    assert decided(settings, "Rome", old).action is Action.SUPERSEDE


def test_what_was_said_earlier_never_becomes_current(settings: Settings) -> None:
    old = stored("Oslo", confidence=0.5)
    earlier = BEFORE - timedelta(days=1)
    assert decided(settings, "Rome", old, said_at=earlier) == Decision(Action.HISTORY, old, "older")
    assert decided(settings, "Rome", old, said_at=BEFORE) == Decision(Action.REVIEW, old, ReviewReason.TIE)


def test_a_confirmed_value_takes_the_place(settings: Settings) -> None:
    old = stored("Oslo")
    assert decided(settings, "Rome", old, confirmed=True) == Decision(Action.SUPERSEDE, old, "confirmed")


def test_a_correction_within_one_conversation_leaves_the_corrected_value(settings: Settings) -> None:
    old = stored("Oslo")
    assert decided(settings, "Rome", old, same_conversation=True) == Decision(Action.SUPERSEDE, old, "corrected")


def test_a_denial_weakens_what_is_stored_and_is_nothing_by_itself(settings: Settings) -> None:
    old = stored("Oslo")
    denied = {"polarity": Polarity.NEGATIVE}
    assert decided(settings, "Oslo", old, **denied) == Decision(Action.WEAKEN, old, "denied")
    assert decided(settings, "Oslo", **denied).action is Action.DROP
    assert decided(settings, "Oslo", stored("Rome"), **denied).action is Action.DROP


def test_a_dislike_is_a_fact_and_stands_against_the_liking_of_the_same(settings: Settings) -> None:
    tea = {"attr": "beverage_preference", "polarity": Polarity.NEGATIVE}
    assert decided(settings, "tea", **tea).action is Action.INSERT
    liked = stored("tea", attr_name="beverage_preference")
    assert decided(settings, "tea", liked, **tea) == Decision(Action.REVIEW, liked, ReviewReason.OVERWRITE)


def test_several_values_of_a_many_valued_attribute_live_side_by_side(settings: Settings) -> None:
    assert decided(settings, "chess", stored("sailing", attr_name="hobby"), attr="hobby").action is Action.INSERT


def test_an_end_closes_what_may_end_and_asks_about_identity(settings: Settings) -> None:
    chess, oslo = stored("chess", attr_name="hobby"), stored("Oslo")
    over = {"change": Change.ENDED}
    assert decided(settings, "chess", chess, attr="hobby", **over) == Decision(Action.CLOSE, chess, "ended")
    assert decided(settings, "Oslo", oslo, **over) == Decision(Action.REVIEW, oslo, ReviewReason.OVERWRITE)
    assert decided(settings, "Oslo", oslo, confirmed=True, **over).action is Action.CLOSE
    assert decided(settings, "chess", attr="hobby", **over).action is Action.DROP
    assert decided(settings, "chess", attr="hobby", change=Change.PAST) == Decision(Action.HISTORY, reason="past")


def test_confidence_grows_by_noisy_or_and_stays_below_certainty() -> None:
    assert grown(0.5, 0.5) == pytest.approx(0.75)
    assert grown(0.9, 0.9) == pytest.approx(0.99)
    confidence = 0.6
    for _ in range(50):
        assert confidence <= (confidence := grown(confidence, 0.3)) <= 0.99
    assert grown(1.0, 0.5) == 1.0
