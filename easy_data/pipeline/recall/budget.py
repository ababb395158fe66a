"""How many tokens a block takes, by estimate, and how much of an answer fits into so many.

No tokenizer is asked, for each model has its own. Counted is what the common ones give or a little more: a token for
three and a half characters of English, 1.1 tokens for an ideograph or another wide character.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from math import ceil

_CHARS_A_TOKEN = 3.5
_TOKENS_A_WIDE = 1.1
_WIDE_FROM = "\u2e80"


def tokens(text: str) -> int:
    """Return the estimated number of tokens of a text, rounded up."""
    wide = 0 if text.isascii() else sum(char >= _WIDE_FROM for char in text)
    return ceil((len(text) - wide) / _CHARS_A_TOKEN + wide * _TOKENS_A_WIDE)


def fitting(number: int, budget: int | None, text_of: Callable[[int], str]) -> int:
    """Return how many of the first ``number`` parts make a text of at most ``budget`` tokens; all without a budget.

    ``text_of`` renders the first so many parts; a longer list never makes a shorter text.
    """
    if budget is None or tokens(text_of(number)) <= budget:
        return number
    return max(0, bisect_right(range(number), budget, key=lambda count: tokens(text_of(count))) - 1)
