"""A file is one noun or one verb: short, and named after it."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.project.sources import ROOT, functions_of, python_files, shown, tree_of

FILE_AIM = 300
FILE_LIMIT = 500
FUNCTION_LIMIT = 60
FORBIDDEN_NAMES = re.compile(r"^_*(utils?|helpers?|common|managers?|base|core|misc|.*_v\d+)$")


def file_sizes() -> dict[str, int]:
    return {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}


def test_no_file_passes_the_limit() -> None:
    too_long = {name: lines for name, lines in file_sizes().items() if lines >= FILE_LIMIT}
    assert not too_long, f"split these: {FILE_LIMIT} lines or more"


def test_a_file_over_the_aim_is_listed_and_only_shrinks() -> None:
    listed = tomllib.loads((ROOT / "tests/project/sizes.toml").read_text(encoding="utf-8"))
    over = {name: lines for name, lines in file_sizes().items() if lines > FILE_AIM}
    assert over == listed, "tests/project/sizes.toml lists the files over the aim with their size; it may only shrink"


def test_functions_fit_on_a_screen() -> None:
    too_long = [
        f"{shown(path, function.lineno)} {function.name}: {lines} lines"
        for path in python_files()
        for function in functions_of(tree_of(path))
        if (lines := (function.end_lineno or 0) - function.lineno + 1) >= FUNCTION_LIMIT
    ]
    assert not too_long


def test_no_file_or_folder_has_a_name_that_says_nothing() -> None:
    nameless = {
        shown(path)
        for path in python_files()
        if any(FORBIDDEN_NAMES.match(part.removesuffix(".py")) for part in path.relative_to(ROOT).parts)
    }
    assert not nameless


@pytest.mark.parametrize("name", ["utils", "_helpers", "manager", "base", "misc", "memory_v2"])
def test_the_rule_knows_a_name_that_says_nothing(name: str) -> None:
    assert FORBIDDEN_NAMES.match(name)


@pytest.mark.parametrize("name", ["database", "corrections", "basement", "envelope"])
def test_the_rule_lets_a_noun_pass(name: str) -> None:
    assert not FORBIDDEN_NAMES.match(name)
