"""Looks at the service while it runs: how long the index lags, how far the queues grow, who idles in a transaction."""

from __future__ import annotations

import threading
import time

import redis
import sqlalchemy as sa

from bench.chaos.system import System

EVERY_SECONDS = 0.25
IDLE_LIMIT_SECONDS = 30


class Watch:
    """``lags`` are seconds from when a changed memory was first seen waiting until the index had it."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._stopping = threading.Event()
        self._waiting: dict[str, float] = {}
        self.lags: list[float] = []
        self.longest_queue = 0
        self.longest_idle = 0.0
        # (seconds since the agents began, conversations that are open)
        self.backlog: list[tuple[float, int]] = []
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                self._look_at_sql()
                self._look_at_broker()
            except (sa.exc.DBAPIError, redis.RedisError):
                continue
            self._system.processes.measure()

    def _look_at_sql(self) -> None:
        with self._system.postgres.engine.connect() as connection:
            rows = set(connection.exec_driver_sql("SELECT id FROM index_outbox").scalars())
            waiting = connection.exec_driver_sql("SELECT count(*) FROM conversations WHERE state <> 'settled'")
            began = self._system.deployment.start.timestamp()
            self.backlog.append((round(time.time() - began, 1), int(waiting.scalar_one())))
            idle = connection.exec_driver_sql(
                "SELECT max(extract(epoch FROM now() - state_change)) FROM pg_stat_activity "
                "WHERE starts_with(state, 'idle in transaction') AND usename = 'service'"
            ).scalar_one()
        now = time.monotonic()
        self.longest_idle = max(self.longest_idle, float(idle or 0))
        self.lags += [now - since for row, since in self._waiting.items() if row not in rows]
        self._waiting = {row: self._waiting.get(row, now) for row in rows}

    def _look_at_broker(self) -> None:
        client = self._system.broker.client
        lists = list(client.scan_iter("*", _type="list"))
        self.longest_queue = max([self.longest_queue, *(int(client.llen(key)) for key in lists)])
