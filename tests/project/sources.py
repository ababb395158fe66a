"""The project's Python files and their syntax trees, read once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKED_FOLDERS = ("easy_data", "tests", "bench")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """Return every Python file below the folders (all checked ones when none is named), sorted."""
    found = (path for folder in folders or CHECKED_FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return tuple(sorted(path for path in found if "__pycache__" not in path.parts))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of one file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def shown(path: Path, line: int | None = None) -> str:
    """Return a path as people read it: relative to the root, with the line when given."""
    relative = path.relative_to(ROOT).as_posix()
    return relative if line is None else f"{relative}:{line}"


def functions_of(tree: ast.AST) -> Iterator[Function]:
    """Yield every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def imported_modules(node: ast.AST) -> Iterator[str]:
    """Yield the full name of each module that an import statement names; nothing for other nodes."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module


def top_level_imports(*folders: str) -> dict[str, str]:
    """Return each imported top-level module with one place that imports it."""
    found: dict[str, str] = {}
    for path in python_files(*folders):
        for node in ast.walk(tree_of(path)):
            for module in imported_modules(node):
                found.setdefault(module.partition(".")[0], shown(path, getattr(node, "lineno", None)))
    return found
