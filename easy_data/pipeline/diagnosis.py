"""The doctor: is the store well, does the index agree with it, does anything wait too long."""

from __future__ import annotations

import importlib
from datetime import timedelta

from easy_data.pipeline.connections import check_connections
from easy_data.pipeline.indexing import drift
from easy_data.pipeline.operating import service_status
from easy_data.pipeline.runtime import Runtime
from easy_data.schemas.errors import EasyDataError
from easy_data.schemas.insight import Check
from easy_data.schemas.service_status import ModelDay, ServiceStatus
from easy_data.schemas.settings import Settings
from easy_data.stores import migrate

LATE = timedelta(minutes=5)
# A question to the chat model takes this long at most; the doctor's patient is not kept waiting.
MODEL_SECONDS = 20.0


def diagnose(runtime: Runtime, *, failure: str = "", notice: str = "") -> list[Check]:
    """Look at every part and return what was found; a chat model, if one is set, is asked one small question.

    ``failure`` is the worker thread's last error while it lasts, ``notice`` what it mended at its start.
    """
    settings = runtime.settings
    service = settings.backend == "postgresql"
    status = service_status(runtime)
    return [
        *(check_connections(settings, runtime.clock) if service else ()),
        _schema(runtime),
        *([_queues(status)] if status.queues else ()),
        _inbox(status, service=service),
        _dead(status),
        _index(runtime),
        _embedder(runtime),
        *_chat_model(settings, status.model_today),
        _background(failure, notice),
    ]


def _queues(status: ServiceStatus) -> Check:
    if None in status.queues.values():
        remedy = "conversations are kept and go on when it is back"
        return Check(name="queues", state="error", found="the broker does not answer", remedy=remedy)
    found = ", ".join(f"{name} {number}" for name, number in status.queues.items())
    return Check(name="queues", state="ok", found=found)


def _chat_model(settings: Settings, day: ModelDay) -> list[Check]:
    if not settings.llm_base_url or settings.extractor == "patterns":
        return []
    if day.is_spent:
        found = f"the {day.budget} tokens of {day.day} are used up: {day.over_budget} conversations went without it"
        remedy = "patterns alone read until 00:00 UTC; a higher llm_daily_tokens ends that at once"
        return [Check(name="chat model", state="warning", found=found, remedy=remedy)]
    limits = {"llm_attempts": 1, "llm_timeout_seconds": min(MODEL_SECONDS, settings.llm_timeout_seconds)}
    found = f"{settings.llm_model} answers"
    try:
        importlib.import_module("easy_data.pipeline.models").ask_if_ready(settings.model_copy(update=limits))
    except EasyDataError as error:
        remedy = "conversations wait for it; check llm_base_url, llm_model and its key"
        return [Check(name="chat model", state="error", found=str(error), remedy=remedy)]
    return [Check(name="chat model", state="ok", found=found)]


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
        remedy="" if good else "run: easy-data db upgrade",
    )


def _inbox(status: ServiceStatus, *, service: bool) -> Check:
    found = f"{status.open} conversations in progress, {status.unindexed} memories to be indexed"
    if status.postponed:
        found += "; they wait for: " + ", ".join(f"{code} {number}" for code, number in status.postponed.items())
    remedies = []
    if _late(status.oldest_due_seconds) and service:
        remedies.append("the oldest waits for a worker for over five minutes: does one run, and beat or a sweep?")
    elif _late(status.oldest_open_seconds):
        remedies.append("the oldest waits for over five minutes: is the model reachable?")
    if _late(status.oldest_unindexed_seconds):
        remedies.append("the index is behind for over five minutes: does it answer, and does a worker run?")
    return Check(name="inbox", state="warning" if remedies else "ok", found=found, remedy="; ".join(remedies))


def _late(seconds: float | None) -> bool:
    return seconds is not None and seconds > LATE.total_seconds()


def _dead(status: ServiceStatus) -> Check:
    number = status.dead_letters
    return Check(
        name="dead letters",
        state="warning" if number else "ok",
        found=f"{number} conversations could not be processed",
        remedy="run: easy-data deadletter list; when the cause is gone: easy-data deadletter replay --all"
        if number
        else "",
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
