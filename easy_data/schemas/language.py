"""Which of the two languages a text is in."""

from __future__ import annotations

import re

from easy_data.schemas.records import Language

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[A-Za-z]+")


def language_of(text: str) -> Language | None:
    """Return ``zh`` or ``en`` by the share of the script, None when there is neither.

    One ideograph carries about as much as one English word; the larger count wins.
    """
    ideographs = len(_HAN.findall(text))
    words = len(_WORD.findall(text))
    if not ideographs and not words:
        return None
    return "zh" if ideographs >= words else "en"
