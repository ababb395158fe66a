"""Zones and the start of a local day."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from easy_data.schemas.errors import InputError
from easy_data.schemas.zones import in_utc, start_of_day, zone_of


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../UTC", "a" * 1000, "UTC\x00", None])
def test_an_unknown_zone_is_an_input_error(name: str) -> None:
    with pytest.raises(InputError, match="time_zone"):
        zone_of(name)


@pytest.mark.parametrize(
    ("zone", "moment", "begins"),
    [
        ("UTC", "2028-02-29T12:00:00+00:00", "2028-02-29T00:00:00+00:00"),
        ("Asia/Kolkata", "2025-12-31T19:00:00+00:00", "2025-12-31T18:30:00+00:00"),
        ("Europe/Berlin", "2026-03-29T12:00:00+00:00", "2026-03-28T23:00:00+00:00"),
        # clocks there go forward at midnight: the day begins at 01:00
        ("Africa/Cairo", "2026-04-24T12:00:00+00:00", "2026-04-23T22:00:00+00:00"),
        ("Pacific/Kiritimati", "2026-01-01T11:00:00+00:00", "2026-01-01T10:00:00+00:00"),
    ],
)
def test_a_local_day_begins_at_its_first_instant(zone: str, moment: str, begins: str) -> None:
    assert start_of_day(datetime.fromisoformat(moment), zone_of(zone)).isoformat() == begins


def test_aware_times_keep_their_instant_and_naive_ones_are_wall_time() -> None:
    tokyo = zone_of("Asia/Tokyo")
    assert in_utc(datetime(2026, 5, 4, 0, 20, tzinfo=UTC), tokyo) == datetime(2026, 5, 4, 0, 20, tzinfo=UTC)
    naive = datetime(2026, 5, 4, 0, 20)  # noqa: DTZ001 - naive on purpose
    assert in_utc(naive, tokyo) == datetime(2026, 5, 3, 15, 20, tzinfo=UTC)
