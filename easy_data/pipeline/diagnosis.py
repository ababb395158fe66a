"""The doctor: is the store well, does the index agree with it, does anything wait too long."""

from __future__ import annotations

from datetime import timedelta

from easy_data.pipeline.indexing import drift
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import EasyDataError
from easy_data.schemas.insight import Check
from easy_data.schemas.receipts import Outcome
from easy_data.stores import migrate
from easy_data.stores.repositories import conversations, outbox

LATE = timedelta(minutes=5)


def diagnose(runtime: Runtime, *, failure: str = "", notice: str = "") -> list[Check]:
    """Look at every part and return what was found.

    ``failure`` is the worker thread's last error while it lasts, ``notice`` what it mended at its start.
    """
    return [
        _schema(runtime),
        _inbox(runtime),
        _dead(runtime),
        _index(runtime),
        _embedder(runtime),
        _background(failure, notice),
    ]


def _background(failure: str, notice: str) -> Check:
    if failure:
        remedy = "see the log; the thread goes on by itself once the cause is gone"
        return Check(name="background", state="error", found=f"the last pass failed: {failure}", remedy=remedy)
    return Check(name="background", state="ok", found=notice or "running")


def _schema(runtime: Runtime) -> Check:
    with runtime.database.read() as connection:
        found = migrate.current(connection)
    good = found == migrate.HEAD
    return Check(
        name="schema",
        state="ok" if good else "error",
        found=f"{runtime.database.dialect}, schema {found}, this release needs {migrate.HEAD}",
        remedy="" if good else "open the store once with this release",
    )


def _inbox(runtime: Runtime) -> Check:
    with runtime.database.read() as connection:
        number, oldest = conversations.open_count(connection, runtime.settings.tenant_id)
        waiting = outbox.waiting(connection, runtime.settings.tenant_id)
    late = oldest is not None and runtime.clock.now() - oldest > LATE
    return Check(
        name="inbox",
        state="warning" if late else "ok",
        found=f"{number} conversations in progress, {waiting} memories to be indexed",
        remedy="the oldest waits for over five minutes: is the model reachable?" if late else "",
    )


def _dead(runtime: Runtime) -> Check:
    with runtime.database.read() as connection:
        dead = conversations.with_outcome(connection, runtime.settings.tenant_id, Outcome.DEAD_LETTER, limit=1000)
    return Check(
        name="dead letters",
        state="warning" if dead else "ok",
        found=f"{len(dead)} conversations could not be processed",
        remedy="read memory.dead_letters() and replay them" if dead else "",
    )


def _index(runtime: Runtime) -> Check:
    try:
        state, wrong = runtime.index.state(), drift(runtime)
    except EasyDataError as error:
        return Check(name="index", state="error", found=str(error), remedy="run: easy-data reindex")
    return Check(
        name="index",
        state="warning" if wrong else "ok",
        found=f"{state.collection}: {state.points} memories, {wrong} differ from SQL"
        + (f"; rebuilt: {state.rebuilt_reason}" if state.rebuilt_reason else ""),
        remedy="run: easy-data reindex" if wrong else "",
    )


def _embedder(runtime: Runtime) -> Check:
    try:
        size = len(runtime.embedder.embed(["ok"])[0])
    except EasyDataError as error:
        return Check(name="embedder", state="error", found=str(error), remedy="check embedding_base_url and its key")
    good = size == runtime.embedder.size
    found = f"{runtime.embedder.name}, {size} dimensions"
    remedy = "" if good else "set embedding_size to what the model gives"
    return Check(name="embedder", state="ok" if good else "error", found=found, remedy=remedy)
