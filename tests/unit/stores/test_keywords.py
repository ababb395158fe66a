from __future__ import annotations

import unicodedata

import pytest

from easy_data.stores.keywords import AVERAGE_TERMS, K1, sparse, sparse_query, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I was running the marathons", ["run", "marathon"]),
        ("Don't use C++ or C# for it", ["don't", "use", "c++", "c#"]),
        ("喝绿茶", ["喝", "绿", "茶", "喝绿", "绿茶"]),
        ("我的猫", ["猫", "的猫"]),
        ("这是什么", []),
        ("用Python写", ["用", "python", "写"]),
        ("금요일에", ["금요", "요일", "일에"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("🌶️ okay", ["🌶", "okay"]),
        ("ＡＢＣ１２", ["abc12"]),
        ("straße", ["strass"]),
        ("", []),
        ("?!。，", []),
    ],
)
def test_terms_follow_the_script(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("text", ["café crème", "İstanbul", "Hà Nội", "が好き", "한국어", "שָׁלוֹם", "قَهْوَة", "й"])
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_normal_form_gives_the_same_terms(text: str, form: str) -> None:
    assert terms(unicodedata.normalize(form, text)) == terms(text) != []


@pytest.mark.parametrize(
    ("written", "also"),
    [("שָׁלוֹם", "שלום"), ("قَهْوَة", "قهوة"), ("café", "cafe"), ("user\u2019s", "user's"), ("CAFÉ", "café")],
)
def test_optional_marks_and_case_make_no_difference(written: str, also: str) -> None:
    assert terms(written) == terms(also)


def test_a_dakuten_is_a_letter_of_its_own() -> None:
    assert terms("かき") != terms("がき")


def test_weights_are_bm25_of_the_document_side() -> None:
    _, once = sparse("tea")
    length = 1 - 0.6 + 0.6 / AVERAGE_TERMS
    assert once == [pytest.approx((K1 + 1) / (1 + K1 * length))]


def test_a_repeated_term_weighs_more_but_less_than_twice() -> None:
    (index,), (twice,) = sparse("tea tea")
    (same,), (once,) = sparse("tea")
    assert index == same
    assert once < twice < 2 * once


def test_a_term_of_a_long_text_weighs_less() -> None:
    short = dict(zip(*sparse("tea"), strict=True))
    long = dict(zip(*sparse("tea " + " ".join(f"word{n}" for n in range(100))), strict=True))
    index = sparse_query("tea")[0][0]
    assert long[index] < short[index]


def test_a_query_gives_each_different_term_once_with_the_weight_one() -> None:
    indices, weights = sparse_query("teas, tea and coffee")
    assert len(indices) == len(set(indices)) == 2
    assert weights == [1.0, 1.0]
    assert set(indices) == set(sparse("coffee tea")[0])
    assert all(0 <= index < 2**32 for index in indices)


def test_text_without_terms_has_an_empty_vector() -> None:
    assert sparse("。。。") == ([], [])
    assert sparse_query("the") == ([], [])


def test_broken_surrogates_are_no_error() -> None:
    assert sparse("tea \ud800")[0] == sparse("tea")[0]
