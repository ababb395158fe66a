"""Cases of questions that wait for an answer."""

from __future__ import annotations

import pytest

from easy_data import EasyMemory
from easy_data.schemas.candidates import Fate
from easy_data.schemas.errors import InputError, StaleReview
from easy_data.schemas.review import ReviewStatus
from tests.fixtures.talk import assistant, facts, tell, user

TOWNS = [
    ("I live in Leeds.", "I live in York now.", "Leeds", "York", "Hull"),
    ("我住在杭州。", "我现在住在苏州。", "杭州", "苏州", "宁波"),
]


@pytest.mark.parametrize(("first", "second", "old", "new", "other"), TOWNS, ids=["en", "zh"])
def test_a_proposal_whose_memory_has_changed_is_shown_again_and_not_applied(
    memory: EasyMemory, first: str, second: str, old: str, new: str, other: str
) -> None:
    """O-22."""
    tell(memory, first)
    tell(memory, second)
    (item,) = memory.pending_review("ann")
    assert (item.proposed["attr_value"], item.current["attr_value"]) == (new, old)  # type: ignore[index]
    (home,) = memory.profile("ann")
    memory.correct("ann", home.id, attr_value=other)
    with pytest.raises(StaleReview, match="replaced or removed"):
        memory.review(item.id, "approve")
    (shown,) = memory.pending_review("ann")
    assert (shown.id, shown.status) == (item.id, ReviewStatus.NEEDS_DECISION)
    assert "replaced or removed" in shown.note
    assert (shown.proposed["attr_value"], shown.current["attr_value"]) == (new, other)  # type: ignore[index]
    assert facts(memory) == {"location": {other}}
    # The next decision is made on what was shown.
    memory.review(item.id, "approve")
    assert facts(memory) == {"location": {new}}
    assert memory.pending_review("ann") == []
    with pytest.raises(InputError, match="decided already"):
        memory.review(item.id, "approve")


@pytest.mark.parametrize(("first", "second", "old", "new", "other"), TOWNS, ids=["en", "zh"])
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_the_users_own_answer_settles_the_question(
    memory: EasyMemory, first: str, second: str, old: str, new: str, other: str, answer: str
) -> None:
    """O-22: nothing waits for ever."""
    tell(memory, first)
    tell(memory, second)
    (item,) = memory.pending_review("ann")
    chinese = old == "杭州"
    reply = {"yes": "是的" if chinese else "Yes, that's right", "no": "不是" if chinese else "No, still the same"}[
        answer
    ]
    status = memory.end_conversation("ann", [assistant(item.question), user(reply)]).wait(30)
    assert [f.fate for f in status.fates if f.review_id == item.id] == [
        Fate.WRITTEN if answer == "yes" else Fate.REJECTED
    ]
    assert facts(memory) == {"location": {new if answer == "yes" else old}}
    assert memory.pending_review("ann") == []


def test_the_same_proposal_waits_only_once(memory: EasyMemory) -> None:
    """O-22: the queue does not grow by repeats."""
    tell(memory, "I might be a morning person, maybe I like jazz?", conversation_id="c0")
    tell(memory, "I live in Leeds.")
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="York")
    memory.write_profile(entity_id="ann", attr_name="location", attr_value="York")
    assert len([i for i in memory.pending_review("ann") if i.attr_name == "location"]) == 1
