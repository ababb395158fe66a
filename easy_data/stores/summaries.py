"""Hot summaries kept in this process."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

CAPACITY = 2048


class InProcessSummaries:
    """The summary cache of embedded mode: the entities used last, at most 2,048."""

    def __init__(self) -> None:
        self._values: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, tenant_id: str, entity_id: str) -> bytes | None:
        """Return the stored value, or None."""
        with self._lock:
            value = self._values.get((tenant_id, entity_id))
            if value is not None:
                self._values.move_to_end((tenant_id, entity_id))
            return value

    def put(self, tenant_id: str, entity_id: str, value: bytes) -> None:
        """Store a value; the one used longest ago goes when there are too many."""
        with self._lock:
            self._values[tenant_id, entity_id] = value
            self._values.move_to_end((tenant_id, entity_id))
            if len(self._values) > CAPACITY:
                self._values.popitem(last=False)

    def drop(self, tenant_id: str, entity_id: str) -> None:
        """Forget the entity."""
        with self._lock:
            self._values.pop((tenant_id, entity_id), None)

    def close(self) -> None:
        """Do nothing: the values go with the process."""
