"""A killed process loses no accepted conversation and applies none twice, whatever point the kill hits."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from easy_data import EasyMemory
from easy_data.pipeline.indexing import drift
from easy_data.pipeline.runtime import build_runtime
from easy_data.schemas.candidates import Fate
from easy_data.schemas.ports import Embedder
from easy_data.schemas.receipts import Outcome
from easy_data.schemas.settings import Settings
from tests.fixtures.doomed import POINTS, SAID

ROOT = Path(__file__).parents[2]


def die(path: Path, journal: Path, point: str) -> int:
    """Run the doomed process, which one conversation brings past the point unharmed; return how it ended."""
    arguments = [str(path), str(journal), point, "2"]
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.fixtures.doomed", *arguments], cwd=ROOT, timeout=50, check=False
    ).returncode


def reopened(path: Path, embedder: Embedder) -> EasyMemory:
    return EasyMemory.over(build_runtime(Settings(path=path), embedder=embedder))


def check_applied_once(memory: EasyMemory) -> None:
    """Everything that was said stands there once, with one piece of evidence and one revision a conversation."""
    stored = [m for entity in ("ann", "bob") for m in (*memory.profile(entity), *memory.events(entity))]
    sources = {}
    for record in stored:
        explained = memory.explain(record.entity_id, record.id)
        said_in = tuple(e.conversation_id for e in explained.evidence)
        assert (len(explained.revisions), len(explained.fates)) == (len(said_in), len(said_in))
        sources[getattr(record, "attr_name", "event")] = said_in
    assert len(stored) == len(sources)
    assert sources == {
        "location": ("c1", "c4"),
        "dietary_restriction": ("c2",),
        "pet": ("c3",),
        "event": ("c5",),
    }


@pytest.mark.parametrize("point", POINTS)
def test_a_process_killed_at_any_point_loses_nothing_and_repeats_nothing(
    point: str, tmp_path: Path, embedder: Embedder
) -> None:
    """RELIABILITY: every accepted conversation is settled once, whichever commit the kill falls behind."""
    path, journal = tmp_path / "memory.db", tmp_path / "receipts"
    assert die(path, journal, point) == -signal.SIGKILL
    accepted = journal.read_text("utf-8").split() if journal.exists() else []

    with reopened(path, embedder) as memory:
        assert memory.flush(30)
        for receipt in accepted:
            status = memory.receipt(receipt).status()
            assert (status.outcome, len(status.fates)) == (Outcome.WRITTEN, 1)
        # An agent that got no receipt sends its conversation again, and so does one that is not sure.
        again = [memory.end_conversation(e, [{"role": "user", "content": t}], conversation_id=n) for n, e, t in SAID]
        assert [r.id for r in again if r.id in accepted] == accepted
        assert all(r.duplicate for r in again if r.id in accepted)
        assert memory.flush(30)
        assert [r.fates[0].fate for r in again] == [
            Fate.WRITTEN,
            Fate.WRITTEN,
            Fate.WRITTEN,
            Fate.MERGED,
            Fate.WRITTEN,
        ]
        check_applied_once(memory)
        assert drift(memory._runtime) == 0
        assert memory.dead_letters() == []
