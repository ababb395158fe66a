"""Receipts of published conversations in Redis: written by workers, taken away by their publishers. Ids, no text."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from easy_data.schemas.errors import SettingsError
from easy_data.schemas.log import get_logger
from easy_data.schemas.publishing import SubmissionReceipt
from easy_data.stores.cooldown import Cooldown
from easy_data.stores.redis_keys import receipt_key

log = get_logger(__name__)

WAIT_SECONDS = 2.0
REST_SECONDS = 5.0
# A publisher that looks later publishes again, and is told again.
TTL_SECONDS = 3600
BATCH = 500


class RedisReceipts:
    """Receipts by submission. What fails is as if it were not there yet: a publisher without a receipt asks again.

    Raises ``SettingsError`` for a URL that is none.
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
            raise SettingsError("the address of the receipts is not a URL; write redis://host:6379/0") from None
        self._deployment = deployment
        self._ttl = ttl_seconds
        self._cooldown = Cooldown(REST_SECONDS)

    def put(self, submission_id: str, receipt: SubmissionReceipt) -> None:
        """Leave a receipt for the publisher, if the server answers."""
        key = receipt_key(self._deployment, submission_id)
        try:
            self._redis.set(key, receipt.model_dump_json(), ex=self._ttl)
        except RedisError as error:
            self._failed(error)

    def take(self, submission_ids: Sequence[str]) -> dict[str, SubmissionReceipt]:
        """Return, and remove, the receipts that are there; none when the server does not answer."""
        found: dict[str, SubmissionReceipt] = {}
        for start in range(0, len(submission_ids), BATCH):
            if self._cooldown.resting:
                break
            batch = submission_ids[start : start + BATCH]
            try:
                with self._redis.pipeline(transaction=False) as pipeline:
                    for each in batch:
                        pipeline.getdel(receipt_key(self._deployment, each))
                    values = pipeline.execute()
            except RedisError as error:
                self._failed(error)
                break
            for each, value in zip(batch, values, strict=True):
                receipt = _read(value)
                if receipt is not None:
                    found[each] = receipt
        return found

    def close(self) -> None:
        """Release the connections."""
        self._redis.close()

    def _failed(self, error: RedisError) -> None:
        self._cooldown.failed()
        log.warning("receipts.unreachable", error=type(error).__name__)


def _read(value: object) -> SubmissionReceipt | None:
    """Return the receipt that a value holds; None for nothing, and for what no worker wrote."""
    if not isinstance(value, bytes):
        return None
    try:
        return SubmissionReceipt.model_validate_json(value)
    except ValidationError:
        log.warning("receipts.unreadable")
        return None
