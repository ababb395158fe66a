"""Which faults happen when: drawn from the seed, every kind at least once."""

from __future__ import annotations

import random
from dataclasses import dataclass

from bench.chaos.model import TROUBLES

WORK_POINTS = (
    *("claim.committed", "extract.done", "extract.committed", "classify.committed", "dedupe.committed"),
    *("settle.in_transaction", "settle.committed", "index.embedded", "index.upserted", "index.marked"),
)
FREEZE_POINTS = ("claim.committed", "extract.done", "settle.in_transaction", "index.embedded")
# What the servers suffer, one after the other.
SERVER_FAULTS = (
    *("broker restarted", "broker wiped", "broker emptied", "broker full", "bindings evicted", "clients killed"),
    *("link half-open", "postgres crashed", "postgres restarted", "backends killed", "entities locked"),
    *("index killed", "index slow", "index failing", "index dropped", "cache down", "cache emptied"),
)
# What happens to processes and messages meanwhile.
PROCESS_FAULTS = (
    *("child killed", "worker killed", "worker frozen", "worker terminated"),
    *("wake-ups doubled", "strange messages", "two beats", "no beat", "clocks believed"),
    *(f"model {trouble}" for trouble in TROUBLES),
)


@dataclass(frozen=True)
class Fault:
    """``kind`` happens ``at`` seconds into the run; ``point`` and ``action`` are a trap's."""

    at: float
    kind: str
    point: str = ""
    action: str = ""


def traps(rng: random.Random) -> list[tuple[str, str]]:
    """Return the (point, action) pairs of a run: a kill at every point, and the other ends at some."""
    return [
        *((point, "kill") for point in WORK_POINTS),
        ("broker.popped", "killhost"),
        ("intake.committed", "kill"),
        ("intake.committed", "kill"),
        (rng.choice(WORK_POINTS), "killhost"),
        (rng.choice(WORK_POINTS), "killhost"),
        *((point, "stop") for point in rng.sample(FREEZE_POINTS, 2)),
        *((point, "term") for point in rng.sample(WORK_POINTS, 2)),
        (rng.choice(WORK_POINTS[:5]), "hang"),
        ("settle.in_transaction", "deadlock"),
        ("settle.in_transaction", "deadlock"),
    ]


def drawn(seed: int, seconds: float) -> dict[str, list[Fault]]:
    """Return the faults of each lane in their order. A longer run repeats the kinds."""
    rng = random.Random(f"{seed}/faults")
    rounds = max(1, round(seconds / 90))
    servers = [kind for _ in range(rounds) for kind in rng.sample(SERVER_FAULTS, len(SERVER_FAULTS))]
    others: list[tuple[str, str, str]] = []
    for _ in range(rounds):
        others += [(kind, "", "") for kind in PROCESS_FAULTS]
        others += [("trap", point, action) for point, action in traps(rng)]
    rng.shuffle(others)
    return {
        "servers": [Fault(at, kind) for at, kind in zip(_times(rng, len(servers), seconds), servers, strict=True)],
        "others": [Fault(at, *other) for at, other in zip(_times(rng, len(others), seconds), others, strict=True)],
    }


def _times(rng: random.Random, number: int, seconds: float) -> list[float]:
    """Spread so many over the run, with nothing in its first and last tenth, each moved a little."""
    step = 0.8 * seconds / number
    return [0.1 * seconds + (i + rng.random() * 0.8) * step for i in range(number)]
