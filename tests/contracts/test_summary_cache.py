"""What every cache of hot summaries does, whichever it is; and what the shared one does when its server does not."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import redis

from easy_data.schemas.errors import SettingsError, StoreBusy
from easy_data.schemas.ports import SummaryCache
from easy_data.stores.redis_summaries import TTL_SECONDS, RedisSummaries
from easy_data.stores.summaries import InProcessSummaries


@pytest.fixture(params=["process", "redis"])
def cache(request: pytest.FixtureRequest) -> Iterator[SummaryCache]:
    if request.param == "process":
        yield InProcessSummaries()
        return
    shared = RedisSummaries(request.getfixturevalue("redis_url"), deployment="test")
    yield shared
    shared.close()


@pytest.fixture
def silent_url() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def test_what_was_put_is_got_until_it_is_dropped(cache: SummaryCache) -> None:
    assert cache.get("t", "ann") is None
    cache.put("t", "ann", "住在上海".encode())
    cache.put("t", "ann", "住在北京".encode())
    assert cache.get("t", "ann") == "住在北京".encode()
    cache.drop("t", "ann")
    cache.drop("t", "ann")
    assert cache.get("t", "ann") is None


def test_names_with_colons_do_not_meet(cache: SummaryCache) -> None:
    cache.put("a:b", "c", b"one")
    assert cache.get("a", "b:c") is None
    assert cache.get("a:b:c", "") is None
    assert cache.get("other", "c") is None


def test_deployments_on_one_server_do_not_meet(redis_url: str) -> None:
    RedisSummaries(redis_url, deployment="one").put("t", "ann", b"x")
    assert RedisSummaries(redis_url, deployment="two").get("t", "ann") is None


def test_no_summary_stays_for_ever(redis_url: str) -> None:
    RedisSummaries(redis_url, deployment="test").put("t", "ann", b"x")
    with redis.Redis.from_url(redis_url) as client:
        lifetimes = [client.ttl(key) for key in client.scan_iter()]
    assert len(lifetimes) == 1
    assert 0 < lifetimes[0] <= TTL_SECONDS


@pytest.mark.parametrize("server", ["silent", "absent"])
def test_a_server_that_does_not_answer_is_an_empty_cache(server: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("silent_url") if server == "silent" else "redis://127.0.0.1:1/0"
    cache = RedisSummaries(url, deployment="test")
    cache.put("t", "ann", b"x")
    assert cache.get("t", "ann") is None


def test_dropping_is_not_said_to_be_done_when_it_is_not(silent_url: str) -> None:
    with pytest.raises(StoreBusy, match="forget again"):
        RedisSummaries(silent_url, deployment="test").drop("t", "ann")


def test_an_address_that_is_none_is_refused_with_the_remedy() -> None:
    with pytest.raises(SettingsError, match="redis://host:6379/0"):
        RedisSummaries("localhost", deployment="test")
