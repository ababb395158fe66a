"""What every process of a run knows: where its files lie, the settings of the service, how long it lasts."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EMBEDDER_SIZE = 64
FILE = "deployment.json"
_POLL_SECONDS = 0.05
# Entities that begin this long ago have days and a month behind them that maintenance has to keep.
PAST_DAYS = 35
OTHER_TENANT = "other"


@dataclass(frozen=True)
class Deployment:
    """One run: what is said and which faults happen follows from ``seed``, and lasts ``seconds``.

    ``unfenced`` takes the check out that a step is due and that a worker holds its conversation: the planted fault.
    """

    folder: str
    seed: int
    conversations: int
    seconds: float
    producers: int = 3
    # two conversations break whoever reads them
    poison: bool = True
    unfenced: bool = False
    # the longest that is waited at the end for all work to be done
    drain_seconds: float = 180.0
    # filled in when the servers are up
    settings: dict[str, Any] = field(default_factory=dict)
    # the broker as one worker reaches it, through the proxy
    proxied_broker_url: str = ""

    @classmethod
    def load(cls, folder: str) -> Deployment:
        return cls(**json.loads((Path(folder) / FILE).read_text("utf-8")))

    def save(self) -> None:
        (self.path / FILE).write_text(json.dumps(asdict(self)), "utf-8")

    @property
    def path(self) -> Path:
        return Path(self.folder)

    @property
    def _began(self) -> Path:
        return self.path / "began"

    @property
    def start(self) -> datetime:
        """When the agents began."""
        return datetime.fromisoformat(self._began.read_text("utf-8")).astimezone(UTC)

    def begin(self) -> None:
        """Let the agents begin; they all wait for it."""
        prepared = self._began.with_suffix(".new")
        prepared.write_text(datetime.now(UTC).isoformat(), "utf-8")
        prepared.rename(self._began)

    def await_begin(self, name: str) -> None:
        """Say that this agent is ready, and wait until all may begin."""
        (self.ready / name).touch()
        while not self._began.exists():
            time.sleep(_POLL_SECONDS)

    @property
    def journals(self) -> Path:
        return self.path / "journals"

    @property
    def traps(self) -> Path:
        return self.path / "traps"

    @property
    def sprung(self) -> Path:
        return self.path / "sprung"

    @property
    def ready(self) -> Path:
        """Holds a file for each worker and agent that is up."""
        return self.path / "ready"

    @property
    def believed(self) -> Path:
        """A file that is there while the broker's clients believe the wrong clocks of their hosts."""
        return self.path / "believed"

    @property
    def healed(self) -> Path:
        """A file that is there once conversations that broke the reader no longer do."""
        return self.path / "healed"
