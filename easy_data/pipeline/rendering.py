"""Memories as text for the index: what is searched, never what is shown."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from easy_data.pipeline.wording import fact_value
from easy_data.schemas.records import EventRecord, MemoryRecord, ProfileRecord
from easy_data.schemas.registry import Registry
from easy_data.schemas.zones import zone_of


def searchable(record: MemoryRecord, registry: Registry, time_zone: str = "UTC") -> str:
    """Return what a query should find a memory by: its words, its attribute's names, and its date's words."""
    if isinstance(record, ProfileRecord):
        names = ""
        if record.attr_name in registry:
            attribute = registry.get(record.attr_name)
            names = f"{attribute.label('zh')} {attribute.label('en')}"
        language = "zh" if any("\u4e00" <= c <= "\u9fff" for c in record.attr_value) else "en"
        return f"{names}: {fact_value(record, 'zh' if language == 'zh' else 'en')}"
    if isinstance(record, EventRecord):
        return f"{record.summary} {date_words(record, zone_of(time_zone))}".strip()
    upcoming = record.state.get("next") or ""
    return f"{record.task_id} {record.summary} {upcoming if isinstance(upcoming, str) else ''}".strip()


def date_words(record: EventRecord, zone: ZoneInfo) -> str:
    """Return the words of an event's local date, in both languages."""
    if record.happened_at is None:
        return ""
    local = record.happened_at.astimezone(zone)
    return f"({local.day} {local:%B} {local.year}, {local:%A}; {local.year}年{local.month}月{local.day}日)"
