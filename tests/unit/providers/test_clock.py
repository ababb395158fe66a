from __future__ import annotations

from datetime import UTC

from easy_data.providers.clock import SystemClock


def test_the_present_is_aware_and_in_utc() -> None:
    assert SystemClock().now().tzinfo is UTC
