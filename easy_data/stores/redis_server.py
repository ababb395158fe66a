"""What a Redis-compatible server says of itself, on which depends whether it may keep a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from easy_data.schemas.errors import SettingsError, StoreBusy, StoreError

WAIT_SECONDS = 2.0
OLDEST_VERSION = (6, 2)
# The policy under which a full server refuses what is new and keeps what it has.
KEEPS_ALL = "noeviction"
# Of the memory it may use; from here on a broker is near to refusing messages.
NEARLY_FULL = 0.7


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A server as it is now. ``limit`` and ``used`` are bytes of memory, a limit of 0 is none.

    ``run_id`` tells whether two URLs mean one server. ``durable``: it writes down what it is told.
    """

    address: str
    name: str
    version: str
    run_id: str
    policy: str
    durable: bool
    used: int
    limit: int

    @property
    def evicts(self) -> bool:
        """Tell if it throws keys away when it is full."""
        return self.policy != KEEPS_ALL

    @property
    def nearly_full(self) -> bool:
        """Tell if little is left of the memory it may use."""
        return bool(self.limit) and self.used >= NEARLY_FULL * self.limit

    def __str__(self) -> str:
        memory = f"{self.used / 1e6:.0f} of {self.limit / 1e6:.0f} MB" if self.limit else f"{self.used / 1e6:.0f} MB"
        return f"{self.name} {self.version} at {self.address}, {self.policy}, {memory}"


def look_at_redis(url: str, *, setting: str) -> RedisServer:
    """Ask the server at ``url``, which the setting ``setting`` names.

    Raises ``SettingsError`` for a URL that is none, ``StoreBusy`` when it does not answer, and ``StoreError`` when it
    refuses this user, is too old or is no Redis; none of them shows a password.
    """
    where = address_of(url, setting=setting)
    try:
        with Redis.from_url(url, socket_timeout=WAIT_SECONDS, socket_connect_timeout=WAIT_SECONDS) as client:
            said: dict[str, Any] = client.info()
    except ValueError:
        raise SettingsError(f"{setting} is not a URL; write it as redis://host:6379/0") from None
    except AuthenticationError:
        raise StoreError(f"the server at {where} refuses this user or password; correct {setting}") from None
    except ResponseError as error:
        raise StoreError(_refusal(str(error), where, setting)) from None
    except RedisError:
        raise StoreBusy(f"nothing like Redis answers at {where}; is it running, and does {setting} name it?") from None
    return refuse_old(_server(said, where))


def address_of(url: str, *, setting: str) -> str:
    """Return host and port of a URL, without user and password. Raises ``SettingsError`` for a URL that is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise SettingsError(f"{setting} is not a URL; its port is not a number") from None
    return f"{parts.hostname or 'localhost'}:{port or (5672 if parts.scheme.startswith('amqp') else 6379)}"


def refuse_old(server: RedisServer) -> RedisServer:
    """Return the server; raise ``StoreError`` for one that is older than what this release works with."""
    if server.name == "redis" and _number(server.version) < OLDEST_VERSION:
        needed = ".".join(map(str, OLDEST_VERSION))
        raise StoreError(f"Redis {server.version} at {server.address} is too old; this release needs {needed} or newer")
    return server


def refuse_evicting(server: RedisServer) -> None:
    """Raise ``StoreError`` for a broker that throws messages away when it is full."""
    if server.evicts:
        raise StoreError(
            f"the broker at {server.address} throws keys away when it is full ({server.policy}); "
            f"set its maxmemory-policy to {KEEPS_ALL}, and keep the cache on a server of its own"
        )


def _server(said: dict[str, Any], where: str) -> RedisServer:
    name = str(said.get("server_name") or "redis")
    return RedisServer(
        address=where,
        name=name,
        version=str(said.get(f"{name}_version") or said.get("redis_version") or "0"),
        run_id=str(said.get("run_id", "")),
        policy=str(said.get("maxmemory_policy", KEEPS_ALL)),
        durable=bool(int(said.get("aof_enabled", 0))),
        used=int(said.get("used_memory", 0)),
        limit=int(said.get("maxmemory", 0)),
    )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _refusal(said: str, where: str, setting: str) -> str:
    lowered = said.lower()
    if "auth" in lowered or "password" in lowered or "wrongpass" in lowered:
        return f"the server at {where} refuses this user or password; correct {setting}"
    if "permission" in lowered or "noperm" in lowered:
        return f"the user of {setting} may not run INFO on the server at {where}; allow it that"
    return f"the server at {where} refuses: {said.splitlines()[0][:200] if said else 'no reason given'}"
