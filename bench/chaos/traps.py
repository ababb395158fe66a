"""Traps: something happens to the process that passes a named point next.

A trap is an empty file named after point, action and number. Whoever passes the point and manages to move the file is
caught; so each trap springs once, in whichever process comes first.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg2.errors
from sqlalchemy.exc import OperationalError

# What can happen, to the process that does the work or to all of its host.
ACTIONS = ("kill", "killhost", "stop", "term", "hang", "deadlock")
HANG_SECONDS = 30.0


@dataclass(frozen=True)
class Sprung:
    """A trap that caught a process: the point, what happened, and the process and its group, its host."""

    point: str
    action: str
    number: str
    pid: int
    group: int


def arm(folder: Path, point: str, action: str, number: int) -> None:
    (folder / f"{point}__{action}__{number}").touch()


def disarm(folder: Path) -> int:
    """Take away what has caught nobody; return how many that were."""
    left = list(folder.iterdir())
    for trap in left:
        trap.unlink(missing_ok=True)
    return len(left)


def sprung(folder: Path) -> list[Sprung]:
    found = []
    for path in sorted(folder.iterdir()):
        point, action, number, pid, group = path.name.split("__")
        found.append(Sprung(point, action, number, int(pid), int(group)))
    return found


def watcher(folder: Path, caught: Path) -> Callable[[str], None]:
    """Return the ``reached`` of a runtime in which traps can spring."""

    def reached(point: str) -> None:
        for trap in folder.glob(f"{point}__*"):
            try:
                trap.rename(caught / f"{trap.name}__{os.getpid()}__{os.getpgrp()}")
            except FileNotFoundError:
                continue  # another process was faster
            _happen(trap.name.split("__")[1])

    return reached


def _happen(action: str) -> None:
    match action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "killhost":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        case "stop":
            os.killpg(os.getpgrp(), signal.SIGSTOP)
        case "term":
            os.kill(os.getpgrp(), signal.SIGTERM)
        case "hang":
            time.sleep(HANG_SECONDS)
        case "deadlock":
            raise OperationalError("statement", None, psycopg2.errors.DeadlockDetected("deadlock detected"))
