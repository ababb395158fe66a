"""The publisher's journal: on disk before anything is sent, gone when it is settled."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from easy_data.client import journal as module
from easy_data.client.journal import Journal
from easy_data.schemas.errors import StoreBusy, StoreClosed, StoreError
from easy_data.schemas.ids import new_id
from easy_data.schemas.publishing import Publication, PublishState, SubmissionReceipt

NOW = datetime(2026, 5, 11, 2, 0, tzinfo=UTC)
SECRET = "the-words-that-were-said"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "out" / "journal.db")
    yield opened
    opened.close()


def added(journal: Journal, body: str = SECRET) -> str:
    publication = Publication(
        id=new_id(), entity_id="ann", conversation_id="c", state=PublishState.KEPT, published_at=NOW
    )
    journal.add(publication, body)
    return publication.id


def due(journal: Journal, now: datetime = NOW) -> list[str]:
    return [each.id for each in journal.due(now, limit=10, later_than=3600)]


def test_what_was_added_is_there_for_the_next_who_opens_the_file(journal: Journal, tmp_path: Path) -> None:
    ids = [added(journal), added(journal)]
    journal.close()
    again = Journal(tmp_path / "out" / "journal.db")
    assert due(again) == ids
    assert [each.id for each in again.listed(PublishState.KEPT)] == ids
    again.close()
    with pytest.raises(StoreClosed):
        again.listed(PublishState.KEPT)


def test_what_was_sent_is_due_again_when_its_time_has_come_or_the_clock_was_set_back(journal: Journal) -> None:
    sent = added(journal)
    journal.sent(sent, again_at=(NOW + timedelta(seconds=60)).timestamp())
    assert due(journal) == []
    assert due(journal, NOW + timedelta(seconds=61)) == [sent]
    assert due(journal, NOW - timedelta(days=2)) == [sent]
    assert journal.open_ids() == [sent]


def test_the_text_of_what_was_accepted_leaves_the_file(journal: Journal, tmp_path: Path) -> None:
    accepted, refused = added(journal), added(journal, "kept")
    journal.settle({accepted: SubmissionReceipt(receipt_id=new_id()), refused: SubmissionReceipt(reason="input: bad")})
    assert [each.state for each in journal.listed(*PublishState)] == [PublishState.ACCEPTED, PublishState.REFUSED]
    assert due(journal) == []
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert SECRET.encode() not in written
    assert b"kept" in written
    # A message that was on its way when the receipt came changes nothing any more.
    journal.sent(accepted, again_at=0)
    assert due(journal) == []


def test_receipts_nobody_asks_for_are_bounded(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_RECEIPTS", 2)
    ids = [added(journal) for _ in range(4)]
    journal.settle({each: SubmissionReceipt(receipt_id=new_id()) for each in ids})
    assert [each.id for each in journal.listed(PublishState.ACCEPTED)] == ids[2:]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program's database"):
        Journal(other)
    text = tmp_path / "notes.txt"
    text.write_text("a long text that is no database at all " * 10)
    with pytest.raises(StoreError, match="another kind"):
        Journal(text)
    with pytest.raises(StoreError, match="cannot be written"):
        Journal(tmp_path)


def test_a_journal_that_another_process_holds_is_busy(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.01)
    other = Journal(tmp_path / "out" / "journal.db")
    holder = sqlite3.connect(tmp_path / "out" / "journal.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy, match="another process"):
        added(other)
    holder.execute("ROLLBACK")
    holder.close()
    added(other)
    other.close()
