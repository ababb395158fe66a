from __future__ import annotations

from datetime import UTC, datetime

from easy_data.pipeline.recall.questions import MOST, due_questions
from easy_data.schemas.candidates import ReviewReason
from easy_data.schemas.recall import Intent
from easy_data.schemas.records import Bucket
from easy_data.schemas.review import ReviewItem, ReviewStatus


def item(
    name: str = "1", *, attr: str = "location", value: str = "柏林", reason: ReviewReason = ReviewReason.OVERWRITE
) -> ReviewItem:
    return ReviewItem(
        id=name,
        entity_id="e",
        bucket=Bucket.PROFILE,
        reason=reason,
        status=ReviewStatus.OPEN,
        attr_name=attr,
        proposed={"attr_value": value},
        question=f"Is it {value}?",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_a_question_comes_when_the_query_asks_for_its_attribute() -> None:
    assert due_questions("where do I live", Intent(attributes=("location",)), [item()]) == (item(),)


def test_a_question_comes_when_the_query_holds_its_value() -> None:
    assert due_questions("柏林有什么好玩的", Intent(), [item()]) == (item(),)


def test_a_query_about_something_else_brings_no_question() -> None:
    assert due_questions("how is the weather", Intent(attributes=("hobby",)), [item()]) == ()


def test_an_order_that_waits_for_a_person_is_never_put_before_the_model() -> None:
    waiting = item(reason=ReviewReason.INSTRUCTION)
    assert due_questions("where do I live", Intent(attributes=("location",)), [waiting]) == ()


def test_a_few_questions_are_enough() -> None:
    many = [item(str(n)) for n in range(10)]
    assert due_questions("x", Intent(attributes=("location",)), many) == tuple(many[:MOST])
