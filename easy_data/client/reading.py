"""Reads: recall for the next conversation, searches by bucket, and the plain lists behind them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from easy_data.client.part import Part
from easy_data.pipeline.recall import answer
from easy_data.pipeline.recall.summary import summary_text
from easy_data.schemas.checking import checked_instant, checked_limit, checked_model, checked_query
from easy_data.schemas.errors import InputError
from easy_data.schemas.ids import checked_name
from easy_data.schemas.recall import Context, MemoryHit, RecallRequest, RouteName
from easy_data.schemas.records import LIVE_STATUSES, Bucket, Entity, EventRecord, ProfileRecord, WorkspaceRecord
from easy_data.stores.repositories import entities, memories


class Reading(Part):
    """The read methods of ``EasyMemory``."""

    def recall(  # noqa: PLR0913 - each is optional, by keyword
        self,
        entity_id: str,
        query: str = "",
        *,
        top_k: int | None = None,
        buckets: Sequence[Bucket | str] = (),
        event_types: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        routes: Sequence[RouteName] = (),
        as_of: datetime | None = None,
        budget: int | None = None,
    ) -> Context:
        """Return the few memories that matter for ``query``, ready for the prompt as ``context.text``.

        ``top_k`` is clamped to 0..100; ``since`` and ``until`` are aware, half-open. ``routes`` are of "profile",
        "events", "workspace" and "turns". ``as_of`` asks for how things stood at an instant. ``budget`` is the most
        tokens, by estimate, that the text may take. Memories that cannot be had from the index come from SQL, said in
        ``context.degraded``. Raises ``InputError``.
        """
        request = checked_model(
            RecallRequest,
            {
                "entity_id": checked_name(entity_id, field="entity_id"),
                "query": query,
                "top_k": self._runtime.settings.top_k if top_k is None else top_k,
                "buckets": _buckets(buckets),
                "event_types": tuple(event_types),
                "since": checked_instant(since, field="since"),
                "until": checked_instant(until, field="until"),
                "routes": tuple(routes),
                "as_of": checked_instant(as_of, field="as_of"),
                "budget": budget,
            },
        )
        return answer.recall(request, self._runtime)

    def entity(self, entity_id: str) -> Entity | None:
        """Return whom memories are about, with time zone and language, or None when nobody is known by that name."""
        scope = self._runtime.scope(checked_name(entity_id, field="entity_id"))
        with self._runtime.database.read() as connection:
            return entities.find(connection, scope)

    def summary(self, entity_id: str) -> str:
        """Return the short text of what is known about an entity."""
        return summary_text(self._runtime, self._runtime.scope(checked_name(entity_id, field="entity_id")))

    def search_profile(
        self, entity_id: str, query: str, *, attr_names: Sequence[str] = (), limit: int = 10
    ) -> list[MemoryHit]:
        """Return the facts that fit a query best."""
        return self._search(entity_id, query, Bucket.PROFILE, kinds=attr_names, limit=limit)

    def search_events(
        self,
        entity_id: str,
        query: str,
        *,
        event_types: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 10,
    ) -> list[MemoryHit]:
        """Return the events that fit a query best, of given types and within a half-open range of time."""
        return self._search(entity_id, query, Bucket.EVENT, kinds=event_types, since=since, until=until, limit=limit)

    def search_workspace(self, entity_id: str, query: str, *, limit: int = 10) -> list[MemoryHit]:
        """Return the tasks that fit a query best, open and closed."""
        return self._search(entity_id, query, Bucket.WORKSPACE, limit=limit)

    def load_workspace(self, entity_id: str, task_id: str) -> WorkspaceRecord | None:
        """Return the task with this id, or None."""
        found = self._tasks(entity_id, task_id=checked_name(task_id, field="task_id"), limit=1)
        return found[0] if found else None

    def open_tasks(self, entity_id: str, *, limit: int = 100) -> list[WorkspaceRecord]:
        """Return the tasks that wait to be resumed, the last touched first."""
        return self._tasks(entity_id, closed=False, limit=limit)

    def profile(self, entity_id: str, *, attr_names: Sequence[str] = (), limit: int = 500) -> list[ProfileRecord]:
        """Return the live facts of an entity, the newest first."""
        scope = self._runtime.scope(checked_name(entity_id, field="entity_id"))
        with self._runtime.database.read() as connection:
            return memories.profile(
                connection, scope, attr_names=attr_names, statuses=LIVE_STATUSES, limit=checked_limit(limit)
            )

    def events(
        self,
        entity_id: str,
        *,
        event_types: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        before: EventRecord | None = None,
        limit: int = 100,
    ) -> list[EventRecord]:
        """Return events, the newest first; ``before`` is the last event of the page before."""
        scope = self._runtime.scope(checked_name(entity_id, field="entity_id"))
        behind = (before.happened_at, before.id) if before is not None and before.happened_at is not None else None
        with self._runtime.database.read() as connection:
            return memories.events_page(
                connection,
                scope,
                event_types=event_types,
                since=checked_instant(since, field="since"),
                until=checked_instant(until, field="until"),
                before=behind,
                limit=checked_limit(limit),
            )

    def rerank(self, entity_id: str, query: str, hits: Sequence[MemoryHit], *, top_k: int = 5) -> list[MemoryHit]:
        """Order hits of several searches together by relevance, freshness and conflict."""
        scope = self._runtime.scope(checked_name(entity_id, field="entity_id"))
        return answer.rerank(self._runtime, scope, checked_query(query), list(hits))[
            : checked_limit(top_k, field="top_k")
        ]

    def _search(
        self,
        entity_id: str,
        query: str,
        bucket: Bucket,
        *,
        kinds: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int,
    ) -> list[MemoryHit]:
        return answer.search(
            self._runtime,
            self._runtime.scope(checked_name(entity_id, field="entity_id")),
            checked_query(query),
            buckets=(bucket,),
            kinds=tuple(kinds),
            since=checked_instant(since, field="since"),
            until=checked_instant(until, field="until"),
            limit=checked_limit(limit),
        )

    def _tasks(
        self, entity_id: str, *, task_id: str | None = None, closed: bool | None = None, limit: int
    ) -> list[WorkspaceRecord]:
        scope = self._runtime.scope(checked_name(entity_id, field="entity_id"))
        with self._runtime.database.read() as connection:
            return memories.tasks(connection, scope, task_id=task_id, closed=closed, limit=checked_limit(limit))


def _buckets(names: Sequence[Bucket | str]) -> tuple[Bucket, ...]:
    try:
        return tuple(Bucket(name) for name in names)
    except (TypeError, ValueError):
        raise InputError(f"must be of {', '.join(b.value for b in Bucket)}", field="buckets") from None
