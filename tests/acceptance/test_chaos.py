"""The service under faults keeps its promises, and the harness that says so notices when it does not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.chaos.deployment import Deployment
from bench.chaos.plan import WORK_POINTS, drawn
from bench.chaos.run import run

pytestmark = pytest.mark.timeout(420)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user can reach, which those of pytest are not."""
    made = Path(tempfile.mkdtemp(prefix="chaos-"))
    yield made
    shutil.rmtree(made)


def test_a_seed_draws_the_same_faults_each_time_and_every_kind() -> None:
    plan = drawn(7, 75)
    assert plan == drawn(7, 75)
    assert plan != drawn(8, 75)
    kills = {fault.point for fault in plan["others"] if fault.action == "kill"}
    assert {*WORK_POINTS, "intake.committed"} == kills


def test_under_every_kind_of_fault_nothing_is_lost_or_done_twice(folder: Path) -> None:
    """RELIABILITY, I1 to I10, I13, I14 and I16: a short run of the harness, as ``python -m bench.chaos`` makes it."""
    result = run(Deployment(str(folder), seed=5, conversations=60, seconds=30, poison=False))
    assert result.violations == []
    assert result.figures["faults in all"] > 30
    assert result.figures["acked"] > 50


def test_the_harness_notices_a_worker_that_writes_what_it_does_not_hold(folder: Path) -> None:
    """With claim and fence taken out, a message that comes again has its effect again."""
    deployment = Deployment(
        str(folder), seed=5, conversations=24, seconds=6, poison=False, unfenced=True, drain_seconds=40
    )
    kinds = {violation.kind for violation in run(deployment, plan={}).violations}
    assert {"unexpected", "duplicate effect"} & kinds
