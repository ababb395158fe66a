"""The thread of embedded mode: works the inbox off, feeds the index, warms summaries, writes the recall log."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

from easy_data.pipeline.inbox import LONGEST_WAIT_SECONDS, work_one
from easy_data.pipeline.indexing import rebuild, relay
from easy_data.pipeline.maintenance.maintain import maintain
from easy_data.pipeline.recall.summary import build_summary
from easy_data.pipeline.reconcile import reconcile
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import EasyDataError, StoreClosed
from easy_data.schemas.log import get_logger
from easy_data.stores.repositories import claims, conversations, logs, memories, outbox

log = get_logger(__name__)

IDLE_SECONDS = 30.0
AFTER_FAILURE_SECONDS = 1.0
# A process that only looks in for a moment is not held up by maintenance.
FIRST_MAINTENANCE = timedelta(minutes=1)
BETWEEN_MAINTENANCE = timedelta(hours=1)


class Background:
    """One worker thread over one runtime. It finishes at the next start what this process leaves unfinished."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._progress = threading.Condition()
        self._relaying = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="easy-data", daemon=True)
        # What the doctor tells: the last pass's error while it lasts, and what was mended at the start.
        self.failure = ""
        self.notice = ""
        self._rebuilt = False
        self._maintain_at = runtime.clock.now() + FIRST_MAINTENANCE

    def start(self) -> None:
        """Free what an ended process left leased, and begin."""
        self._free()
        self._thread.start()
        self.wake()

    def wake(self) -> None:
        """Say that there is something to do."""
        self._woken.set()

    def stop(self, *, timeout: float) -> None:
        """End after the conversation in hand; what is left goes on at the next start."""
        self._stopping.set()
        self._woken.set()
        self._thread.join(timeout)
        # Whoever still waits would wait for ever: nobody works here any more.
        self._ended.set()
        self._announce()

    def relay(self) -> None:
        """Bring the index up to date now, on the caller's thread.

        What the caller wrote is durable already, so an outage of the index or the embedder is no error of this call:
        the thread goes on trying, and recall reads SQL meanwhile.
        """
        try:
            self._relay()
        except EasyDataError as error:
            self._failed(error.code)
            self.wake()

    def rebuild(self, progress: Callable[[int, int], None] | None = None, *, repair: bool = False) -> int:
        """Empty the index and fill it from SQL, on the caller's thread; return how many memories it holds.

        With ``repair`` only what differs is written.
        """
        with self._relaying:
            if repair:
                return reconcile(self._runtime, progress=progress).checked
            return rebuild(self._runtime, progress=progress)

    def wait_until(self, done: Callable[[], bool], *, timeout: float | None) -> bool:
        """Wait until ``done()`` holds, looking again whenever the thread got something done.

        Raises ``StoreClosed`` when the memory is closed meanwhile.
        """
        with self._progress:
            self._progress.wait_for(lambda: done() or self._ended.is_set(), timeout)
        # Asked again: of two waiters one may have seen the end, the other the work that was done last.
        if done():
            return True
        if self._ended.is_set():
            raise StoreClosed
        return False

    @property
    def rebuilding(self) -> bool:
        """Tell if the index does not hold everything of SQL yet."""
        return not self._rebuilt

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            try:
                self._work()
                self.failure = ""
                wait = self._idle_seconds()
            except EasyDataError as error:
                self._failed(error.code)
                wait = AFTER_FAILURE_SECONDS
            except Exception as error:  # noqa: BLE001 - the thread must outlive a fault; doctor and the log show it
                self._failed(type(error).__name__)
                wait = AFTER_FAILURE_SECONDS
            self._announce()
            self._woken.wait(wait)

    def _work(self) -> None:
        # Dedupe asks the index, so an index with gaps is filled before anything else is done.
        self._rebuild_if_needed()
        while not self._stopping.is_set():
            worked = work_one(self._runtime)
            self._relay()
            self._announce()
            if not worked:
                break
        self._keep_log()
        self._maintain_if_due()

    def _maintain_if_due(self) -> None:
        now = self._runtime.clock.now()
        if now >= self._maintain_at and not self._stopping.is_set():
            self._maintain_at = now + BETWEEN_MAINTENANCE
            maintain(self._runtime)
            self._relay()

    def _relay(self) -> None:
        with self._relaying:
            for scope in relay(self._runtime):
                build_summary(self._runtime, scope)

    def _keep_log(self) -> None:
        if self._runtime.recalls.flush():
            oldest = self._runtime.clock.now() - timedelta(days=self._runtime.settings.recall_log_days)
            with self._runtime.database.write() as connection:
                logs.purge_recalls(connection, before=oldest)

    def _rebuild_if_needed(self) -> None:
        """Fill an index that is new or was damaged from SQL; meanwhile recall works with what there is."""
        if self._rebuilt:
            return
        reason = self._runtime.index.state().rebuilt_reason or self._gaps()
        number = self.rebuild() if reason else 0
        self._rebuilt = True
        if number:
            self.notice = f"{number} memories were indexed anew: {reason}"
            log.info("index.rebuilt", reason=reason, memories=number)

    def _gaps(self) -> str:
        """Return what is wrong when the index opened well but holds less than it should, as after a lost segment."""
        with self._runtime.database.read() as connection:
            expected = memories.count_all(connection) - outbox.count_all(connection)
        held = self._runtime.index.state().points
        return f"it held {held} of {expected} memories" if held < expected else ""

    def _idle_seconds(self) -> float:
        with self._runtime.database.read() as connection:
            due = conversations.next_due_at(connection, self._runtime.settings.tenant_id)
        if due is None:
            return IDLE_SECONDS
        wait = (due - self._runtime.clock.now()).total_seconds()
        if wait > LONGEST_WAIT_SECONDS:
            self._free()
        return min(IDLE_SECONDS, max(0.01, wait))

    def _free(self) -> None:
        """Free what an ended process left leased, and what a clock that was set back would keep waiting."""
        with self._runtime.database.write() as connection:
            now = self._runtime.queue_time(connection)
            latest = now + timedelta(seconds=LONGEST_WAIT_SECONDS)
            claims.drop_leases(connection, self._runtime.settings.tenant_id, now=now, latest=latest)

    def _failed(self, what: str) -> None:
        self.failure = what
        log.error("background.failed", error=what)

    def _announce(self) -> None:
        with self._progress:
            self._progress.notify_all()
