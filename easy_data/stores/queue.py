"""Wakes workers by task name, with ids only. What is true stands in SQL: a message that is lost costs time."""

from __future__ import annotations

import os
import time
from urllib.parse import urlsplit

from celery import Celery
from kombu.exceptions import KombuError

from easy_data.schemas.errors import SettingsError, StoreBusy, StoreError
from easy_data.schemas.log import get_logger
from easy_data.schemas.receipts import State
from easy_data.stores.broker import broker_options, broker_queues, is_redis, queue_name
from easy_data.stores.cooldown import Cooldown
from easy_data.stores.task_routes import QUEUES, RANKS, ROUTES, STAGES

log = get_logger(__name__)

# A receipt must not wait for the broker: the row is committed, and the sweeper sends what could not be sent.
WAIT_SECONDS = 1.0
REST_SECONDS = 10.0
# The index of what is written all the time is brought up to date so often; each time costs the more the less it does.
INDEX_SECONDS = 0.5
# More messages than this are never in a queue by the sweeper's doing.
FULL = 1_000


class TaskQueue:
    """The ``WorkQueue`` of the service. Nothing is sent before the first call, and a fork gets connections of its own.

    ``failures`` counts what could not be sent. Raises ``SettingsError`` for a URL that is none.
    """

    def __init__(
        self, url: str, *, tenant_id: str, deployment: str, lease_seconds: float, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        try:
            _ = urlsplit(url).port
        except ValueError:
            raise SettingsError("broker_url is not a URL; write it as redis://host:6379/0") from None
        self._url = url
        self._tenant_id = tenant_id
        self._deployment = deployment
        self._lease_seconds = lease_seconds
        self._wait_seconds = wait_seconds
        self._cooldown = Cooldown(REST_SECONDS)
        self._app: Celery | None = None
        self._errors: tuple[type[Exception], ...] = ()
        self._pid = 0
        self._asked = -INDEX_SECONDS

    @property
    def failures(self) -> int:
        """How many messages could not be sent."""
        return self._cooldown.failures

    def wake(self, state: State, row_id: str) -> None:
        """Ask for the step after ``state`` of a conversation."""
        self._send(STAGES[state], row_id=row_id)

    def index(self) -> None:
        """Ask for the index to be brought up to date: at once when that was not asked lately, else when there is time.

        One message serves all that was written before it is taken, so a second one waits for nothing.
        """
        now = time.monotonic()
        if now - self._asked >= INDEX_SECONDS:
            self._asked = now
            self._send("easy_data.index")
        elif not self._waits(ROUTES["easy_data.index"].queue):
            self._send("easy_data.index", rank=RANKS[-1])

    def summary(self, entity_id: str) -> None:
        """Ask for the hot summary of an entity to be made."""
        self._send("easy_data.summary", entity_id=entity_id)

    def submit(self, submission_id: str, body: str) -> bool:
        """Send a whole conversation, packed; True when the broker has it. The one message that holds what was said."""
        return self._send("easy_data.submit", submission_id=submission_id, body=body)

    def room(self, state: State) -> int:
        """Return how many more messages for this step the sweeper may send; 0 when the broker does not answer."""
        return max(0, FULL - (self.length(ROUTES[STAGES[state]].queue) or 0)) if not self._cooldown.resting else 0

    def lengths(self) -> dict[str, int | None]:
        """Return how many messages wait in each queue; after the first that cannot be asked, no other is."""
        found: dict[str, int | None] = {}
        for name in QUEUES:
            found[name] = None if None in found.values() else self.length(name)
        return found

    def length(self, queue: str) -> int | None:
        """Return how many messages wait in a queue; None when the broker does not answer."""
        name = queue_name(self._url, queue, deployment=self._deployment)
        connection = self._publisher().connection_for_write()
        # On Redis, kombu looks for a passive queue under a key without the prefix; declaring one there costs nothing.
        passive = not is_redis(self._url)
        try:
            with connection.channel() as channel:
                found = channel.queue_declare(queue=name, passive=passive)
        except connection.channel_errors:
            return 0  # nobody made the queue yet
        except (KombuError, OSError, *connection.connection_errors) as error:
            self._failed(error)
            return None
        finally:
            connection.release()
        return int(found.message_count)

    def close(self) -> None:
        """Release the connections; a second call does nothing."""
        if self._app is not None and self._pid == os.getpid():
            self._app.close()
        self._app = None

    def _waits(self, queue: str) -> bool:
        """Tell if a message waits in a queue, or need not be sent because the broker has just failed."""
        if self._cooldown.resting:
            return False
        name = queue_name(self._url, queue, deployment=self._deployment)
        try:
            with self._publisher().producer_pool.acquire(block=True) as producer:
                return bool(producer.channel.queue_declare(queue=name, passive=not is_redis(self._url)).message_count)
        except self._errors as error:
            self._failed(error)
            return True

    def _send(self, task: str, *, rank: int | None = None, **fields: str) -> bool:
        if self._cooldown.resting:
            self._cooldown.failures += 1
            return False
        app, route = self._publisher(), ROUTES[task]
        try:
            app.send_task(
                task,
                kwargs={"tenant_id": self._tenant_id, **fields},
                # What stands for them in headers and logs.
                argsrepr="()",
                kwargsrepr="{...}",
                queue=queue_name(self._url, route.queue, deployment=self._deployment),
                ignore_result=True,
                retry=True,
                # A connection that the broker closed meanwhile is opened again once.
                retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0},
                **({"priority": route.rank if rank is None else rank} if is_redis(self._url) else {}),
            )
        except self._errors as error:
            self._failed(error)
            return False
        self._cooldown.worked()
        return True

    def _publisher(self) -> Celery:
        if self._app is None or self._pid != os.getpid():
            app = Celery("easy_data", set_as_current=False)
            app.conf.update(
                **broker_options(
                    self._url,
                    deployment=self._deployment,
                    lease_seconds=self._lease_seconds,
                    wait_seconds=self._wait_seconds,
                ),
                accept_content=["json"],
                task_serializer="json",
                task_ignore_result=True,
                task_queues=broker_queues(self._url, deployment=self._deployment),
            )
            connection = app.connection_for_write()
            self._errors = (KombuError, OSError, *connection.connection_errors, *connection.channel_errors)
            self._app, self._pid = app, os.getpid()
        return self._app

    def _failed(self, error: Exception) -> None:
        self._cooldown.failed()
        log.warning("queue.unreachable", error=type(error).__name__, failures=self.failures)


def rabbitmq_version(url: str) -> str:
    """Return what RabbitMQ says its version is. Raises ``StoreError`` when it is away or refuses this user."""
    where = f"{urlsplit(url).hostname}:{urlsplit(url).port or 5672}"
    app = Celery("easy_data", broker=url, set_as_current=False)
    app.conf.broker_connection_timeout = WAIT_SECONDS
    connection = app.connection_for_write()
    try:
        connection.connect()
        said = connection.connection.server_properties
    except (*connection.connection_errors, *connection.channel_errors) as error:
        if "ACCESS_REFUSED" in str(error) or "(403)" in str(error):
            raise StoreError(f"RabbitMQ at {where} refuses this user or password; correct broker_url") from None
        raise StoreBusy(f"no RabbitMQ answers at {where}; is it running, and does broker_url name it?") from None
    finally:
        connection.release()
        app.close()
    return str(said.get("version", ""))
