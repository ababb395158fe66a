"""The servers of ``easy-data dev`` in one process: ``python -m easy_data.cli.dev_servers FOLDER``.

It starts PostgreSQL, a broker, a cache and the vector index in ``FOLDER``, writes the settings that name them to
standard output as one JSON object, and ends them all when it is told to end or its parent has.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from easy_data.cli.dev_parent import when_parent_ends
from easy_data.cli.exit_codes import ExitCode, code_of
from easy_data.schemas.errors import EasyDataError, StoreError
from easy_data.stores.edge_server import EdgeServer
from easy_data.stores.local_servers import LocalServer, free_port, own_database, start_postgresql, start_valkey

LOOK_SECONDS = 1.0
# A queue keeps what it has and survives a restart; a cache does neither.
_BROKER = {
    "appendonly": "yes",
    "appendfsync": "everysec",
    "maxmemory": "256mb",
    "maxmemory_policy": "noeviction",
}
_CACHE = {"maxmemory": "64mb", "maxmemory_policy": "allkeys-lfu"}


def main(folder: Path) -> int:
    """Run the servers until SIGTERM or the parent's end; return the exit code."""
    ending = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ending.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    when_parent_ends(ending.set)
    try:
        with ExitStack() as running:
            settings, servers = start(folder, running)
            sys.stdout.write(json.dumps(settings) + "\n")
            sys.stdout.flush()
            while not ending.wait(LOOK_SECONDS):
                gone = [name for name, server in servers.items() if not server.runs()]
                if gone:
                    raise StoreError(f"{' and '.join(gone)} ended; see the logs in {folder}")
    except EasyDataError as error:
        sys.stderr.write(f"{error}\n")
        return code_of(error)
    return ExitCode.OK


def start(folder: Path, running: ExitStack) -> tuple[dict[str, str], dict[str, LocalServer]]:
    """Start everything; return the settings that name it, and the servers that can end by themselves."""
    ports = _ports(folder / "ports.json")
    # Who used the data before is gone, or this folder would be locked: PostgreSQL is this process's to stop.
    (folder / "postgresql" / ".handle_pids.json").unlink(missing_ok=True)
    postgresql = _kept(start_postgresql(folder / "postgresql"), running)
    broker = _kept(start_valkey(folder / "broker", port=ports["broker"], **_BROKER), running)
    cache = _kept(start_valkey(folder / "cache", port=ports["cache"], **_CACHE), running)
    index = EdgeServer(folder / "index", port=ports["index"])
    thread = threading.Thread(target=index.serve_forever, name="index", daemon=True)
    thread.start()
    running.callback(_ended(index, thread))
    settings = {
        "backend": "postgresql",
        "database_url": own_database(postgresql, "easy_data"),
        "broker_url": broker.url,
        "cache_url": cache.url,
        "qdrant_url": index.url,
    }
    return settings, {"PostgreSQL": postgresql, "the broker": broker, "the cache": cache}


def _kept(server: LocalServer, running: ExitStack) -> LocalServer:
    running.callback(server.stop)
    return server


def _ended(index: EdgeServer, thread: threading.Thread) -> Callable[[], None]:
    def end() -> None:
        index.shutdown()
        thread.join()
        index.close()

    return end


def _ports(file: Path) -> dict[str, int]:
    """Return the ports of the last time where they are free, so that what was told to applications stays true."""
    try:
        last = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        last = {}
    ports = {name: free_port(int(last.get(name, 0))) for name in ("broker", "cache", "index")}
    file.write_text(json.dumps(ports), encoding="utf-8")
    return ports


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
