"""``easy-data dev``: the whole service on one machine, with servers from wheels."""

from __future__ import annotations

import json
import re
import shlex
import signal
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from easy_data.cli.dev_children import Child
from easy_data.cli.opening import log_to_standard_error
from easy_data.cli.output import Output, write_json
from easy_data.cli.session import Session, session_of
from easy_data.pipeline.runtime import service_part
from easy_data.providers.clock import SystemClock
from easy_data.schemas.errors import SettingsError
from easy_data.schemas.settings import CONFIG_VARIABLE, PREFIX, environment_with, load_settings
from easy_data.stores.store_lock import StoreLock

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

LOOK_SECONDS = 0.5
_NAMES = {"database_url": "PostgreSQL", "broker_url": "broker", "cache_url": "cache", "qdrant_url": "index"}


@app.command()
def dev(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Option("--folder", file_okay=False, help="Where the data are kept; they stay when it ends.")
    ] = Path("easy_data_dev"),
    workers: Annotated[int, typer.Option("--workers", min=1, help="Worker processes.")] = 2,
) -> None:
    """Run PostgreSQL, a broker, a cache, the vector index, workers and beat on this machine until Ctrl-C.

    For development and trials: everything listens on this machine alone, without passwords.
    """
    session = session_of(context)
    log_to_standard_error()
    folder = _prepared(folder)
    try:
        with ExitStack() as running:
            _locked(folder, running)
            signal.signal(signal.SIGTERM, _interrupt)
            children = _started(folder, workers, session, running)
            while True:
                for child in children:
                    child.refuse_ended(seconds=LOOK_SECONDS)
    except KeyboardInterrupt:
        if not session.json:
            typer.echo(f"stopped; the data are in {folder}")


def _started(folder: Path, workers: int, session: Session, running: ExitStack) -> list[Child]:
    """Start the servers, then what works on them; say where they are once all are ready."""
    own = {CONFIG_VARIABLE: str(session.config.resolve())} if session.config is not None else {}
    servers = _kept(Child("servers", "easy_data.cli.dev_servers", [str(folder)], environment_with({}) | own), running)
    settings = servers.ready()
    # What is set besides, such as a chat model, is looked at before a worker fails on it.
    load_settings(config=session.config, **settings)
    environment = environment_with(settings) | own
    commands = {"worker": ["--json", "worker", "--concurrency", str(workers)], "beat": ["--json", "beat"]}
    working = [
        _kept(Child(name, "easy_data.cli.dev_parent", arguments, environment), running)
        for name, arguments in commands.items()
    ]
    for child in working:
        child.ready()
    _say(folder, settings, workers, session)
    return [servers, *working]


def _kept(child: Child, running: ExitStack) -> Child:
    running.callback(child.stop)
    return child


def _say(folder: Path, settings: dict[str, str], workers: int, session: Session) -> None:
    file = folder / "easy_data.toml"
    file.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()), encoding="utf-8")
    if session.json:
        write_json({"ready": True, "folder": str(folder), "settings": settings, "config": str(file)})
        return
    lines = [f"The service runs in {folder}; Ctrl-C stops it, the data stay.", ""]
    lines += [f"  {title:<11} {settings[name]}" for name, title in _NAMES.items()]
    lines += [f"  {'workers':<11} {workers}, and beat", "", "For the processes that use it:", ""]
    lines += [f"export {PREFIX}{name.upper()}={shlex.quote(value)}" for name, value in settings.items()]
    lines += ["", "or the same from a file:", "", f"export {CONFIG_VARIABLE}={shlex.quote(str(file))}", ""]
    Output().out("\n".join(lines))


def _prepared(folder: Path) -> Path:
    folder = folder.resolve()
    if re.search(r"[\s\"']", str(folder)):
        raise SettingsError(f"the servers take no folder with a space or a quote in its path: {folder}; name another")
    service_part("easy_data.stores.local_servers").refuse_closed_folder(folder / "postgresql")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{folder} cannot be made ({error.strerror}); name another --folder") from None
    return folder


def _locked(folder: Path, running: ExitStack) -> None:
    lock = StoreLock(folder / "dev", remedy="stop it there, or name another --folder")
    lock.acquire(now=SystemClock().now())
    running.callback(lock.release)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
