"""One memory in words, as recall hands it out: the attribute, the value, for or against."""

from __future__ import annotations

from easy_data.schemas.records import EventRecord, Language, MemoryRecord, Polarity, ProfileRecord, WorkspaceRecord
from easy_data.schemas.registry import Registry

COLON: dict[Language, str] = {"zh": "：", "en": ": "}
_DISLIKES: dict[Language, str] = {"zh": "不喜欢", "en": "dislikes"}
_NOT: dict[Language, str] = {"zh": "不是", "en": "not"}
# A restriction that does not hold is denied, not disliked.
_DENIED = ("dietary_restriction",)


def memory_text(record: MemoryRecord, registry: Registry, language: Language) -> str:
    """Return the memory as one phrase, without dates and provenance."""
    if isinstance(record, ProfileRecord):
        return fact_text(record, registry, language)
    if isinstance(record, EventRecord):
        return record.summary
    return task_text(record, language)


def fact_text(record: ProfileRecord, registry: Registry, language: Language) -> str:
    """Return "attribute: value"; a value the user is against says so ("dislikes: coriander", "不喜欢：香菜")."""
    label = registry.get(record.attr_name).label(language) if record.attr_name in registry else record.attr_name
    if record.polarity is Polarity.NEGATIVE:
        disliked = record.attr_type == "preference" and record.attr_name not in _DENIED
        label += " · " + (_DISLIKES if disliked else _NOT)[language]
    return f"{label}{COLON[language]}{record.attr_value}"


def task_text(record: WorkspaceRecord, language: Language) -> str:
    """Return the name of a task and what it is about."""
    if not record.summary or record.summary == record.task_id:
        return record.task_id
    return f"{record.task_id}{COLON[language]}{record.summary}"
