"""Beat's schedule: one tick a minute, in UTC. What is due at a tick is worked out in SQL, in each entity's zone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

TICK = timedelta(minutes=1)
# A tick that waited longer than this is followed by another one anyway.
_EXPIRES_SECONDS = 55


def beat_schedule(tenant_id: str) -> dict[str, dict[str, Any]]:
    """Return what beat sends at each tick."""
    return {
        name: {
            "task": name,
            "schedule": TICK,
            "kwargs": {"tenant_id": tenant_id},
            "options": {"expires": _EXPIRES_SECONDS},
        }
        for name in ("easy_data.sweep", "easy_data.maintain")
    }
