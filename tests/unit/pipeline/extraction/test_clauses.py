from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from easy_data.pipeline.extraction.clauses import fold, split_message, split_sentences


@given(st.text(alphabet="我住在杭州，。！？ \n,.but I'mR2-“”兩點、…", max_size=80))
def test_every_clause_stands_in_the_message_at_its_offsets(text: str) -> None:
    for clause in (*split_message(text, 3), *split_sentences(text, 3)):
        assert text[clause.start : clause.end] == clause.text
        assert len(clause.folded) == len(clause.text)
        assert clause.turn == 3


@given(st.text(max_size=60))
def test_folding_keeps_the_length_so_that_offsets_hold(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_traditional_characters_and_wide_letters_are_folded_for_matching() -> None:
    assert fold("開會改成下午兩點，ＯＫ") == "开会改成下午两点，OK"


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("我三十了，住杭州。你呢？", ["我三十了", "住杭州", "你呢"]),
        ("太贵了 等等再说", ["太贵了", "等等再说"]),
        ("I live in Oslo, but I was born in Bergen.", ["I live in Oslo", "but I was born in Bergen"]),
        ("I'm a nurse and I play the oboe", ["I'm a nurse", "and I play the oboe"]),
        ("it costs 1,000.50 euros", ["it costs 1,000.50 euros"]),
        ("以前 commute 我必听 true crime", ["以前 commute 我必听 true crime"]),
        ("  \n ", []),
    ],
)
def test_a_message_is_cut_where_a_reader_pauses(text: str, clauses: list[str]) -> None:
    assert [c.text for c in split_message(text, 0)] == clauses


def test_a_clause_knows_its_sentence_and_the_mark_behind_it() -> None:
    first, second, third = split_message("我住杭州，你呢？好吧", 0)
    assert (first.sentence, first.ender) == (0, "，")
    assert (second.sentence, second.ender) == (0, "？")
    assert third.sentence == 1


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("我住在杭州", ("zh",)),
        ("I live in Oslo", ("en",)),
        ("now 只听 lo-fi", ("en", "zh")),
        ("以前 commute 我必听 true crime", ("zh", "en")),
    ],
)
def test_a_mixed_clause_is_read_in_both_languages(text: str, languages: tuple[str, ...]) -> None:
    [clause] = split_message(text, 0)
    assert clause.languages == languages


def test_a_megabyte_without_punctuation_is_one_clause() -> None:
    assert len(split_message("啊" * 1_000_000, 0)) == 1
