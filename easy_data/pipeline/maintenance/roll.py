"""Roll: events of low value lose their detail when they have grown old.

An event of local day E keeps its detail for ``event_retention_days`` local days after E and loses it when the last of
them has ended: with 90 days, an event at 22:30 on 1 January 2027 in Shanghai is whole until the end of 1 April there,
and rolled by the window of 1 April, which runs from 2 April 00:00 on. Hours that a clock change adds or takes do not
matter. What goes is the payload; summary, type, times, provenance and the quotes stay.
"""

from __future__ import annotations

from datetime import timedelta

from easy_data.pipeline.entity_write import EntityWrite
from easy_data.pipeline.maintenance.effect import Effect, cause_of, taken_back
from easy_data.pipeline.maintenance.windows import Window, day_begins
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.maintenance import Job
from easy_data.schemas.zones import zone_of
from easy_data.stores.repositories import timeline


def roll(write: EntityWrite, window: Window, runtime: Runtime) -> Effect:
    """Empty the payload of low-value events that the window has made old enough."""
    settings = runtime.settings
    oldest_kept = window.first - timedelta(days=settings.event_retention_days - 1)
    found = timeline.detailed(
        write.connection,
        write.scope,
        before=day_begins(oldest_kept, zone_of(write.entity.time_zone)),
        event_types=settings.low_value_events,
        below=settings.low_value_confidence,
    )
    effect = Effect()
    kept = taken_back(write, [event.id for event in found])
    for event in found:
        if event.id not in kept:
            # When it was last heard of does not change by its being put away.
            changes: dict[str, object] = {"payload": {}, "updated_at": event.updated_at}
            write.change(event, changes, cause_of(Job.ROLL, window))
            effect.add("rolled", event.id)
    return effect
