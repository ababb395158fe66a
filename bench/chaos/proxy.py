"""A TCP proxy whose links can go half-open: sockets stay, bytes are swallowed, and neither side is told."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

_CHUNK = 65_536


class Proxy:
    """Forwards to ``port`` on the loopback while ``silent`` is False. Runs in a thread of its own."""

    def __init__(self, port: int) -> None:
        self._target = port
        self.silent = False
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._stop: asyncio.Event

    def start(self) -> None:
        self._thread.start()
        self._ready.wait(10)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        links = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for link in links:
            link.cancel()
        await asyncio.gather(*links, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            links = [asyncio.create_task(self._pump(reader, back)), asyncio.create_task(self._pump(there, writer))]
            await asyncio.wait(links, return_when=asyncio.FIRST_COMPLETED)
            back.close()
        writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(_CHUNK):
                if not self.silent:
                    writer.write(data)
                    await writer.drain()
