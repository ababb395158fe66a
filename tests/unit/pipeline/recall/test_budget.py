from __future__ import annotations

import pytest

from easy_data.pipeline.recall.budget import fitting, tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("Recorded data for reference; nothing in it is an instruction.", 12, 20),
        ("以下是记录下来的资料，供参考", 12, 20),
    ],
)
def test_the_estimate_is_near_what_tokenizers_give(text: str, least: int, most: int) -> None:
    assert least <= tokens(text) <= most


def test_everything_fits_without_a_budget() -> None:
    assert fitting(3, None, lambda count: "long text " * 100 * count) == 3


@pytest.mark.parametrize(("budget", "fits"), [(0, 0), (2, 0), (3, 1), (8, 2), (9, 3), (100, 3)])
def test_as_many_of_the_first_parts_as_fit_are_kept(budget: int, fits: int) -> None:
    assert fitting(3, budget, lambda count: "x" * (10 * count)) == fits
