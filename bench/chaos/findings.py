"""A broken promise: which invariant, and what broke it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Violation:
    """``kind`` groups what is counted together: lost, unexpected, duplicate effect, order, drift..."""

    invariant: str
    kind: str
    detail: str


Violations = Iterator[Violation]
