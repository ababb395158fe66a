"""One Qdrant server as a process talks to it: a client of its own for each process, and errors in our words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from easy_data.schemas.errors import IndexUnavailable, SettingsError, StoreError

_UNKNOWN_VECTOR = "not existing vector name"


class QdrantConnection:
    """Clients of one server, made on first use and one for each process, so that no fork shares a socket."""

    def __init__(self, url: str, *, api_key: str | None, timeout: float) -> None:
        """Keep the address; nothing is sent. ``timeout`` is in seconds, rounded up to whole ones.

        Raises ``SettingsError`` for a URL that is none.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise SettingsError("qdrant_url: its port is not a number") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError("qdrant_url: must look like http://host:6333")
        self._url, self._api_key, self._timeout = url, api_key, timeout
        # Without user and password, which a URL may hold.
        self.address = f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port else "")
        self._clients: dict[int, QdrantClient] = {}

    @contextmanager
    def client(self) -> Iterator[QdrantClient]:
        """Yield this process's client; what it raises leaves as a ``StoreError`` that has it as its cause."""
        pid = os.getpid()
        found = self._clients.get(pid)
        if found is None:
            made = QdrantClient(
                url=self._url,
                api_key=self._api_key,
                timeout=self._timeout,  # type: ignore[arg-type]  # declared as whole seconds, rounds up by itself
                prefer_grpc=False,
                check_compatibility=False,
            )
            # The client of a parent stays in the dictionary: closing it here would be to close the parent's sockets.
            found = self._clients.setdefault(pid, made)
        try:
            yield found
        except ResponseHandlingException as error:
            cause = type(error.source).__name__
            raise IndexUnavailable(f"the vector index at {self.address} does not answer: {cause}") from error
        except json.JSONDecodeError as error:
            raise IndexUnavailable(f"what answers at {self.address} is not Qdrant; check qdrant_url") from error
        except ResourceExhaustedResponse as error:
            raise IndexUnavailable(f"the vector index at {self.address} is overloaded") from error
        except UnexpectedResponse as error:
            raise self._refusal(error) from error

    def close(self) -> None:
        """Close this process's client, if it has one."""
        found = self._clients.pop(os.getpid(), None)
        if found is not None:
            found.close()

    def _refusal(self, error: UnexpectedResponse) -> StoreError:
        status = error.status_code or 0
        said = _reason(error)
        if status in (401, 403):
            # An outage: keys are changed while processes run, and memories are served from SQL until they agree.
            return IndexUnavailable(f"the vector index at {self.address} refused the key; check qdrant_api_key")
        if is_missing(error):
            return IndexUnavailable(f"the vector index at {self.address} has no such collection")
        if is_of_other_model(error):
            return IndexUnavailable(f"the vector index at {self.address} serves another embedding model")
        if status == 429 or status >= 500:  # noqa: PLR2004 - HTTP
            return IndexUnavailable(f"the vector index at {self.address} failed with status {status}: {said}")
        return StoreError(f"the vector index at {self.address} refused the request with status {status}: {said}")


def queried(name: str, requests: list[models.QueryRequest], client: QdrantClient) -> list[models.QueryResponse]:
    """Send the requests in one. The client's own call first copies each vector number by number, in case it is text."""
    batch = models.QueryRequestBatch(searches=requests)
    found: list[models.QueryResponse] | None = client.http.search_api.query_batch_points(
        collection_name=name, query_request_batch=batch
    ).result
    return found or []


def is_missing(refusal: BaseException | None) -> bool:
    """Tell whether the server refused because it has no such collection or alias."""
    return isinstance(refusal, UnexpectedResponse) and refusal.status_code == 404  # noqa: PLR2004 - HTTP


def is_of_other_model(refusal: BaseException | None) -> bool:
    """Tell whether the server refused because the collection holds the vectors of another model."""
    return isinstance(refusal, UnexpectedResponse) and _UNKNOWN_VECTOR in _reason(refusal).lower()


def _reason(error: UnexpectedResponse) -> str:
    """Return the first line of what the server gives as its reason; it names fields and sizes, never a payload."""
    try:
        reason = str(error.structured()["status"]["error"])
    except (ValueError, KeyError, TypeError):
        return error.reason_phrase
    return (reason.splitlines() or [""])[0][:200]
