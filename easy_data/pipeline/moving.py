"""Moves a whole store into another database: SQLite to PostgreSQL or back. It can be stopped anywhere and begun again.

The source is read once for a sum of every table, the sums are written into the target, the rows follow in batches, each
in one transaction with how far it went, and at the end the target is summed up alike. The source is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from threading import Event

from easy_data.pipeline.runtime import service_part
from easy_data.schemas.errors import InputError, NotFound, StoreBusy, StoreError
from easy_data.schemas.ids import checked_name
from easy_data.schemas.ports import Clock
from easy_data.stores import copying, migrate, move_record
from easy_data.stores.copying import TABLES, TableSum
from easy_data.stores.database import Connection, Database
from easy_data.stores.move_record import Step
from easy_data.stores.store_address import StoreAddress, other_users, store_address
from easy_data.stores.store_lock import StoreLock
from easy_data.stores.tables import MEMORY_TABLES

# The connection of a process that was killed is still there for a moment.
_LOOKS, _PAUSE_SECONDS = 25, 0.2
# Stands in the record for the steps that copy nothing.
_NO_ROWS = TableSum(0, "")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved: rows by table, and the memories that wait for the new index.

    ``resumed``: an earlier run had begun; ``already``: the target was a whole copy before.
    """

    source: str
    target: str
    tenants: tuple[str, ...]
    rows: dict[str, int]
    to_index: int = 0
    resumed: bool = False
    already: bool = False


@dataclass
class _Progress:
    """Counts rows towards a total, phase by phase."""

    report: Progress
    phase: str = ""
    total: int = 0
    done: int = field(default=0)

    def begin(self, phase: str, total: int, done: int = 0) -> None:
        self.phase, self.total, self.done = phase, total, done
        self.passed(0)

    def passed(self, rows: int) -> None:
        self.done += rows
        self.report(self.phase, self.done, max(self.total, self.done))


def move_store(
    source_url: str,
    target_url: str,
    *,
    clock: Clock,
    tenants: Sequence[str] = (),
    progress: Progress = lambda _phase, _done, _total: None,
    reached: Callable[[str], None] = lambda _point: None,
) -> Moved:
    """Move everything of the ``tenants``, of all when none is named, and leave the target ready to be opened.

    Neither store may be in use. The target must hold nothing of these tenants, or what a stopped run of this very move
    left there. ``progress`` is called with (phase, rows done, rows in total); ``reached`` names points passed. Raises
    ``InputError``, ``NotFound`` (no source), ``StoreLocked`` or ``StoreBusy`` (in use), or another ``StoreError``; then
    the target stays closed until the move is ended.
    """
    source = store_address(source_url, option="from")
    target = store_address(target_url, option="to")
    if source.url == target.url or (source.path and target.path and source.path.resolve() == target.path.resolve()):
        raise InputError("is the source itself", field="to")
    with ExitStack() as opened:
        move = _Move(source, target, clock, _Progress(progress), reached, opened)
        return move.run(tuple(checked_name(name, field="tenant") for name in tenants))


class _Move:
    """One move, everything opened within ``opened``."""

    def __init__(
        self,
        source: StoreAddress,
        target: StoreAddress,
        clock: Clock,
        progress: _Progress,
        reached: Callable[[str], None],
        opened: ExitStack,
    ) -> None:
        self._source, self._target = source, target
        self._clock, self._progress, self._reached = clock, progress, reached
        self._opened = opened

    def run(self, tenants: tuple[str, ...]) -> Moved:
        source, target = self._open(self._source, exists=True), self._open(self._target, exists=False)
        begun = self._begun(target)
        migrate.ensure_schema(source)
        if not begun:
            migrate.ensure_schema(target)
        tenants = tenants or self._found(source)
        sources = {name: self._for_tenant(self._source, name, source) for name in tenants}
        targets = {name: self._for_tenant(self._target, name, target) for name in tenants}
        sums = self._sums(sources, "reading")
        rows = {table.name: sum(sums[name, table.name].rows for name in tenants) for table in TABLES}
        moved = Moved(self._source.shown, self._target.shown, tenants, rows, resumed=begun)
        steps = sums | {(name, _index_step(bucket)): _NO_ROWS for name in tenants for bucket in MEMORY_TABLES}
        if begun:
            with target.read() as connection:
                done = move_record.refuse_other(connection, steps)
        elif self._holds_something(targets):
            self._refuse_other_rows(targets, sums)
            return replace(moved, already=True)
        else:
            done = 0
            with target.write() as connection:
                move_record.begin(connection, steps)
        self._reached("move.begun")
        self._copy(sources, targets, sum(rows.values()), done)
        to_index = self._queue_for_index(targets)
        self._reached("move.complete")
        self._verify(sources, targets, sums)
        self._reached("move.verified")
        with target.write() as connection:
            move_record.end(connection)
        return replace(moved, to_index=to_index)

    def _open(self, address: StoreAddress, *, exists: bool) -> Database:
        if address.path is None:
            service_part("psycopg2")
            database = self._opened.enter_context(closing(Database(address.url)))
            self._refuse_others(database, address)
            return database
        if exists and not address.path.is_file():
            raise NotFound(f"there is no store at {address.path}")
        if not address.path.absolute().parent.is_dir():
            raise NotFound(f"there is no folder {address.path.absolute().parent}; make it first")
        lock = StoreLock(address.path, remedy="close it there first")
        lock.acquire(now=self._clock.now())
        self._opened.callback(lock.release)
        return self._opened.enter_context(closing(Database.of_file(address.path)))

    def _refuse_others(self, database: Database, address: StoreAddress) -> None:
        others = 0
        for _ in range(_LOOKS):
            with database.read() as connection:
                others = other_users(connection)
            if not others:
                return
            Event().wait(_PAUSE_SECONDS)
        raise StoreBusy(
            f"{address.shown} is in use by {others} other connections of Easy Data; stop its workers and applications"
        )

    def _begun(self, target: Database) -> bool:
        with target.read() as connection:
            return move_record.exists(connection)

    def _found(self, source: Database) -> tuple[str, ...]:
        with source.read() as connection:
            found = tuple(copying.tenants(connection))
        if not found and source.dialect == "postgresql":
            raise InputError("PostgreSQL shows no tenant's rows unasked; name each tenant to be moved", field="tenant")
        return found

    def _for_tenant(self, address: StoreAddress, tenant_id: str, opened: Database) -> Database:
        """Return the database as the tenant sees it; in a file, all see all."""
        if address.path is not None:
            return opened
        return self._opened.enter_context(closing(Database(address.url, tenant_id=tenant_id)))

    def _sums(self, databases: dict[str, Database], phase: str) -> dict[tuple[str, str], TableSum]:
        total = 0
        for tenant_id, database in databases.items():
            with database.read() as connection:
                total += sum(copying.count_rows(connection, table, tenant_id) for table in TABLES)
        self._progress.begin(phase, total)
        sums = {}
        for tenant_id, database in databases.items():
            for table in TABLES:
                with database.read() as connection:
                    found = copying.sum_up(connection, table, tenant_id, passed=self._progress.passed)
                sums[tenant_id, table.name] = found
        return sums

    def _holds_something(self, targets: dict[str, Database]) -> bool:
        for tenant_id, database in targets.items():
            with database.read() as connection:
                if any(copying.count_rows(connection, table, tenant_id) for table in TABLES):
                    return True
        return False

    def _refuse_other_rows(self, targets: dict[str, Database], sums: dict[tuple[str, str], TableSum]) -> None:
        if self._sums(targets, "comparing") != sums:
            raise StoreError(f"{self._target.shown} is not empty; move into an empty database")

    def _copy(self, sources: dict[str, Database], targets: dict[str, Database], total: int, done: int) -> None:
        self._progress.begin("copying", total, done)
        for tenant_id, source in sources.items():
            for table in TABLES:
                number = -1
                while number:
                    with targets[tenant_id].write() as into:
                        step = move_record.locked_step(into, tenant_id, table.name)
                        after = copying.key_from_text(table, step.last_key) if step.last_key is not None else None
                        with source.read() as connection:
                            rows = copying.rows_after(connection, table, tenant_id, after)
                        number = len(rows)
                        if rows:
                            copying.insert_rows(into, table, rows)
                            last = copying.key_as_text(copying.key_of(table, rows[-1]))
                            move_record.advance(into, tenant_id, table.name, Step(step.done + number, last))
                        self._reached("move.copied")
                    self._progress.passed(number)

    def _queue_for_index(self, targets: dict[str, Database]) -> int:
        total = 0
        for tenant_id, target in targets.items():
            for bucket in MEMORY_TABLES:
                last: str | None = ""
                while last is not None:
                    with target.write() as into:
                        last, done = self._queue_batch(into, tenant_id, bucket)
                        self._reached("move.queued")
                total += done
        return total

    def _queue_batch(self, into: Connection, tenant_id: str, bucket: str) -> tuple[str | None, int]:
        name = _index_step(bucket)
        step = move_record.locked_step(into, tenant_id, name)
        number, last = copying.queue_for_index(into, bucket, tenant_id, step.last_key, now=self._clock.now())
        done = step.done + number
        if last is not None:
            move_record.advance(into, tenant_id, name, Step(done, last))
        return last, done

    def _verify(
        self, sources: dict[str, Database], targets: dict[str, Database], sums: dict[tuple[str, str], TableSum]
    ) -> None:
        arrived = self._sums(targets, "verifying")
        for (tenant_id, name), expected in sums.items():
            found = arrived[tenant_id, name]
            if found != expected:
                raise StoreError(
                    f"{name} of tenant {tenant_id} did not arrive as it was: {found.rows} of {expected.rows} rows, or "
                    "others; was the target written to meanwhile? Make it anew, empty, and begin again"
                )
        # A file is locked all the while; a server's rows may have been changed by somebody the server does not tell of.
        if self._source.path is None and self._sums(sources, "looking again") != sums:
            raise StoreError("the source was changed during the move; make the target anew, empty, and begin again")


def _index_step(bucket: str) -> str:
    return f"index:{bucket}"
