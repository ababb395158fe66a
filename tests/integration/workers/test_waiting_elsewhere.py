"""A receipt is waited for from a process that reaches the database and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.fixtures.service import Service
from tests.fixtures.talk import user

ROOT = Path(__file__).parents[3]
_WAIT = """
import json, sys
from easy_data import EasyMemory
from tests.fixtures.small_embedder import SmallEmbedder
settings, receipt_id = json.loads(sys.argv[1]), sys.argv[2]
with EasyMemory(embedder=SmallEmbedder(64), **settings) as memory:
    print("waiting", flush=True)
    status = memory.receipt(receipt_id).wait(50)
    print(json.dumps([status.outcome, [fate.what for fate in status.fates]], ensure_ascii=False))
"""


def test_a_receipt_is_waited_for_where_only_the_database_is_reached(service: Service) -> None:
    receipt = service.memory().end_conversation("ann", [user("我住在上海。")], conversation_id="c1")
    elsewhere = {
        "backend": "postgresql",
        "database_url": service.settings["database_url"],
        "qdrant_url": "http://127.0.0.1:1",
    }
    command = [sys.executable, "-c", _WAIT, json.dumps(elsewhere), receipt.id]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        # It waits already when the worker comes.
        assert other.stdout.readline() == "waiting\n"
        service.worker()
        outcome, said = json.loads(other.stdout.readline())
    assert (other.returncode, outcome) == (0, "written")
    assert len(said) == 1
    assert "上海" in said[0]
