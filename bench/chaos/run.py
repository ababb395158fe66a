"""One run from start to verdict."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import redis
import sqlalchemy as sa

from bench.chaos import check_conversations, check_derived, talk
from bench.chaos.checker import Verdict, check
from bench.chaos.deployment import Deployment
from bench.chaos.faults import FREEZE_SECONDS, STAGES, Injector
from bench.chaos.findings import Violation
from bench.chaos.plan import Fault, drawn
from bench.chaos.stored import read_points, read_stored, state_hash
from bench.chaos.system import LEASE_SECONDS, System, system
from bench.chaos.told import read_told
from bench.chaos.traps import sprung
from bench.chaos.watch import Watch
from bench.report import percentiles
from easy_data.pipeline import inbox
from easy_data.stores.queue import FULL

# How many conversations are delivered again at the end, each of their messages twice.
REDELIVERED = 150
# Messages that the sweeper of one worker and the agents may have put in before either saw the other's.
QUEUE_LIMIT = 2 * FULL


@dataclass
class Result:
    """``figures`` are what is published; ``violations`` what was broken, and the run failed if there is any."""

    figures: dict[str, Any]
    violations: list[Violation] = field(default_factory=list)


def run(deployment: Deployment, plan: dict[str, list[Fault]] | None = None) -> Result:
    """Run the service under faults and check it. ``plan`` replaces the one that the seed draws."""
    plan = drawn(deployment.seed, deployment.seconds) if plan is None else plan
    with system(deployment) as parts:
        watch, injector = Watch(parts), Injector(parts, plan)
        parts.start_hosts()
        watch.start()
        injector.start()
        _live(parts, injector)
        injector.heal()
        drained = _drain(parts)
        result = _judge(parts, watch, injector, drained)
        watch.stop()
    return result


def _live(parts: System, injector: Injector) -> None:
    """Keep the hosts up, and frozen ones frozen for their time, until the agents' time is over and so is the plan."""
    end = time.monotonic() + parts.deployment.seconds
    while time.monotonic() < end or injector.at_work:
        _tend(parts)


def _tend(parts: System) -> None:
    for caught in sprung(parts.deployment.sprung):
        if caught.action == "stop":
            parts.processes.frozen(caught.group, caught.pid, FREEZE_SECONDS)
    parts.processes.keep()
    time.sleep(0.1)


def _drain(parts: System) -> dict[str, float | None]:
    """Wait until nothing is left to do; return how long each part of that took, None for what did not end."""
    begun = time.monotonic()
    deadline = begun + parts.deployment.drain_seconds
    agents = [h for name, h in parts.processes.hosts.items() if name.startswith(("producer", "bystander"))]
    waits: dict[str, Callable[[], bool]] = {
        "agents": lambda: all(host.done for host in agents),
        "settled": lambda: _number(parts, "conversations", "state <> 'settled'") == 0,
        "indexed": lambda: _number(parts, "index_outbox") == 0,
        "converged": lambda: not list(check_derived.drift(read_stored(parts))),
        "maintained": lambda: not list(check_derived.windows(read_stored(parts), datetime.now(UTC))),
        "broker empty": lambda: _in_broker(parts) == 0,
    }
    took: dict[str, float | None] = {}
    for name, done in waits.items():
        took[name] = _wait(parts, done, deadline, begun)
    return took


def _wait(parts: System, done: Callable[[], bool], deadline: float, begun: float) -> float | None:
    while time.monotonic() < deadline:
        _tend(parts)
        try:
            if done():
                return round(time.monotonic() - begun, 2)
        except (sa.exc.DBAPIError, redis.RedisError):
            continue
    return None


def _number(parts: System, table: str, condition: str = "true") -> int:
    ours = parts.runtime.settings.tenant_id
    with parts.postgres.engine.connect() as connection:
        statement = f"SELECT count(*) FROM {table} WHERE tenant_id = '{ours}' AND {condition}"
        return int(connection.exec_driver_sql(statement).scalar_one())


def _in_broker(parts: System) -> int:
    """Return how many messages wait or are with a worker.

    Not counted is one that a host whose clock was ahead took and died with: it comes back when that time has come, long
    after the sweeper had its conversation settled.
    """
    client = parts.broker.client
    lists = sum(int(client.llen(k)) for k in client.scan_iter("*", _type="list") if "unroutable" not in k)
    taken = client.scan_iter("*unacked_index", _type="zset")
    return lists + sum(int(client.zcount(k, "-inf", time.time())) for k in taken)


def _left(parts: System) -> str:
    """Say what is still open, by what it waits for, and whether anybody is there to do it."""
    times = {"leased": "lease_until > clock_timestamp()", "later": "next_attempt_at > clock_timestamp()"}
    with parts.postgres.engine.connect() as connection:
        rows = connection.exec_driver_sql(
            f"SELECT state, {times['leased']} AS leased, {times['later']} AS later, reason, count(*) AS n "
            "FROM conversations WHERE state <> 'settled' GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC LIMIT 10"
        ).all()
    alive = {name: host.alive for name, host in parts.processes.hosts.items() if not host.done}
    return f"{[tuple(row) for row in rows]}; queues {parts.runtime.queue.lengths()}; alive {alive}"


def _judge(parts: System, watch: Watch, injector: Injector, drained: dict[str, float | None]) -> Result:
    left = _left(parts) if None in drained.values() else ""
    told = read_told(parts.deployment.journals)
    verdict = Verdict()
    before = read_stored(parts)
    dead = Counter(row["reason"] for row in before.ours("conversations") if row["outcome"] == "dead_letter")
    if parts.deployment.poison:
        verdict.add(check_conversations.poisoned(before, told, (talk.POISON, talk.BROKEN)))
    replayed = _replay_dead_letters(parts)
    again = _deliver_again(parts, verdict)
    final = check(parts, told, replayed=replayed)
    verdict.add(final.violations)
    verdict.add(
        check_derived.resources(longest_idle=watch.longest_idle, longest_queue=watch.longest_queue, full=QUEUE_LIMIT)
    )
    verdict.add(
        Violation("I1", "not drained", f"{name}: {left}") for name, seconds in drained.items() if seconds is None
    )
    figures = {
        **final.counts,
        **verdict.by_kind,
        "dead letters": dict(dead),
        "dead letters replayed": len(replayed),
        "messages delivered again at the end": again,
        "faults": dict(sorted(injector.injected.items())),
        "faults in all": injector.injected.total(),
        "faults another one prevented": dict(injector.failed),
        "starts of processes": {name: host.starts for name, host in parts.processes.hosts.items()},
        "seconds to drain": drained,
        "index lag ms": percentiles(watch.lags) if watch.lags else {},
        "intake ms": percentiles(told.intake_seconds) if told.intake_seconds else {},
        "longest queue": watch.longest_queue,
        "largest backlog": max((number for _, number in watch.backlog), default=0),
        "largest worker MB": round(parts.processes.rss_mb),
        "servers": {"postgresql": parts.postgres.version(), "valkey": parts.broker.version()},
        "points": len(read_points(parts)),
    }
    return Result(figures, verdict.violations)


def _replay_dead_letters(parts: System) -> set[str]:
    """Mend the reader and put every dead letter back; return which they were."""
    parts.deployment.healed.touch()
    ids = {status.receipt_id for status in inbox.dead_letters(parts.runtime, limit=10_000)}
    for receipt in ids:
        inbox.replay(parts.runtime, receipt)
    settled = "state <> 'settled' OR outcome = 'dead_letter'"
    deadline = time.monotonic() + 4 * LEASE_SECONDS
    _wait(parts, lambda: _number(parts, "conversations", f"({settled})") == 0, deadline, 0)
    _wait(parts, lambda: _number(parts, "index_outbox") == 0 and _in_broker(parts) == 0, deadline, 0)
    return ids


def _deliver_again(parts: System, verdict: Verdict) -> int:
    """Send every message of many conversations twice more, in any order: nothing may change. Return how many."""
    before = state_hash(parts)
    with parts.postgres.engine.connect() as connection:
        ids = list(connection.exec_driver_sql("SELECT id FROM conversations ORDER BY id").scalars())
    rng = random.Random(parts.deployment.seed)
    chosen = rng.sample(ids, min(REDELIVERED, len(ids)))
    wakes = [(state, row_id) for row_id in chosen for state in STAGES for _ in range(2)]
    rng.shuffle(wakes)
    for state, row_id in wakes:
        parts.runtime.queue.wake(state, row_id)
    parts.runtime.queue.index()
    _wait(parts, lambda: _in_broker(parts) == 0, time.monotonic() + 60, 0)
    if state_hash(parts) != before:
        verdict.add([Violation("I3", "duplicate effect", "delivering messages again changed what is stored")])
    return len(wakes)


def tell(result: Result) -> None:
    """Print what was broken, for people."""
    for violation in result.violations[:50]:
        print(f"{violation.invariant} {violation.kind}: {violation.detail}", file=sys.stderr)
    if len(result.violations) > 50:
        print(f"... and {len(result.violations) - 50} more", file=sys.stderr)
