from __future__ import annotations

import pytest

from easy_data.pipeline.extraction.values import normalise


@pytest.mark.parametrize(
    ("attr", "text", "value"),
    [
        ("location", "杭州了", "杭州"),
        ("occupation", "一名“兽医”呢", "兽医"),
        ("beverage_preference", "black coffee lol", "black coffee"),
        ("pet", "a cat", "cat"),
        ("programming_language", "ｐｙｔｈｏｎ", "Python"),
        ("technology", "postgresql", "PostgreSQL"),
        ("programming_language", "c", "C"),
        ("email", "Zoe.Lin@Example.COM", "zoe.lin@example.com"),
        ("phone", "+86 138-0013 8000", "+8613800138000"),
        ("family_member", "妹妹林晓岚，在苏州的一家花店上班", "妹妹林晓岚，在苏州的一家花店上班"),
        ("hobby", "跑滴滴", "跑滴滴"),
    ],
)
def test_a_value_loses_what_surrounds_it_and_keeps_its_words(attr: str, text: str, value: str) -> None:
    assert normalise(attr, text) == value


@pytest.mark.parametrize("text", ["这个", "什么", "什么车", "哪里", "it", "something", " ，了 ", ""])
def test_a_word_that_points_elsewhere_is_no_value(text: str) -> None:
    assert normalise("hobby", text) == ""


def test_only_technical_values_get_a_spelling_of_the_field() -> None:
    assert normalise("travel_preference", "spring") == "spring"
