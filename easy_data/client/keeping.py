"""Keeping memory right: review, history, correction, forgetting, export, diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from easy_data.client.part import Part
from easy_data.pipeline import correcting, diagnosis, exporting, forgetting, insight, reviewing
from easy_data.pipeline.apply import Written
from easy_data.pipeline.maintenance.maintain import maintain
from easy_data.pipeline.rescan import rescan
from easy_data.schemas.checking import checked_instant, checked_limit
from easy_data.schemas.errors import InputError
from easy_data.schemas.ids import checked_name
from easy_data.schemas.insight import Check, Explanation
from easy_data.schemas.maintenance import MaintenanceReport
from easy_data.schemas.receipts import ErasureReceipt
from easy_data.schemas.records import MemoryRecord, Revision
from easy_data.schemas.review import Decision, ReviewItem


class Keeping(Part):
    """The methods of ``EasyMemory`` that look after memory."""

    def pending_review(self, entity_id: str | None = None, *, limit: int = 200) -> list[ReviewItem]:
        """Return the changes that wait, of one entity or of all, the oldest first."""
        if entity_id is not None:
            checked_name(entity_id, field="entity_id")
        return reviewing.pending(self._runtime, entity_id, limit=checked_limit(limit))

    def review(
        self, item_id: str, decision: Decision, *, value: str | None = None, by: str = "reviewer", note: str = ""
    ) -> Written:
        """Approve, edit (with ``value``) or reject a waiting change.

        Raises ``NotFound``, ``InputError``, or ``StaleReview`` when the memory changed after the proposal.
        """
        if decision not in ("approve", "edit", "reject"):
            raise InputError("must be approve, edit or reject", field="decision")
        written = reviewing.decide(self._runtime, item_id, decision, value=value, by=by, note=note)
        self._background.relay()
        return written

    def history(self, entity_id: str, memory_id: str) -> list[Revision]:
        """Return every change of a memory, the oldest first."""
        return insight.revisions(self._runtime, checked_name(entity_id, field="entity_id"), memory_id)

    def explain(self, entity_id: str, memory_id: str) -> Explanation:
        """Return why a memory is there: evidence, history, fates, uses. Raises ``NotFound``."""
        return insight.explain(self._runtime, checked_name(entity_id, field="entity_id"), memory_id)

    def correct(self, entity_id: str, memory_id: str, *, by: str = "user", **changes: Any) -> MemoryRecord:
        """Set fields of a memory right; the old form stays in its history. Raises ``NotFound`` or ``InputError``."""
        name = checked_name(entity_id, field="entity_id")
        record = correcting.correct(self._runtime, name, memory_id, changes, by=by)
        self._background.relay()
        return record

    def undo(self, entity_id: str, revision_id: str, *, by: str = "user") -> MemoryRecord | None:
        """Undo the newest change of a memory. Raises ``NotFound`` or ``InputError``."""
        record = correcting.undo(self._runtime, checked_name(entity_id, field="entity_id"), revision_id, by=by)
        self._background.relay()
        return record

    def forget(
        self,
        entity_id: str,
        *,
        memory_id: str | None = None,
        conversation_id: str | None = None,
        everything: bool = False,
    ) -> ErasureReceipt:
        """Erase one memory, one conversation, or with ``everything`` all of an entity; effective when it returns."""
        checked_name(entity_id, field="entity_id")
        if [memory_id is not None, conversation_id is not None, everything].count(True) != 1:
            raise InputError("name one of memory_id, conversation_id or everything=True")
        if memory_id is not None:
            receipt = forgetting.forget_memory(self._runtime, entity_id, memory_id)
        elif conversation_id is not None:
            receipt = forgetting.forget_conversation(self._runtime, entity_id, conversation_id)
        else:
            receipt = forgetting.forget_entity(self._runtime, entity_id)
        self._background.relay()
        return receipt

    def verify_erasure(self, entity_id: str) -> dict[str, int]:
        """Count what each store still holds of an entity; all zero after everything was forgotten."""
        return forgetting.verify_erasure(self._runtime, checked_name(entity_id, field="entity_id"))

    def export(self, entity_id: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield everything kept, of one entity or of all, as JSON objects: memories, evidence, history, questions."""
        return exporting.export(self._runtime, entity_id)

    def reindex(self, *, repair: bool = False, progress: Callable[[int, int], None] | None = None) -> int:
        """Rebuild the vector index from SQL and return how many memories it holds.

        ``repair`` writes only where the two differ. In the service recall works meanwhile, and an index of another
        embedding model than the settings name is changed to theirs. ``progress`` is called with (done, total).
        """
        return self._background.rebuild(progress, repair=repair)

    def maintain(
        self, *, now: datetime | None = None, dry_run: bool = False, entity_id: str | None = None
    ) -> MaintenanceReport:
        """Run the jobs of every local day and month that has ended: roll, merge, archive; and purge.

        Calling it again changes nothing: each window is done once. ``dry_run`` changes nothing and reports the same.
        Raises ``InputError`` for a naive ``now`` or an id that cannot be one.
        """
        if entity_id is not None:
            checked_name(entity_id, field="entity_id")
        report = maintain(self._runtime, checked_instant(now, field="now"), dry_run=dry_run, entity_id=entity_id)
        if not dry_run:
            self._background.relay()
        return report

    def rescan(self, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None) -> dict[str, int]:
        """Take out secrets that were kept before today's rules knew them; return how many rows held one, by kind.

        A second run finds nothing. ``dry_run`` changes nothing; ``progress`` is called with (done, total), in entities.
        """
        found = rescan(self._runtime, dry_run=dry_run, progress=progress)
        if not dry_run:
            self._background.relay()
        return found

    def diagnose(self) -> list[Check]:
        """Look at every part and return what was found, with remedies."""
        return diagnosis.diagnose(self._runtime, failure=self._background.failure, notice=self._background.notice)
