from __future__ import annotations

from dataclasses import replace

import pytest

from easy_data.schemas.errors import SettingsError, StoreError
from easy_data.stores.redis_server import RedisServer, address_of, refuse_evicting, refuse_old

SOUND = RedisServer("h:6379", "redis", "7.2.4", "r", "noeviction", durable=True, used=10_000_000, limit=100_000_000)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://:secret@host:7000/0", "host:7000"),
        ("rediss://user:secret@host", "host:6379"),
        ("amqp://user:secret@host//", "host:5672"),
        ("redis://", "localhost:6379"),
    ],
)
def test_an_address_shows_no_user_and_no_password(url: str, address: str) -> None:
    assert address_of(url, setting="broker_url") == address


def test_what_is_no_url_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match="broker_url is not a URL"):
        address_of("redis://host:port/0", setting="broker_url")


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-lfu", "volatile-lru", "volatile-ttl"])
def test_a_broker_that_throws_messages_away_is_refused(policy: str) -> None:
    refuse_evicting(SOUND)
    with pytest.raises(StoreError, match=rf"\({policy}\); set its maxmemory-policy to noeviction"):
        refuse_evicting(replace(SOUND, policy=policy))


@pytest.mark.parametrize("version", ["6.0.16", "5.0.14", "2.8"])
def test_an_old_redis_is_refused(version: str) -> None:
    with pytest.raises(StoreError, match=rf"Redis {version} at h:6379 is too old; this release needs 6.2"):
        refuse_old(replace(SOUND, version=version))


@pytest.mark.parametrize("server", [SOUND, replace(SOUND, version="6.2.0"), replace(SOUND, name="valkey", version="1")])
def test_a_new_one_or_another_of_its_kind_is_not(server: RedisServer) -> None:
    assert refuse_old(server) is server


@pytest.mark.parametrize(("used", "limit", "full"), [(69, 100, False), (70, 100, True), (10**12, 0, False)])
def test_little_memory_left_is_noticed_when_there_is_a_limit(used: int, limit: int, full: bool) -> None:
    assert replace(SOUND, used=used, limit=limit).nearly_full is full
