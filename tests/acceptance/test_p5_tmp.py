from __future__ import annotations
import os, subprocess, sys
from pathlib import Path
import pytest
from tests.acceptance.conftest import SharedService
from tests.acceptance.test_service_bad_messages import NOTHING_ELSE, PICKLED, send
from tests.fixtures.talk import user
from easy_data.schemas.receipts import Outcome
@pytest.mark.timeout(200)
def test_fork(service, embedder, tmp_path):
    memory = service.memory(embedder=embedder)
    variables = {f"EASY_DATA_{name.upper()}": str(value) for name, value in service.settings.items()}
    shared = SharedService(service.settings, None)
    send(shared, PICKLED, "easy_data.extract", content_type="application/data", content_encoding="binary")
    send(shared, [], "easy_data.extract")
    for header in ({"eta": "tomorrow"}, {"timelimit": "long"}, {"id": None}, {"retries": "many"}, {"lang": 7}, {"stamped_headers": 7}, {"argsrepr": 5}, {"expires": "x"}, {"expires": "2020-01-01T00:00:00"}, {"group": 7},{"root_id": []},{"shadow": {}}, {"ignore_result": "x"}, {"replaced_task_nesting": "x"}, {"origin": 7}, {"delivery_info": 3}):
        foreign = {"task": "easy_data.extract", "id": "x", **header}
        send(shared, [[], {"tenant_id": "other"}, NOTHING_ELSE], "", headers=foreign)
    send(shared, [[], {"tenant_id": "other"}, {"callbacks": 7, "chain": 7, "chord": 7, "errbacks": 7}], "easy_data.extract")
    out = open("/tmp/p5/fork.log", "w")
    process = subprocess.Popen([sys.executable, "-m", "celery", "-A", "easy_data.workers.app", "worker", "--concurrency", "1", "--loglevel", "WARNING"], cwd=tmp_path, env=os.environ | variables | {"PYTHONPATH": "/work/main"}, stdout=out, stderr=out)
    try:
        for i in range(3):
            assert memory.end_conversation("ann", [user(f"I live in Oslo{i}.")]).wait(80).outcome
    finally:
        process.terminate()
        print(process.wait(60))
