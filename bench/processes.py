"""What a process and all it started have used, as the system counts it (Linux)."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, its children, and those of them that have ended; of this one, its own."""
    if pid == os.getpid():
        return time.process_time()
    return sum(_own_seconds(each) for each in _tree(pid))


def rss_mb(pid: int) -> dict[int, int]:
    """Return the memory each process of a tree holds, in MB, by its id."""
    return {each: _own_rss(each) for each in _tree(pid)}


def _tree(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(name) for path in children for name in _read(path).split()]
    return [pid, *(each for child in found for each in _tree(child))]


def _own_seconds(pid: int) -> float:
    # utime, stime, and the same of children that were waited for: fields 14 to 17, counted behind the command's name.
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / _TICKS


def _own_rss(pid: int) -> int:
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""  # it has just ended
