"""The list of cases and the tests of this folder agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent
LIST = tomllib.loads((FOLDER / "cases.toml").read_text("utf-8"))


def test_every_case_is_tested_or_listed_with_a_reason() -> None:
    named = set()
    for file in FOLDER.glob("test_*.py"):
        for docstring in re.findall(r'def test_\w+\([^"]*?"""(.*?)"""', file.read_text("utf-8"), re.DOTALL):
            named |= set(re.findall(r"\bO-\d\d\b", docstring))
    assert named == set(LIST["tested"])
    assert not named & LIST["not_yet"].keys()
    assert {f"O-{number:02}" for number in range(1, 59)} == named | LIST["not_yet"].keys()


def test_the_readme_names_what_is_not_served() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert all(f"| {case} |" in readme for case in LIST["not_yet"])
