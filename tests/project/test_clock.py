"""The core never reads the wall clock: time comes from a ``Clock``, so every rule about time can be tested."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.project.sources import python_files, shown, tree_of

READS_THE_CLOCK = {
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "datetime.date.today",
    "time.time",
    "time.time_ns",
    "time.localtime",
    "time.gmtime",
    "uuid.uuid1",
}
MAY_READ_IT = ("easy_data/providers/clock.py", "easy_data/cli/")


def clock_reads(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and full name of each use of a clock function, under whatever name it was imported."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            first, _, rest = ast.unparse(node).partition(".")
            full = ".".join(filter(None, [names.get(first, ""), rest]))
            if full in READS_THE_CLOCK:
                yield node.lineno, full


def test_the_core_takes_the_time_from_a_clock() -> None:
    reads = [
        f"{shown(path, line)} {name}"
        for path in python_files("easy_data")
        if not shown(path).startswith(MAY_READ_IT)
        for line, name in clock_reads(tree_of(path))
    ]
    assert not reads


@pytest.mark.parametrize(
    "source",
    [
        "import datetime\ndatetime.datetime.now()",
        "import datetime as dt\nx = dt.datetime.now",
        "from datetime import datetime\ndatetime.utcnow()",
        "from datetime import date as day\nday.today()",
        "import time\ntime.time()",
        "from time import time\ntime()",
    ],
)
def test_the_rule_sees_a_clock_under_any_name(source: str) -> None:
    assert list(clock_reads(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    ["import time\ntime.monotonic()", "clock.now()", "from datetime import time\ntime(9, 30)", "event.time()"],
)
def test_the_rule_lets_other_time_pass(source: str) -> None:
    assert not list(clock_reads(ast.parse(source)))
