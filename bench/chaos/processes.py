"""The processes of a run: started, found dead, started again, frozen, thawed, and none left at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.chaos.deployment import Deployment

ROOT = Path(__file__).resolve().parents[2]
# A frozen host's worker goes on before its parent, which would end it for having run too long.
_HEAD_START_SECONDS = 1.0


@dataclass
class Host:
    """One process with its children, in a group of their own: what a host is to the service."""

    name: str
    arguments: tuple[str, ...]
    # started again when it ends; what ends by itself in order is done
    lasting: bool
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    done: bool = False
    groups: list[int] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Processes:
    """All hosts of a run."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self.hosts: dict[str, Host] = {}
        self._thaw_at: dict[int, tuple[float, int]] = {}
        self.rss_mb = 0.0

    def add(self, name: str, module: str, *arguments: str, lasting: bool) -> Host:
        host = Host(name, (module, self._deployment.folder, *arguments), lasting)
        self.hosts[name] = host
        self._start(host)
        return host

    def keep(self) -> None:
        """Start again what has died, and thaw what has been frozen long enough."""
        for host in list(self.hosts.values()):
            if host.process is None or host.process.poll() is None or host.done:
                continue
            if not host.lasting and host.process.returncode == 0:
                host.done = True
                continue
            # Children that outlived their parent go on as they would on a real host: what they hold is not theirs.
            self._start(host)
        for group, (when, child) in list(self._thaw_at.items()):
            if time.monotonic() >= when:
                del self._thaw_at[group]
                self._thaw(group, child)

    def frozen(self, group: int, child: int, seconds: float) -> None:
        """Note that a host stands still; it is thawed after so long."""
        self._thaw_at.setdefault(group, (time.monotonic() + seconds, child))

    def freeze(self, name: str, seconds: float) -> None:
        host = self.hosts[name]
        if host.alive and host.process is not None:
            os.killpg(host.process.pid, signal.SIGSTOP)
            self.frozen(host.process.pid, host.process.pid, seconds)

    def thaw_all(self) -> None:
        for group, (_, child) in self._thaw_at.items():
            self._thaw(group, child)
        self._thaw_at.clear()

    def children(self, name: str) -> list[int]:
        host = self.hosts.get(name)
        if host is None or host.process is None or not host.alive:
            return []
        with suppress(psutil.Error):
            return [child.pid for child in psutil.Process(host.process.pid).children()]
        return []

    def remove(self, name: str) -> None:
        """End a host in order and for good."""
        host = self.hosts.pop(name)
        self._end([host], 15)

    def measure(self) -> None:
        """Note the largest memory any worker process has had."""
        for name in list(self.hosts):
            for pid in self.children(name):
                with suppress(psutil.Error):
                    self.rss_mb = max(self.rss_mb, psutil.Process(pid).memory_info().rss / 2**20)

    def end(self) -> None:
        """End everything, and whatever outlived its parent."""
        self.thaw_all()
        self._end(list(self.hosts.values()), 20)

    def _start(self, host: Host) -> None:
        log = (self._deployment.path / f"{host.name}.log").open("ab")
        with log:
            host.process = subprocess.Popen(
                [sys.executable, "-m", *host.arguments], cwd=ROOT, stdout=log, stderr=log, start_new_session=True
            )
        host.starts += 1
        host.groups.append(host.process.pid)

    def _end(self, hosts: list[Host], seconds: float) -> None:
        for host in hosts:
            host.done = True
            if host.alive and host.process is not None:
                host.process.terminate()
        deadline = time.monotonic() + seconds
        for host in hosts:
            if host.process is not None:
                with suppress(subprocess.TimeoutExpired):
                    host.process.wait(max(0.1, deadline - time.monotonic()))
                self._kill_group(host)
                host.process.wait(10)

    def _kill_group(self, host: Host) -> None:
        """End what is left of every group the host has had; only processes that name this run's folder are ours."""
        for process in psutil.process_iter(["pid", "cmdline"]):
            with suppress(psutil.Error, ProcessLookupError):
                ours = self._deployment.folder in (process.info["cmdline"] or [])
                if ours and os.getpgid(process.pid) in host.groups:
                    process.kill()

    def _thaw(self, group: int, child: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGCONT)
        if child != group:
            time.sleep(_HEAD_START_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGCONT)
