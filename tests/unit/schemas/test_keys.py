"""Keys: what is the same content, and what only looks like it."""

from __future__ import annotations

import pytest

from easy_data.schemas.keys import bare_value, fact_key, folded, slot_key, text_key


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Green Tea", " green  tea! "),
        ("ＡＢＣ", "abc"),
        ("a morning person", "morning person"),
        ("vegetarian since 2019", "vegetarian"),
        ("花生", "花生。"),
        ("Straße", "STRASSE"),
    ],
)
def test_values_that_say_the_same_share_a_key(a: str, b: str) -> None:
    assert bare_value(a) == bare_value(b)
    assert fact_key("hobby", a, 1) == fact_key("hobby", b, 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("C", "C++"),
        ("C++", "C#"),
        ("5 mg", "50 mg"),
        ("5.5", "55"),
        ("2:00", "20:0"),
        ("-3", "3"),
        ("香菜", "香葱"),
        ("👍", "👎"),
    ],
)
def test_values_that_differ_in_a_sign_that_counts_do_not(a: str, b: str) -> None:
    assert fact_key("technology", a, 1) != fact_key("technology", b, 1)
    assert text_key("event", a) != text_key("event", b)


def test_a_key_is_of_one_attribute_and_one_polarity() -> None:
    keys = {fact_key("hobby", "chess", 1), fact_key("hobby", "chess", -1), fact_key("sport", "chess", 1)}
    assert len(keys) == 3


def test_a_single_slot_has_one_key_whatever_its_value() -> None:
    assert slot_key("location", "Oslo", 1, single=True) == slot_key("location", "Rome", -1, single=True)
    assert slot_key("hobby", "Oslo", 1, single=False) == fact_key("hobby", "Oslo", 1)


def test_folding_is_stable() -> None:
    for text in ("Café, au lait!", "我不吃香菜。", "C++ 20%", "İstanbul"):
        assert folded(folded(text)) == folded(text)
