from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from easy_data.pipeline.extraction.prefilter import Prefilter, needed_by, needed_by_words


@pytest.mark.parametrize(
    ("expression", "needed"),
    [
        ("我住在(.+)", frozenset({"我住在"})),
        ("(?:住|人在)杭州", frozenset({"杭州"})),
        ("(?:like|drink)tea", frozenset({"tea"})),
        ("(?:我|咱)?养了?(?P<value>猫|狗)", frozenset({"养"})),
        ("[猫狗]", frozenset({"猫", "狗"})),
        ("(?:a|b*)c?", None),
        (".*", None),
        ("(?=在家)(?!不).", frozenset({"在家"})),
    ],
)
def test_the_rarest_needed_part_is_kept(expression: str, needed: frozenset[str] | None) -> None:
    assert needed_by(expression) == needed


EXPRESSIONS = [
    re.compile(source, re.IGNORECASE)
    for source in ("ab+c?", "(?:ab|cd)e", "A[bc]{2,}", "(?:a|b)(?:c|d)?", "x*", "(?<=a)b", "我(?:不)?在", "(a)\\1")
]


@given(st.text(alphabet="abcdeABX我不在 ", max_size=12))
def test_what_is_skipped_could_not_have_matched(text: str) -> None:
    tried = Prefilter([needed_by(e.pattern) for e in EXPRESSIONS]).candidates(text)
    assert {number for number, e in enumerate(EXPRESSIONS) if e.search(text)} <= set(tried)


def test_a_word_list_counts_as_what_its_words_need() -> None:
    lists = {"city": needed_by_words(["杭州", "Oslo"]), "place": needed_by("{city}市?", {"city": frozenset({"杭州"})})}
    assert needed_by("在{city}", {"city": frozenset({"杭州"})}) == frozenset({"杭州"})
    assert needed_by("{city}|{place}", lists) == needed_by_words(["杭州", "Oslo"])
    assert needed_by("{city}?", lists) is None
