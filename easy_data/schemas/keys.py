"""Keys by which equal content is found: texts that differ only in case, width, blanks or punctuation share one."""

from __future__ import annotations

import hashlib
import re
import unicodedata

# "vegetarian since 2019" and "vegetarian" name one value; the time they hold since is no part of it.
_SINCE = re.compile(
    r"\s*(?:\bsince\b[^,;]{1,30}|\bfor (?:the (?:last|past) )?[\w ]{1,20}(?:years?|months?|weeks?)\b)\s*$"
    r"|^自?从?\s*\d{2,4}\s*年(?:\d{1,2}月)?(?:起|以来|开始)[,,就]*\s*"
    r"|[,,(]?\s*(?:自|从)\s*\d{2,4}\s*年(?:\d{1,2}月)?(?:起|以来|开始)?[)]?\s*$"
)
_ARTICLE = re.compile(r"^(?:an?|the|my|some|i am|i'm)\s+")


def folded(text: str) -> str:
    """Return ``text`` in NFKC, casefolded, blanks and punctuation reduced to single blanks, signs of value kept."""
    text = unicodedata.normalize("NFKC", text).casefold()
    # + # % . : - between or behind word characters carry meaning ("C++", "C#", "5.5", "02:00", "-3").
    kept = "".join(
        c if c.isalnum() or c in "+#%" or unicodedata.category(c) == "Mn" else _joiner(text, i)
        for i, c in enumerate(text)
    )
    return " ".join(kept.split())


def _joiner(text: str, i: int) -> str:
    char = text[i]
    inside_number = 0 < i < len(text) - 1 and text[i - 1].isdigit() and text[i + 1].isdigit()
    if char in ".:,/" and inside_number:
        return char
    if char == "-" and i < len(text) - 1 and text[i + 1].isdigit() and (i == 0 or not text[i - 1].isalnum()):
        return char
    # Symbols such as emoji are content when nothing else is there; as letters they would split no word.
    return char if unicodedata.category(char) == "So" else " "


def bare_value(value: str) -> str:
    """Return the folded value without leading article and without the time it holds since."""
    text = unicodedata.normalize("NFKC", value).casefold().strip()
    text = _SINCE.sub("", text).strip() or text
    return folded(_ARTICLE.sub("", text)) or text


def fact_key(attr_name: str, value: str, polarity: int) -> str:
    """Return the key of one value of one attribute, for or against."""
    return _digest("fact", attr_name, "+" if polarity > 0 else "-", bare_value(value).replace(" ", ""))


def slot_key(attr_name: str, value: str, polarity: int, *, single: bool) -> str:
    """Return the key of a slot: the attribute when single-valued, else attribute and value."""
    return _digest("slot", attr_name) if single else fact_key(attr_name, value, polarity)


def text_key(*parts: str) -> str:
    """Return the key of texts, compared folded."""
    return _digest("text", *(folded(part) or part for part in parts))


def _digest(*parts: str) -> str:
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()
