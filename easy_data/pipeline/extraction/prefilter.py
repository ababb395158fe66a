"""Which expressions can match a text at all: an index over the letters that each of them cannot do without.

A clause meets some four hundred patterns and matches one or two. Each expression is parsed once, its word lists left
out; of what every match of it must contain, the rarest set of short strings is kept. A text is then tried only with the
expressions of which it holds such a string. What is skipped could not have matched, and is not even compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from re import _parser  # type: ignore[attr-defined]  # the only parser of expressions there is; it has no public name
from typing import Any

Needed = frozenset[str] | None

_LIST = re.compile(r"\{([a-z_]+)\}")
# A list stands in its expression as one character of the private use area, counted from here.
_FIRST_LIST = 0xE000
_LONGEST = 3
# Rough chances that a clause holds a given string, by its length; an ideograph says about as much as three letters.
_LATIN_CHANCE = {1: 0.6, 2: 0.12, 3: 0.01}
_IDEOGRAPH_CHANCE = {1: 0.02, 2: 0.001, 3: 0.0005}


class Prefilter:
    """Tells which of some expressions are worth running on a text."""

    def __init__(self, needs: Sequence[Needed]) -> None:
        self._always: list[int] = []
        self._holders: dict[str, list[int]] = {}
        for number, needed in enumerate(needs):
            if needed is None:
                self._always.append(number)
            for string in needed or ():
                self._holders.setdefault(string, []).append(number)

    def candidates(self, text: str) -> list[int]:
        """Return, in order, the numbers of the expressions that may match ``text``."""
        lower = text.lower()
        found = set(self._always)
        for length in range(1, _LONGEST + 1):
            for start in range(len(lower) - length + 1):
                found.update(self._holders.get(lower[start : start + length], ()))
        return sorted(found)


def needed_by(expression: str, lists: Mapping[str, Needed] | None = None) -> Needed:
    """Return short strings, in lower case, one of which every match contains; None when there is no such set.

    ``lists`` are the needed strings of what ``{name}`` in the expression stands for.
    """
    known = dict(lists or {})
    names = list(known)
    plain = _LIST.sub(lambda found: chr(_FIRST_LIST + names.index(found.group(1))), expression)
    return _Reader([known[name] for name in names]).of_sequence(_parser.parse(plain, re.IGNORECASE))


def needed_by_words(words: Iterable[str]) -> Needed:
    """Return short strings, in lower case, one of which each of ``words`` contains."""
    return frozenset(min(_pieces(word.lower()), key=_chance) for word in words)


class _Reader:
    """Walks a parsed expression."""

    def __init__(self, lists: Sequence[Needed]) -> None:
        self._lists = lists

    def of_sequence(self, nodes: Iterable[Any]) -> Needed:
        """Return the rarest set among those of the parts that follow each other; each of them is needed."""
        best: Needed = None
        run = ""
        for operator, value in [*nodes, (None, None)]:
            in_list = str(operator) == "LITERAL" and 0 <= value - _FIRST_LIST < len(self._lists)
            if str(operator) == "LITERAL" and not in_list:
                run += chr(value).lower()
                continue
            if run:
                best = _rarer(best, frozenset({min(_pieces(run), key=_chance)}))
                run = ""
            if in_list:
                best = _rarer(best, self._lists[value - _FIRST_LIST])
            elif operator is not None:
                best = _rarer(best, self._of_node(str(operator), value))
        return best

    def _of_node(self, operator: str, value: Any) -> Needed:
        if operator == "SUBPATTERN":
            return self.of_sequence(value[-1])
        if operator == "ATOMIC_GROUP":
            return self.of_sequence(value)
        if operator == "ASSERT":
            return self.of_sequence(value[1])
        if operator in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            return self.of_sequence(value[2]) if value[0] > 0 else None
        if operator == "BRANCH":
            return _of_any(self.of_sequence(branch) for branch in value[1])
        if operator == "IN":
            return _of_any(self.of_sequence([item]) if str(item[0]) == "LITERAL" else None for item in value)
        return None


def _of_any(sets: Iterable[Needed]) -> Needed:
    union: set[str] = set()
    for needed in sets:
        if needed is None:
            return None
        union |= needed
    return frozenset(union)


def _pieces(run: str) -> list[str]:
    length = min(len(run), _LONGEST)
    return [run[start : start + length] for start in range(len(run) - length + 1)]


def _chance(string: str) -> float:
    return (_LATIN_CHANCE if string.isascii() else _IDEOGRAPH_CHANCE)[len(string)]


def _rarer(one: Needed, other: Needed) -> Needed:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other, key=lambda needed: sum(map(_chance, needed)))
