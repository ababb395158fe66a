"""Loads the pattern data and runs it over a text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from easy_data.pipeline.extraction.guards import Guard
from easy_data.pipeline.extraction.prefilter import Prefilter, needed_by, needed_by_words
from easy_data.schemas.candidates import Certainty, Change
from easy_data.schemas.records import Language, Polarity

# Files of the same folders that other parts of extraction read.
_OTHER_FILES = frozenset({"vocabulary.toml", "frames.toml", "events.toml", "workspaces.toml"})
_WORD_LIST = re.compile(r"\{([a-z_]+)\}")
# A clause longer than this is data somebody pasted, not something said.
MAX_CHARS = 400


class PatternSpec(BaseModel):
    """One entry of a pattern file.

    ``match`` is a regular expression over folded text with the group ``value`` (or a fixed ``value``); ``{city}`` in it
    stands for the word list of that name. ``ask``, when given, must be found in the assistant's question that the
    clause answers. ``scope`` is what ``match`` sees. ``allow`` names guards that do not stop this pattern. An example
    is [text, value] or, with ``ask``, [question, text, value]; a ``counter`` is a text (or [question, text]) that must
    not match. ``split`` cuts a list into several values. A group ``old`` is the value that this one replaces.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attr: str
    match: str
    ask: str = ""
    certainty: Certainty = Certainty.STATED
    change: Change = Change.NONE
    polarity: Polarity = Polarity.POSITIVE
    value: str = ""
    split: bool = False
    scope: Literal["clause", "sentence"] = "clause"
    allow: tuple[Guard, ...] = ()
    examples: tuple[tuple[str, ...], ...] = Field(min_length=1)
    counter: tuple[str | tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Pattern:
    """A pattern of one language, compiled when it is first tried; ``origin`` is its file and number, for messages."""

    spec: PatternSpec
    language: Language
    origin: str

    @cached_property
    def match(self) -> re.Pattern[str]:
        """The expression with its word lists. Raises ``ValueError`` when it says nowhere what the value is."""
        match = re.compile(expand(self.spec.match, load_words(self.language)), re.IGNORECASE)
        if not self.spec.value and "value" not in match.groupindex:
            raise ValueError(f"{self.origin}: the expression has no group named value and no fixed value is given")
        return match

    @cached_property
    def ask(self) -> re.Pattern[str] | None:
        """What the assistant must have asked, if the pattern is for answers."""
        if not self.spec.ask:
            return None
        return re.compile(expand(self.spec.ask, load_words(self.language)), re.IGNORECASE)

    @cached_property
    def allow(self) -> frozenset[Guard]:
        """The guards that do not stop this pattern."""
        return frozenset(self.spec.allow)


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a pattern matched: the spans of the match, of the value (if fixed, the match's) and of the old one."""

    pattern: Pattern
    start: int
    end: int
    value_start: int
    value_end: int
    old_start: int = 0
    old_end: int = 0


@lru_cache(maxsize=4)
def load_patterns(language: Language) -> tuple[Pattern, ...]:
    """Read the profile patterns of one language, once."""
    patterns = []
    for file in sorted(_folder(language).iterdir(), key=lambda f: f.name):
        if not file.name.endswith(".toml") or file.name in _OTHER_FILES:
            continue
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("pattern", [])
        for number, entry in enumerate(entries):
            patterns.append(Pattern(PatternSpec(**entry), language, f"{language}/{file.name}#{number}"))
    return tuple(patterns)


def worth_trying(language: Language, text: str) -> list[Pattern]:
    """Return the patterns of a language that may match the folded ``text``; none for one over ``MAX_CHARS``."""
    if len(text) > MAX_CHARS:
        return []
    patterns = load_patterns(language)
    return [patterns[number] for number in _prefilter(language).candidates(text)]


@lru_cache(maxsize=4)
def _prefilter(language: Language) -> Prefilter:
    lists = {name: needed_by_words(words) for name, words in _vocabulary_of(language).items()}
    for name, expression in _frames_of(language).items():
        lists[name] = needed_by(expression, lists)
    return Prefilter([needed_by(pattern.spec.match, lists) for pattern in load_patterns(language)])


@lru_cache(maxsize=4)
def load_words(language: Language) -> Mapping[str, str]:
    """Return the word lists of one language, and the shared ones, each as a regular expression.

    ``vocabulary.toml`` holds lists of plain words, ``frames.toml`` expressions that may use the lists and the frames
    above them.
    """
    expressions = {name: alternation(words) for name, words in _vocabulary_of(language).items()}
    for name, expression in _frames_of(language).items():
        expressions[name] = f"(?:{expand(expression, expressions)})"
    return expressions


def _vocabulary_of(language: Language) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for folder in ("shared", language):
        for name, listed in load_vocabulary(folder).items():
            lists.setdefault(name, []).extend(listed)
    return lists


def _frames_of(language: Language) -> dict[str, str]:
    file = _folder(language).joinpath("frames.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def load_vocabulary(folder: str) -> dict[str, list[str]]:
    """Return the word lists of ``zh``, ``en`` or ``shared``, as they stand in the file; none without a file."""
    file = _folder(folder).joinpath("vocabulary.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def alternation(words: list[str]) -> str:
    """Return an expression that matches any of ``words``, the longest first.

    A Latin word matches only as a whole word, or its plural in -s. Words that are bounded alike share one tree of
    characters: it compiles and fails many times faster than a flat list.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for word in words:
        alike.setdefault((_boundary(word[0], behind=True), _boundary(word[-1])), []).append(word)
    # Words that end in a sign come first, so that "C++" is not read as "C".
    groups = sorted(alike.items(), key=lambda item: item[0][1])
    parts = [f"{before}{_tree(group)}{after}" for (before, after), group in groups]
    return f"(?:{'|'.join(parts)})"


def _tree(words: list[str]) -> str:
    """Return an expression of the words in which common beginnings are written once."""
    branches: dict[str, list[str]] = {}
    for word in words:
        if word:
            branches.setdefault(word[0], []).append(word[1:])
    if not branches:
        return ""
    parts = [re.escape(char) + _tree(rest) for char, rest in sorted(branches.items())]
    expression = parts[0] if len(parts) == 1 and "" not in words else f"(?:{'|'.join(parts)})"
    return f"{expression}?" if "" in words else expression


def _boundary(char: str, *, behind: bool = False) -> str:
    if not char.isascii() or not char.isalnum():
        return ""
    if behind:
        return "(?<![A-Za-z0-9])"
    return "s?(?![A-Za-z0-9])" if char.isalpha() and char != "s" else "(?![A-Za-z0-9])"


def expand(expression: str, words: Mapping[str, str]) -> str:
    """Put the word lists in the place of their names in braces. Raises ``KeyError`` for an unknown list."""
    return _WORD_LIST.sub(lambda name: words[name.group(1)], expression)


def run(pattern: Pattern, text: str, *, start: int = 0) -> Iterator[Hit]:
    """Yield the places where ``pattern`` matches the folded ``text``, read as if it began at ``start``."""
    rest = text[start:].lstrip(" ,，")
    shift = len(text) - len(rest)
    group = 0 if pattern.spec.value else "value"
    old = "old" if "old" in pattern.match.groupindex else None
    for found in pattern.match.finditer(rest):
        begin, end = found.span(group)
        if end > begin:
            old_start, old_end = found.span(old) if old and found[old] else (-shift, -shift)
            places = (found.start(), found.end(), begin, end, old_start, old_end)
            yield Hit(pattern, *(place + shift for place in places))


def _folder(name: str) -> Traversable:
    return files("easy_data.pipeline.extraction").joinpath("patterns", name)
