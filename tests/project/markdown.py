"""The project's pages: their code blocks, tables, headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.project.sources import ROOT, shown

_FENCE = re.compile(r"^(```+)([\w-]*)\s*$")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) (.+)$")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and where it begins."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """The block's page and line, for messages."""
        return shown(self.page, self.line)


@dataclass(frozen=True, slots=True)
class Page:
    """A page taken apart: blocks, and the prose between them with a blank line for each line of a block."""

    path: Path
    blocks: tuple[Block, ...]
    prose: str

    @property
    def headings(self) -> list[tuple[int, str]]:
        """Level and title of each heading."""
        return [(len(m[1]), m[2]) for m in map(_HEADING.match, self.prose.splitlines()) if m]

    @property
    def anchors(self) -> set[str]:
        """What a link to a heading may name, as GitHub makes it of the title."""
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for _, title in self.headings}

    @property
    def links(self) -> list[str]:
        """The targets of the page's links."""
        return _LINK.findall(self.prose)

    def rows(self, *columns: str) -> Iterator[tuple[str, ...]]:
        """Yield the rows of the tables whose header begins with ``columns``, cells stripped."""
        inside = False
        for line in self.prose.splitlines():
            cells = tuple(cell.strip().replace("\\|", "|") for cell in _CELL.split(line)[1:-1])
            if not cells:
                inside = False
            elif cells[: len(columns)] == columns:
                inside = True
            elif inside and set(cells[0]) != {"-"}:
                yield cells


@cache
def page(path: Path) -> Page:
    """Return one page taken apart. Raises ``ValueError`` when a block is not closed."""
    blocks: list[Block] = []
    prose: list[str] = []
    fence, language, begins = "", "", 0
    inside: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        opening = _FENCE.match(line)
        if fence and line.strip() == fence:
            blocks.append(Block(path, begins, language, "\n".join(inside)))
            fence, inside = "", []
        elif fence:
            inside.append(line)
        elif opening:
            fence, language, begins = opening[1], opening[2], number
        else:
            prose.append(line)
            continue
        prose.append("")
    if fence:
        raise ValueError(f"{shown(path, begins)}: the block is not closed")
    return Page(path, tuple(blocks), "\n".join(prose))


@cache
def pages() -> tuple[Page, ...]:
    """Return every page of the project, sorted."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")]
    return tuple(page(path) for path in sorted(paths))


def blocks(*languages: str) -> list[Block]:
    """Return the blocks of the named languages, of every page."""
    return [block for found in pages() for block in found.blocks if block.language in languages]
