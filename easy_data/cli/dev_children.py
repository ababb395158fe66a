"""The child processes of ``easy-data dev``: each in a session of its own, so that Ctrl-C reaches the parent alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from easy_data.schemas.errors import StoreError

STOP_SECONDS = 30.0


class Child:
    """One process: ``python -m MODULE ARGUMENTS``. It says that it is ready with one line of JSON."""

    def __init__(self, name: str, module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = name
        self._process = subprocess.Popen(  # noqa: S603 - our own modules, no shell
            [sys.executable, "-m", module, *arguments],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ready(self) -> Any:
        """Wait until it is, and return what it said. Raises ``StoreError`` when it ended instead."""
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line:
            self.refuse_ended(seconds=STOP_SECONDS)
        return json.loads(line)

    def refuse_ended(self, *, seconds: float) -> None:
        """Raise ``StoreError`` when it has ended, or ends within this time."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        raise StoreError(f"the {self.name} ended with code {code}; what it said stands above")

    def stop(self) -> None:
        """End it in order, or after a while, or a second Ctrl-C, at once; a second call does nothing."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
