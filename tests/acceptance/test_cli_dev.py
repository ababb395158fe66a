"""``easy-data dev``: the whole service from one command, as a person uses it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from easy_data.cli.exit_codes import ExitCode
from tests.fixtures.command_line import CommandLine
from tests.fixtures.waiting import wait_until
from tests.project.sources import ROOT

TALK = json.dumps({"entity_id": "ann", "messages": [{"role": "user", "content": "I live in Oslo."}]})


class Dev:
    """The command, as a process."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "easy_data", "--json", "dev", "--folder", str(folder), "--workers", "1"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def ready(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        said: dict[str, Any] = json.loads(self._process.stdout.readline())
        return said

    def end(self, number: int) -> int:
        self._process.send_signal(number)
        return self._process.wait(60)

    def close(self) -> None:
        if self._process.poll() is None:
            self.end(signal.SIGTERM)
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may read, as PostgreSQL wants it when this runs as root."""
    parent = Path(tempfile.mkdtemp())
    parent.chmod(0o755)
    yield parent / "dev"
    shutil.rmtree(parent)


def nobody_listens(said: dict[str, Any]) -> bool:
    """Tell if all servers that were named are gone."""
    urls = [urlsplit(said["settings"][name]) for name in ("broker_url", "cache_url", "qdrant_url")]
    sockets = list(Path(said["folder"], "postgresql").glob(".s.PGSQL.*"))
    return not sockets and not any(_answers(url.hostname or "", url.port or 0) for url in urls)


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


@pytest.mark.timeout(300)
def test_one_command_runs_the_service_and_its_data_outlive_it_however_it_ends(
    folder: Path, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Dev(folder)
    try:
        said = first.ready()
        with monkeypatch.context() as patch:
            patch.setenv("EASY_DATA_CONFIG", said["config"])
            command_line.run("ingest", "-", stdin=TALK)
            assert "Oslo" in command_line.json("recall", "ann", "where do I live?")["text"]
            found = {check["name"]: check["state"] for check in command_line.json("doctor")}
            assert set(found.values()) == {"ok"}, found
        second = command_line.run("dev", "--folder", str(folder))
        assert second.exit_code == ExitCode.STORE
        assert f"process {first._process.pid} on" in second.stderr
        # Killed, it takes its children along.
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        wait_until(lambda: nobody_listens(said), seconds=60, what="all servers are gone")
    finally:
        first.close()
    again = Dev(folder)
    try:
        assert again.ready() == said
        with monkeypatch.context() as patch:
            patch.setenv("EASY_DATA_CONFIG", said["config"])
            assert "Oslo" in command_line.json("recall", "ann", "where do I live?")["text"]
        assert again.end(signal.SIGINT) == ExitCode.OK
        assert nobody_listens(said)
    finally:
        again.close()


@pytest.mark.parametrize("name", ["with space", 'with"quote'])
def test_a_folder_the_servers_cannot_take_is_refused_at_once(
    command_line: CommandLine, tmp_path: Path, name: str
) -> None:
    refused = command_line.run("dev", "--folder", str(tmp_path / name))
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (ExitCode.USAGE, 1)
    assert not (tmp_path / name).exists()


def test_it_does_not_open_a_closed_folder_to_everybody(command_line: CommandLine, tmp_path: Path) -> None:
    """PostgreSQL does not run as root: as root, the folders above its data would have to be open."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "file").write_text("")
    refused = command_line.run("dev", "--folder", str(closed / ("dev" if os.geteuid() == 0 else "file")))
    assert refused.exit_code == ExitCode.USAGE
    assert closed.stat().st_mode & 0o777 == 0o700
