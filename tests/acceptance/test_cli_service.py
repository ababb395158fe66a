"""The service's commands, against real servers, and what they say when one of these is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from easy_data.cli.exit_codes import ExitCode
from easy_data.stores.local_servers import start_valkey
from tests.fixtures.command_line import CommandLine
from tests.fixtures.scripted_openai import ScriptedOpenAI
from tests.fixtures.waiting import wait_until
from tests.project.sources import ROOT

NO_SERVER = "redis://127.0.0.1:1/0"
SECRET = "hunter2secret"


def said(entity: str, text: str) -> str:
    return json.dumps({"entity_id": entity, "messages": [{"role": "user", "content": text}]})


@pytest.fixture(scope="module")
def strict_broker() -> Iterator[str]:
    """Address of a broker that wants a password and evicts."""
    server = start_valkey(maxmemory="32mb", maxmemory_policy="allkeys-lru")
    with redis.Redis.from_url(server.url) as client:
        client.config_set("requirepass", SECRET)
    yield server.url.removeprefix("redis://")
    server.stop()


class Processes:
    """Commands of ours as processes, with the environment of this test."""

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one and wait until it says that it is ready."""
        command = [sys.executable, "-m", "easy_data", "--json", *arguments]
        self._started.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        assert self._started[-1].stdout is not None
        assert json.loads(self._started[-1].stdout.readline())["ready"] is True
        return self._started[-1]

    def end(self) -> list[int]:
        """Tell all to end and return their exit codes; nothing more stands on their standard output."""
        for each in self._started:
            each.terminate()
        codes = [each.wait(40) for each in self._started]
        assert [each.stdout.read() for each in self._started if each.stdout] == [""] * len(codes)
        return codes

    def close(self) -> None:
        for each in self._started:
            if each.poll() is None:
                each.kill()
                each.wait()
            if each.stdout is not None:
                each.stdout.close()


@pytest.fixture
def processes() -> Iterator[Processes]:
    started = Processes()
    yield started
    started.close()


@pytest.mark.timeout(180)
def test_worker_and_beat_do_the_work_and_stop_when_told(
    service_line: CommandLine, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first conversation is woken by its intake, the second, whose intake had no broker, by beat's first tick."""
    processes.start("worker", "--concurrency", "1")
    service_line.run("ingest", "-", stdin=said("ann", "I live in Oslo."))
    assert "Oslo" in service_line.json("recall", "ann", "where do I live?")["text"]
    with monkeypatch.context() as patch:
        patch.setenv("EASY_DATA_BROKER_URL", NO_SERVER)
        service_line.run("ingest", "-", "--no-wait", stdin=said("bob", "I live in Bergen."))
    assert service_line.json("status")["open"] == 1
    processes.start("beat")
    wait_until(lambda: service_line.json("status")["open"] == 0, seconds=60, what="the second one is settled")
    status = service_line.json("status")
    assert (status["conversations"]["settled"], status["outcomes"]["written"], status["dead_letters"]) == (2, 2, 0)
    assert status["settled_last_hour"] == 2
    assert processes.end() == [0, 0]


def test_status_says_what_waits_and_since_when(service_line: CommandLine) -> None:
    service_line.run("ingest", "-", "--no-wait", stdin=said("ann", "I live in Oslo."))
    status = service_line.json("status")
    assert (status["queues"]["extract"], status["due"], status["conversations"]["received"]) == (1, 1, 1)
    assert status["oldest_due_seconds"] > 0
    assert service_line.run("status", "--late", "3600").exit_code == ExitCode.OK
    late = service_line.run("status", "--late", "0")
    assert late.exit_code == ExitCode.FAILED
    assert "waits for a worker" in late.stderr
    assert "extract 1" in late.stdout


def test_a_sweep_wakes_what_a_lost_broker_forgot(service_line: CommandLine, redis_url: str) -> None:
    service_line.run("ingest", "-", "--no-wait", stdin=said("ann", "I live in Oslo."))
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    assert service_line.json("status")["queues"]["extract"] == 0
    assert service_line.json("sweep") == {"due": 1}
    assert service_line.json("status")["queues"]["extract"] == 1


def test_a_missing_broker_is_said_and_intake_goes_on(
    service_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EASY_DATA_BROKER_URL", NO_SERVER)
    service_line.run("ingest", "-", "--no-wait", stdin=said("ann", "I live in Oslo."))
    assert set(service_line.json("status")["queues"].values()) == {None}
    assert "does not answer" in service_line.run("status").stdout
    found = {check["name"]: check for check in service_line.json("doctor")}
    assert (found["broker"]["state"], found["queues"]["state"]) == ("error", "error")
    assert "nothing like Redis answers at 127.0.0.1:1" in found["broker"]["found"]


def test_doctor_finds_a_sound_service_sound(service_line: CommandLine, chat_server: ScriptedOpenAI) -> None:
    chat_server.default = '{"ready": true}'
    service_line.run("ingest", "-", "--no-wait", stdin=said("ann", "I live in Oslo."))
    checks = {
        check["name"]: check
        for check in service_line.json("doctor", "--config", str(_chat_config(service_line, chat_server)))
    }
    sound = ("clock", "broker", "schema", "queues", "inbox", "dead letters", "embedder", "chat model")
    assert {name: checks[name]["state"] for name in ("clock", *sound[2:])} == dict.fromkeys(("clock", *sound[2:]), "ok")
    assert "PostgreSQL 18" in checks["database"]["found"]
    assert "noeviction" in checks["broker"]["found"]
    # The tests' user is a superuser, their broker and cache are one server, and it keeps nothing.
    assert {checks[name]["state"] for name in ("database", "broker", "cache")} == {"warning"}
    assert "server of its own" in checks["cache"]["remedy"]


def test_doctor_says_that_the_model_is_away(service_line: CommandLine, chat_server: ScriptedOpenAI) -> None:
    config = _chat_config(service_line, chat_server)
    chat_server.default = "no JSON at all"
    shown = service_line.run("doctor", "--config", str(config))
    assert shown.exit_code == ExitCode.FAILED
    assert "chat model" in shown.stdout


def _chat_config(service_line: CommandLine, server: ScriptedOpenAI) -> Path:
    config = service_line.path.with_name("chat.toml")
    config.write_text(f'llm_base_url = "{server.base_url}"\nllm_model = "scripted-1"\n')
    return config


def test_without_its_database_doctor_still_looks_at_the_other_servers(
    service_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EASY_DATA_DATABASE_URL", f"postgresql://u:{SECRET}@127.0.0.1:1/none")
    shown = service_line.run("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(shown.stdout)}
    assert shown.exit_code == ExitCode.FAILED
    assert checks["database"]["state"] == "error"
    assert "127.0.0.1:1 does not answer" in checks["database"]["found"]
    assert checks["broker"]["state"] != "error"
    assert SECRET not in shown.stdout + shown.stderr


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("broker_url", NO_SERVER, "nothing like Redis answers at 127.0.0.1:1"),
        ("broker_url", "redis://127.0.0.1:port/0", "its port is not a number"),
        ("broker_url", "redis://:wrong@{strict}", "refuses this user or password; correct broker_url"),
        ("broker_url", "redis://{strict}", "refuses this user or password; correct broker_url"),
        ("broker_url", f"redis://:{SECRET}@{{strict}}", "set its maxmemory-policy to noeviction"),
        ("broker_url", f"amqp://u:{SECRET}@127.0.0.1:1//", "no RabbitMQ answers at 127.0.0.1:1"),
        ("broker_url", "", "with database_url and broker_url"),
        ("database_url", f"postgresql://u:{SECRET}@127.0.0.1:1/none", "PostgreSQL at 127.0.0.1:1 does not answer"),
        ("database_url", "mysql://u@host/none", "must begin with postgresql://"),
    ],
)
def test_a_worker_that_cannot_begin_says_why_in_one_sentence(
    service_line: CommandLine,
    strict_broker: str,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    value: str,
    sentence: str,
) -> None:
    monkeypatch.setenv(f"EASY_DATA_{setting.upper()}", value.format(strict=strict_broker))
    refused = service_line.run("worker", "--concurrency", "1")
    assert refused.exit_code in (ExitCode.USAGE, ExitCode.STORE)
    assert sentence in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert SECRET not in refused.stderr


def test_a_worker_takes_known_queues_and_one_owner_for_an_index_in_a_folder(
    service_line: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unknown = service_line.run("worker", "--queues", "write,letters")
    assert (unknown.exit_code, "there is no queue letters" in unknown.stderr) == (ExitCode.USAGE, True)
    monkeypatch.setenv("EASY_DATA_QDRANT_URL", "")
    monkeypatch.setenv("EASY_DATA_INDEX_PATH", str(tmp_path / "index"))
    shared = service_line.run("worker", "--concurrency", "2")
    assert (shared.exit_code, "concurrency of 1" in shared.stderr) == (ExitCode.USAGE, True)


def test_celerys_own_command_refuses_an_evicting_broker_too(
    service_line: CommandLine, strict_broker: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EASY_DATA_BROKER_URL", f"redis://:{SECRET}@{strict_broker}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, "-m", "celery", "-A", "easy_data.workers.app", "worker", "--concurrency", "1"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=50, check=False)
    assert ran.returncode == 1
    assert "set its maxmemory-policy to noeviction" in ran.stderr
    assert "Traceback" not in ran.stderr
