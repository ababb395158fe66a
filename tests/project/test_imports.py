"""Imports stand at the top, name the package, and point down. (Which way is down: the contracts in pyproject.toml.)"""

from __future__ import annotations

import ast

from tests.project.sources import ROOT, functions_of, imported_modules, python_files, shown, tree_of

DOORS = ("pipeline", "schemas", "workers")


def test_no_import_is_hidden_in_a_function() -> None:
    hidden = {
        shown(path, node.lineno)
        for path in python_files()
        for function in functions_of(tree_of(path))
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert not hidden


def test_the_folders_at_the_root_are_links_into_the_package() -> None:
    targets = {name: (ROOT / name).readlink().as_posix() for name in DOORS}
    assert targets == {name: f"easy_data/{name}" for name in DOORS}


def test_nothing_imports_through_the_links() -> None:
    through = {
        shown(path, getattr(node, "lineno", None))
        for path in python_files()
        for node in ast.walk(tree_of(path))
        for module in imported_modules(node)
        if module.partition(".")[0] in DOORS
    }
    assert not through
