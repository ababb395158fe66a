"""Sentences for people: memories in plain words, and the questions an agent can ask. Chinese and English."""

from __future__ import annotations

from easy_data.schemas.candidates import Change
from easy_data.schemas.records import EventRecord, Language, MemoryRecord, Polarity, ProfileRecord
from easy_data.schemas.registry import Registry

_DISLIKES = {"zh": "不喜欢{value}", "en": "not {value}"}
_QUESTIONS: dict[str, dict[str, str]] = {
    "replace": {
        "zh": "您之前说{label}是“{old}”，后来提到“{new}”。现在是“{new}”吗？",
        "en": 'You told me earlier that your {label} is "{old}"; later you mentioned "{new}". Is it "{new}" now?',
    },
    "ended": {
        "zh": "您之前说{label}是“{new}”，后来好像变了。现在不再是“{new}”了，对吗？",
        "en": 'You told me earlier that your {label} is "{new}"; that seems to have ended. Is it over now?',
    },
    "new": {
        "zh": "您提到过{label}是“{new}”，我可以记下来吗？",
        "en": 'You mentioned that your {label} is "{new}". Shall I remember that?',
    },
    "other": {
        "zh": "您提到过：“{new}”。我可以记下来吗？",
        "en": 'You mentioned: "{new}". Shall I remember that?',
    },
}


def fact_value(record: ProfileRecord, language: Language) -> str:
    """Return the value as it reads, with its polarity."""
    if record.polarity is Polarity.POSITIVE:
        return record.attr_value
    return _DISLIKES[language].format(value=record.attr_value)


def plain(record: MemoryRecord) -> str:
    """Return the words of a record that say what it is."""
    if isinstance(record, ProfileRecord):
        return f"{record.attr_name} = {record.attr_value}"
    return record.summary if isinstance(record, EventRecord) else record.summary or record.task_id


def question(record: MemoryRecord, change: Change, current: str | None, registry: Registry, language: Language) -> str:
    """Return the question that settles a waiting change; yes means that the proposal is right."""
    if not isinstance(record, ProfileRecord) or record.attr_name not in registry:
        return _QUESTIONS["other"][language].format(new=plain(record))
    kind = "ended" if change is Change.ENDED else "replace" if current is not None else "new"
    return _QUESTIONS[kind][language].format(
        label=registry.get(record.attr_name).label(language), old=current, new=fact_value(record, language)
    )
