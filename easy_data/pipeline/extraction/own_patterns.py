"""The patterns that an application gave its own attributes, tried beside the built-in ones."""

from __future__ import annotations

import re
from functools import lru_cache

from easy_data.pipeline.extraction.matching import MAX_CHARS, Pattern, PatternSpec, expand, load_words, worth_trying
from easy_data.pipeline.extraction.prefilter import Prefilter, needed_by
from easy_data.schemas.errors import SettingsError
from easy_data.schemas.records import Language
from easy_data.schemas.registry import Registry


class OwnPatterns:
    """The patterns of one registry's attributes. Raises ``SettingsError`` for one that cannot be used."""

    def __init__(self, registry: Registry) -> None:
        self._patterns: dict[Language, list[Pattern]] = {}
        for attribute in registry:
            for language, expressions in attribute.patterns.items():
                for expression in expressions:
                    pattern = _checked(attribute.name, language, expression)
                    self._patterns.setdefault(language, []).append(pattern)
        self._prefilters = {
            language: Prefilter([needed_by(pattern.spec.match) for pattern in patterns])
            for language, patterns in self._patterns.items()
        }

    def worth_trying(self, language: Language, text: str) -> list[Pattern]:
        """Return the patterns, built in or not, that may match the folded ``text``; none for an over-long one."""
        found = worth_trying(language, text)
        if language in self._prefilters and len(text) <= MAX_CHARS:
            own = self._patterns[language]
            found += [own[number] for number in self._prefilters[language].candidates(text)]
        return found


@lru_cache(maxsize=8)
def own_patterns(registry: Registry) -> OwnPatterns:
    """Return the patterns of a registry, compiled once."""
    return OwnPatterns(registry)


def _checked(name: str, language: Language, expression: str) -> Pattern:
    where = f"attribute {name!r}: the {language} pattern {expression!r}"
    try:
        expanded = expand(expression, load_words(language))
        named = re.compile(expanded).groupindex
    except re.error as error:
        raise SettingsError(f"{where} is no regular expression: {error}") from None
    except KeyError as error:
        raise SettingsError(f"{where} names a word list that does not exist: {error}") from None
    if "value" not in named:
        raise SettingsError(f"{where} has no group that says what the value is; write (?P<value>...)")
    # Its examples are the application's to keep: here the expression stands for them.
    return Pattern(PatternSpec(attr=name, match=expanded, examples=((expression,),)), language, f"{name}/{language}")
