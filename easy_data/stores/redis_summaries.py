"""Hot summaries in Redis, shared by all processes."""

from __future__ import annotations

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from easy_data.schemas.errors import SettingsError, StoreBusy
from easy_data.schemas.log import get_logger
from easy_data.stores.cooldown import Cooldown
from easy_data.stores.redis_keys import summary_key

log = get_logger(__name__)

# Making a summary anew takes less time than waiting longer for the kept one.
WAIT_SECONDS = 0.1
REST_SECONDS = 5.0
TTL_SECONDS = 7 * 24 * 3600


class RedisSummaries:
    """The summary cache of the service. A server that fails or hangs is the same as an empty one.

    Every value has a lifetime of ``ttl_seconds`` from its last write. Raises ``SettingsError`` for a URL that is none.
    """

    def __init__(self, url: str, *, deployment: str, ttl_seconds: int = TTL_SECONDS) -> None:
        try:
            self._redis = Redis.from_url(
                url,
                socket_timeout=WAIT_SECONDS,
                socket_connect_timeout=WAIT_SECONDS,
                # One more try on a connection that the server closed meanwhile.
                retry=Retry(NoBackoff(), 1),
                health_check_interval=0,
            )
        except ValueError:
            raise SettingsError("cache_url is not a URL; write it as redis://host:6379/0") from None
        self._deployment = deployment
        self._ttl = ttl_seconds
        self._cooldown = Cooldown(REST_SECONDS)

    def get(self, tenant_id: str, entity_id: str) -> bytes | None:
        """Return the stored value, or None, also when the server does not answer."""
        if self._cooldown.resting:
            return None
        try:
            value = self._redis.get(summary_key(self._deployment, tenant_id, entity_id))
        except RedisError as error:
            self._failed(error)
            return None
        return value if isinstance(value, bytes) else None

    def put(self, tenant_id: str, entity_id: str, value: bytes) -> None:
        """Store a value, if the server answers."""
        if self._cooldown.resting:
            return
        try:
            self._redis.set(summary_key(self._deployment, tenant_id, entity_id), value, ex=self._ttl)
        except RedisError as error:
            self._failed(error)

    def drop(self, tenant_id: str, entity_id: str) -> None:
        """Forget the entity. Raises ``StoreBusy`` when the server does not answer: what is erased must be gone."""
        try:
            self._redis.delete(summary_key(self._deployment, tenant_id, entity_id))
        except RedisError as error:
            self._failed(error)
            raise StoreBusy("the summary cache does not answer; forget again when it does") from None

    def close(self) -> None:
        """Release the connections."""
        self._redis.close()

    def _failed(self, error: RedisError) -> None:
        self._cooldown.failed()
        log.warning("summaries.unreachable", error=type(error).__name__)
