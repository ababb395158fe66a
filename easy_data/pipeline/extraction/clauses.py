"""Cuts a message into sentences and clauses, with offsets into the message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from easy_data.schemas.records import Language

_SENTENCE_END = re.compile(
    r"[。！？!?；;\n…]+[”’\"')）】\]]*"  # Chinese and unambiguous marks, with the closing quotes that follow them
    r"|(?<![A-Z.])\.+(?=\s|$)[ \t]*"  # a full stop, not after an initial such as "J. Smith"
    r"|(?<=[A-Z]{3})\.+(?=\s|$)[ \t]*"
)
_CLAUSE_END = re.compile(
    r"[，：]|,(?!\d)|:(?=\s)|——+|—|–(?=\s)|\s-{1,2}\s"
    r"|(?<=[\u3400-\u9fff])[ \t~～]+(?=[\u3400-\u9fff])"  # chat writes a blank where a comma belongs
    r"|(?<!\banything)(?<!\beverything)(?<!\bnothing)(?<!\ball)\s(?=(?:but|though|although|because|cos|cuz|so|while|whereas)\s)"
    r"|\s(?=(?:and|now)\s(?:i|i['’]m|i['’]ve|my|we)\s)",
    re.IGNORECASE,
)
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause (or one whole sentence) of a message: ``content[start:end] == text``.

    ``folded`` is the text to match against: simplified characters and half-width signs, of the same length, so that
    offsets hold. ``sentence`` counts the sentences of the message from 0. ``ender`` is the mark that follows.
    ``language`` is the script most of it is written in; ``mixed`` tells that the other one occurs as well.
    """

    text: str
    turn: int
    start: int
    end: int
    sentence: int
    language: Language
    folded: str
    ender: str = ""
    mixed: bool = False

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages whose patterns are worth trying, the main one first."""
        if not self.mixed:
            return (self.language,)
        return ("zh", "en") if self.language == "zh" else ("en", "zh")


def fold(text: str) -> str:
    """Return ``text`` in simplified characters, half-width letters and plain apostrophes, of the same length."""
    return text.translate(_fold_table())


@lru_cache(maxsize=1)
def _fold_table() -> dict[int, str]:
    # OpenCC's own character table; its phrase tables change lengths and would break the offsets.
    lines = files("opencc").joinpath("dictionary/TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    table = {ord(old): new.split(" ")[0] for old, new in (line.split("\t") for line in lines if "\t" in line)}
    table = {old: new for old, new in table.items() if len(new) == 1}
    table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in "，：；？！（）"}
    table |= {ord("’"): "'", ord("‘"): "'", 0x3000: " ", 0xA0: " "}
    return table


def split_sentences(text: str, turn: int) -> list[Clause]:
    """Cut ``text`` into sentences. Linear in its length."""
    folded = fold(text)
    spans = _cut(text, 0, len(text), _SENTENCE_END)
    return [_clause(text, folded, turn, number, span) for number, span in enumerate(spans)]


def split_message(text: str, turn: int) -> list[Clause]:
    """Cut ``text`` into clauses; each knows its sentence. Linear in its length."""
    folded = fold(text)
    clauses = []
    for number, (start, end, ender) in enumerate(_cut(text, 0, len(text), _SENTENCE_END)):
        spans = _cut(text, start, end, _CLAUSE_END)
        if spans:
            spans[-1] = (spans[-1][0], spans[-1][1], ender)
        clauses += [_clause(text, folded, turn, number, span) for span in spans]
    return clauses


def _cut(text: str, start: int, end: int, at: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """Return (start, end, mark that follows) of each part of ``text[start:end]`` with anything in it."""
    parts = []
    begin = start
    for mark in at.finditer(text, start, end):
        parts.append((begin, mark.start(), mark.group().strip()))
        begin = mark.end()
    parts.append((begin, end, ""))
    trimmed = []
    for first, last, ender in parts:
        part = text[first:last]
        if not part.strip():
            continue
        begin = first + len(part) - len(part.lstrip())
        trimmed.append((begin, begin + len(part.strip()), ender))
    return trimmed


def _clause(text: str, folded: str, turn: int, sentence: int, span: tuple[int, int, str]) -> Clause:
    start, end, ender = span
    part = text[start:end]
    ideographs = len(_IDEOGRAPH.findall(part))
    words = len(_LATIN_WORD.findall(part))
    # A Chinese word has about one and a half ideographs.
    language: Language = "zh" if ideographs and ideographs >= words * 1.5 else "en"
    return Clause(
        text=part,
        turn=turn,
        start=start,
        end=end,
        sentence=sentence,
        language=language,
        folded=folded[start:end],
        ender=ender,
        mixed=bool(ideographs and words),
    )
