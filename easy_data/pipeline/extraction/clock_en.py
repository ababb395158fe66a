"""English times of day: at 3pm, at 15:30, half past three pm, noon, midnight."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time, timedelta

from easy_data.pipeline.extraction.local_calendar import NOON_HOUR, Span

_CLOCK = re.compile(
    r"[ ,]*(?:(?P<part>morning|afternoon|evening|night|lunchtime)\b)?(?:[ ,]*(?:at |around |about |by |@ ?)?"
    r"(?:(?P<half>half past|quarter past|quarter to) )?(?:(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?"
    r"(?: ?(?P<mark>[ap])\.?m\b\.?)?|(?P<name>noon|midday|midnight)\b))?", re.IGNORECASE,
)  # fmt: skip
_HALVES = {"half past": 30, "quarter past": 15, "quarter to": -15}
# A time that stands without a day: today's.
BARE_CLOCK = re.compile(
    r"\b(?:at |around |by )(?:(?:half|quarter) (?:past|to) )?\d{1,2}(?:[:.][0-5]\d)?(?: ?[ap]\.?m\b)"
    r"|\bat (?:noon|midnight|midday|\d{1,2}:[0-5]\d)\b", re.IGNORECASE,
)  # fmt: skip


def with_clock(text: str, position: int, span: Span) -> tuple[int, Span]:
    """Read a time of day that follows a day; return the end and the span, now an instant if an hour was said."""
    match = _CLOCK.match(text, position)
    if match is None or span.precision != "day" or span.until is not None:
        return position, span
    at = _time(match)
    if at is None:
        part = match.end("part")
        return (part if part > 0 else position), span
    later = match["name"] is not None and match["name"].lower() == "midnight"
    return match.end(), replace(span, first=span.first + timedelta(days=later), at=at, precision="instant")


def _time(match: re.Match[str]) -> time | None:
    if match["name"]:
        return time(0) if match["name"].lower() == "midnight" else time(12)
    if not match["hour"] or not (match["mark"] or match["minute"] or match["half"]):
        return None
    hour, mark, part = int(match["hour"]), (match["mark"] or "").lower(), (match["part"] or "").lower()
    if mark:
        hour = hour % 12 + (12 if mark == "p" else 0)
    elif part in ("afternoon", "evening", "night") and hour < NOON_HOUR:
        hour += 12
    minutes = hour * 60 + int(match["minute"] or 0) + _HALVES.get((match["half"] or "").lower(), 0)
    return time(*divmod(minutes, 60)) if 0 <= minutes < 24 * 60 else None
