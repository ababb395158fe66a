"""Runs what is due: each job once for each local day or month of each entity, whoever asks and how often.

The ledger row of a window and the effect of the job are one transaction under the entity's lock. A second caller waits
for the lock and then finds the window recorded; a caller that dies leaves neither row nor effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from easy_data.pipeline.entity_write import EntityWrite, entity_write
from easy_data.pipeline.maintenance.archive import archive
from easy_data.pipeline.maintenance.effect import Effect
from easy_data.pipeline.maintenance.merge import merge
from easy_data.pipeline.maintenance.purge import purge
from easy_data.pipeline.maintenance.roll import roll
from easy_data.pipeline.maintenance.windows import Unit, Window, ended_windows
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import InputError
from easy_data.schemas.ids import Scope
from easy_data.schemas.maintenance import Job, MaintenanceReport, WindowRun
from easy_data.schemas.zones import in_utc, zone_of
from easy_data.stores.repositories import windows
from easy_data.stores.repositories.windows import Progress

# Windows of one job in one transaction: a long stop is caught up in several, and the entity is free in between.
MOST_WINDOWS = 100

JOBS: dict[Job, tuple[Unit, Callable[[EntityWrite, Window, Runtime], Effect]]] = {
    Job.ROLL: ("day", roll),
    Job.MERGE: ("day", merge),
    Job.ARCHIVE: ("month", archive),
}


class _Rehearsed(Exception):
    """What a dry run did is not to stay."""


@dataclass(frozen=True, slots=True)
class StandingClock:
    """A clock that shows one instant."""

    instant: datetime

    def now(self) -> datetime:
        """Return the instant."""
        return self.instant


def maintain(
    runtime: Runtime, now: datetime | None = None, *, dry_run: bool = False, entity_id: str | None = None
) -> MaintenanceReport:
    """Run every window that has ended by ``now`` (the clock's time when None), of one entity or of all, and purge.

    With ``dry_run`` the same is done and taken back, entity by entity: the report says what would be done. Raises
    ``InputError`` for a naive ``now``, or ``StoreError``; the windows that were done stay done then.
    """
    if now is not None:
        if now.tzinfo is None:
            raise InputError("must carry a time zone", field="now")
        now = in_utc(now, zone_of("UTC"))
    now = now or runtime.clock.now()
    # One instant for the whole call: a day that ends meanwhile is the next call's.
    runtime = replace(runtime, clock=StandingClock(now))
    number = 0
    runs: list[WindowRun] = []
    for scope in due(runtime, entity_id=entity_id):
        for run in _keep(runtime, scope, dry_run=dry_run):
            number += 1
            runs += [run] if run.counts else []
    purged: dict[str, int] = {}
    if entity_id is None:
        with suppress(_Rehearsed), runtime.database.write() as connection:
            purged = purge(connection, runtime)
            if dry_run:
                raise _Rehearsed
    return MaintenanceReport(at=now, dry_run=dry_run, windows=number, runs=runs, purged=purged)


def due(runtime: Runtime, *, entity_id: str | None = None) -> list[Scope]:
    """Return the entities of which any window has ended that is not recorded yet."""
    now = runtime.clock.now()
    with runtime.database.read() as connection:
        if entity_id is None:
            return [p.scope for p in windows.of_tenant(connection, runtime.settings.tenant_id) if _is_due(p, now)]
        progress = windows.of_entity(connection, runtime.scope(entity_id))
    return [progress.scope] if progress is not None and _is_due(progress, now) else []


def _is_due(progress: Progress, now: datetime) -> bool:
    return any(next(_ended(progress, job, now), None) is not None for job in JOBS)


def _ended(progress: Progress, job: Job, now: datetime) -> Iterator[Window]:
    unit, _ = JOBS[job]
    zone = zone_of(progress.time_zone)
    return ended_windows(unit, zone, since=progress.since, last=progress.last[job], now=now)


def _keep(runtime: Runtime, scope: Scope, *, dry_run: bool) -> Iterator[WindowRun]:
    """Run the windows of one entity, some in each transaction, until none is left."""
    while True:
        done: list[WindowRun] = []
        with suppress(_Rehearsed), entity_write(runtime, scope) as write:
            done = _run_some(write, runtime, most=None if dry_run else MOST_WINDOWS)
            if dry_run:
                raise _Rehearsed
        yield from done
        if dry_run or not done:
            return


def _run_some(write: EntityWrite, runtime: Runtime, *, most: int | None) -> list[WindowRun]:
    """Run each job's oldest windows, what is due being read again under the lock."""
    progress = windows.of_entity(write.connection, write.scope)
    if progress is None:
        return []
    done: list[WindowRun] = []
    for job, (_, work) in JOBS.items():
        for window in islice(_ended(progress, job, write.now), most):
            effect = work(write, window, runtime)
            windows.record(write.connection, write.scope, job, window.start, ran_at=write.now, counts=effect.counts)
            done.append(
                WindowRun(
                    entity_id=write.scope.entity_id,
                    job=job,
                    window=window.name,
                    window_start=window.start,
                    window_end=window.end,
                    counts=effect.counts,
                    memory_ids=effect.memory_ids,
                )
            )
    return done
