"""What a process tried and what it was told, one JSON object a line. A killed process loses no line it has written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Journal:
    """Appends to one file; each line is handed to the system before ``write`` returns."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, what: str, **fields: Any) -> None:
        line = json.dumps({"what": what, **fields}, ensure_ascii=False) + "\n"
        os.write(self._file, line.encode())

    def close(self) -> None:
        os.close(self._file)


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what a journal holds; a line that a kill cut off is none."""
    if path.exists():
        for line in path.read_bytes().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue
