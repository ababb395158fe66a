"""Makes messages from anywhere uniform: OpenAI dictionaries or objects in, clean ``Message`` records out.

Nothing here fails because of one odd message; what was changed is counted and stands in the receipt's notes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from easy_data.pipeline.redaction import redact
from easy_data.schemas.conversation import Message, Role
from easy_data.schemas.zones import in_utc

_ROLES = {"user", "assistant", "system", "developer", "tool"}
_ALIASES = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant", "function": "tool"}
_TIME_FIELDS = ("said_at", "timestamp", "created_at", "time")
_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])
# Signs without width or meaning, with which a word can be hidden from whoever looks for it.
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EPOCH_MILLISECONDS = 1e11
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


def normalise(messages: Sequence[object], zone: ZoneInfo) -> tuple[tuple[Message, ...], dict[str, int]]:
    """Return the messages made uniform and a count of each kind of change."""
    notes: Counter[str] = Counter()
    return tuple(_message(raw, zone, notes) for raw in messages), dict(notes)


def clean_text(text: str, notes: Counter[str] | None = None) -> str:
    """Return ``text`` without NUL, control, bidi override and invisible signs; broken surrogates become U+FFFD."""
    counts = notes if notes is not None else Counter()
    if _SURROGATE.search(text):
        # A pair that was split over two escapes is one character; only what stays alone is broken.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        counts["broken_surrogate"] += 1
    found, dropped = _CONTROL.subn("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if dropped:
        counts["control_dropped"] += dropped
    plain = found.translate(_BIDI)
    if len(plain) != len(found):
        counts["bidi_dropped"] += len(found) - len(plain)
    plain, hidden = _INVISIBLE.subn("", plain)
    if hidden:
        counts["invisible_dropped"] += hidden
    return unicodedata.normalize("NFC", plain)


def text_bytes(raw: object) -> int:
    """Return how many bytes of UTF-8 text ``normalise`` would read of a message."""
    fields = raw if isinstance(raw, Mapping) else _of_object(raw)
    if fields is None:
        return 0
    texts = (_content(fields.get("content"), Counter()), str(fields.get("name") or ""))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def read_instant(value: object, zone: ZoneInfo) -> datetime | None:
    """Return an instant in UTC from a datetime, ISO text, or epoch seconds or milliseconds; None if it is none.

    A naive value is wall time in ``zone``.
    """
    try:
        if isinstance(value, datetime):
            return _plausible(in_utc(value, zone))
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            return _plausible(datetime.fromtimestamp(value / 1000 if abs(value) > _EPOCH_MILLISECONDS else value, UTC))
        text = str(value).strip()
        if re.fullmatch(r"\d{9,14}(\.\d+)?", text):
            return read_instant(float(text), zone)
        return _plausible(in_utc(datetime.fromisoformat(text), zone))
    except (ValueError, OverflowError, OSError):
        return None


def _plausible(moment: datetime) -> datetime | None:
    return moment if _EARLIEST <= moment < _LATEST else None


def _message(raw: object, zone: ZoneInfo, notes: Counter[str]) -> Message:
    fields = raw if isinstance(raw, Mapping) else _of_object(raw)
    if fields is None:
        notes["bad_message"] += 1
        return Message(role="other", content="")
    content = clean_text(_content(fields.get("content"), notes), notes)
    if not content and fields.get("tool_calls"):
        content = "[tool_calls]"
    redacted = redact(content)
    for kind, number in redacted.counts.items():
        notes[f"secret_{kind}"] += number
    return Message(
        role=_role(fields.get("role"), notes),
        content=redacted.text,
        name=clean_text(str(fields.get("name") or ""))[:200],
        said_at=_said_at(fields, zone, notes),
    )


def _of_object(raw: object) -> Mapping[str, Any] | None:
    if hasattr(raw, "role") and hasattr(raw, "content"):
        names = ("role", "content", "name", "tool_calls", *_TIME_FIELDS)
        return {name: getattr(raw, name, None) for name in names}
    return None


def _role(value: object, notes: Counter[str]) -> Role:
    name = str(value or "").strip().lower()
    name = _ALIASES.get(name, name)
    if name not in _ROLES:
        notes["unknown_role"] += 1
        return "other"
    return cast("Role", name)


def _content(content: object, notes: Counter[str]) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence):
        notes["odd_content"] += 1
        return ""
    parts = [_part(part, notes) for part in content]
    # What was said stays in one piece; the marks of what cannot be read stand behind it.
    return " ".join(text for text, _ in sorted(parts, key=lambda part: part[1]) if text)


def _part(part: object, notes: Counter[str]) -> tuple[str, bool]:
    """Return the text of a part, or a mark for it, and if it is a mark."""
    if isinstance(part, str):
        return part, False
    fields = part if isinstance(part, Mapping) else getattr(part, "__dict__", {})
    kind = str(fields.get("type") or "part")
    text = fields.get("text")
    if kind in ("text", "input_text", "output_text") and isinstance(text, str):
        return text, False
    notes["part_replaced"] += 1
    # "image_url" and its like become "[image]": a typed mark, never the data.
    short = re.sub(r"[^a-z]", "", kind.lower().removeprefix("input_").split("_")[0])
    return f"[{short or 'part'}]", True


def _said_at(fields: Mapping[str, Any], zone: ZoneInfo, notes: Counter[str]) -> datetime | None:
    for name in _TIME_FIELDS:
        value = fields.get(name)
        if value is None:
            continue
        moment = read_instant(value, zone)
        if moment is None:
            notes["bad_timestamp"] += 1
        elif _is_naive(value):
            notes["naive_timestamp"] += 1
        return moment
    return None


def _is_naive(value: object) -> bool:
    if isinstance(value, datetime):
        return value.tzinfo is None
    return (
        isinstance(value, str)
        and not re.search(r"(Z|[+-]\d\d:?\d\d)\s*$", value.strip(), re.IGNORECASE)
        and not value.strip().isdigit()
    )
