"""The service under faults keeps its promises, and the harness that says so notices when it does not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.chaos.deployment import Deployment
from bench.chaos.plan import WORK_POINTS, Fault, drawn
from bench.chaos.run import run

pytestmark = pytest.mark.timeout(420)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user can reach, which those of pytest are not."""
    made = Path(tempfile.mkdtemp(prefix="chaos-"))
    yield made
    shutil.rmtree(made)


def trap(at: float, point: str, action: str) -> Fault:
    return Fault(at, "trap", point, action)


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


def test_the_harness_notices_a_worker_that_writes_what_it_no_longer_holds(folder: Path) -> None:
    """With the fence taken out, a worker that stood still past its lease goes on when another has done its work."""
    stops = [trap(0, "extract.done", "stop"), trap(1, "extract.done", "stop")]
    deployment = Deployment(
        str(folder), seed=5, conversations=24, seconds=6, poison=False, unfenced=True, drain_seconds=40
    )
    result = run(deployment, plan={"others": stops})
    assert result.figures["faults"] == {"stop at extract.done": 2}
    assert {"unexpected", "duplicate effect"} & {violation.kind for violation in result.violations}
