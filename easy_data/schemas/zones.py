"""Time zones: the one place where a zone's name becomes a zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from easy_data.schemas.errors import InputError


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """Return the IANA zone called ``name``; raise ``InputError`` when there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        raise InputError(
            f"{name!r} is not an IANA time zone; use a name such as 'Asia/Shanghai' or 'UTC'", field="time_zone"
        ) from None


def in_utc(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return ``moment`` in UTC; a naive one is read as wall time in ``zone``.

    A wall time that a clock change skips is read with the offset before the change, one that occurs twice as the
    first of the two (``fold`` = 0, PEP 495).
    """
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    return aware.astimezone(UTC)


def start_of_day(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant, in UTC, at which the local day of ``moment`` begins in ``zone``."""
    local = moment.astimezone(zone)
    midnight = datetime(local.year, local.month, local.day, tzinfo=zone)
    # Where midnight itself is skipped by a clock change the day begins at the first instant after the gap.
    shifted = midnight.astimezone(UTC).astimezone(zone)
    if shifted.date() < local.date():
        midnight += timedelta(hours=1)
    return midnight.astimezone(UTC)
