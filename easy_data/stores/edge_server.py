"""A vector server of one machine: the REST calls this package makes of Qdrant, answered by the engine in process.

The engine lets one process have a folder. Where several processes work on one machine and no Qdrant server is at hand,
one of them serves it to the others. Every request is read with qdrant-client's own models, which forbid unknown fields;
what is not served is refused. It listens on the loopback alone, and is no server for a deployment.
"""

from __future__ import annotations

import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter, ValidationError
from qdrant_client import models

from easy_data.stores.edge_collections import Engine
from easy_data.stores.edge_requests import Refused


class EdgeServer(ThreadingHTTPServer):
    """Serves the collections in ``path`` on a port of the loopback. What was acknowledged survives its kill.

    Port 0 lets the system choose. Call ``serve_forever`` on a thread, or the main one; then ``close``.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, path: Path, *, port: int = 0, api_key: str = "", handler: type[EdgeHandler] | None = None
    ) -> None:
        self.api_key = api_key
        # The engine keeps the interpreter lock through a call anyway.
        self.engine_lock = threading.Lock()
        super().__init__(("127.0.0.1", port), handler or EdgeHandler)
        self.engine = Engine(path)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        """Flush the collections and free the port; ``serve_forever`` has returned before."""
        with self.engine_lock:
            self.engine.close()
        self.server_close()


class EdgeHandler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server: EdgeServer

    def handle_request(self) -> None:
        """Answer one request; what goes wrong becomes a status and a reason, as a server gives them."""
        self._body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]
        try:
            self.let_in()
            with self.server.engine_lock:
                result = self.result(parts)
            self.answer(200, result if parts == [""] else {"result": result, "status": "ok", "time": 0.0})
        except Refused as refusal:
            self.answer(refusal.status, {"status": {"error": str(refusal)}, "time": 0.0})
        except ValidationError as error:
            self.answer(400, {"status": {"error": f"Format error in JSON body: {error}"}, "time": 0.0})
        except Exception as error:  # noqa: BLE001 - the engine raises nothing narrower
            self.answer(400, {"status": {"error": f"Wrong input: {error}"}, "time": 0.0})

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_request  # noqa: N815 - the base class names them

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""

    def let_in(self) -> None:
        """Refuse a request that has not the key, when there is one."""
        given = self.headers.get("api-key") or ""
        if self.server.api_key and not secrets.compare_digest(given.encode(), self.server.api_key.encode()):
            raise Refused(401, "Must provide an API key or an Authorization bearer token")

    def result(self, parts: list[str]) -> Any:
        """Carry out what method and path ask for."""
        engine = self.server.engine
        match [self.command, *parts]:
            case ["GET", ""]:
                return {"title": "qdrant - vector search engine", "version": f"edge {version('qdrant-edge-py')}"}
            case ["GET", "collections"]:
                return {"collections": [{"name": name} for name in engine.collections]}
            case ["GET", "aliases"]:
                pairs = engine.aliases.items()
                return {"aliases": [{"alias_name": alias, "collection_name": name} for alias, name in pairs]}
            case ["POST", "collections", "aliases"]:
                engine.change_aliases(self.read(models.ChangeAliasesOperation).actions)
                return True
            case [_, "collections", name]:
                return self._whole(name)
            case [method, "collections", name, *rest]:
                return self._inside(name, f"{method} {'/'.join(rest)}")
        raise Refused(404, "no such route")

    def read(self, form: Any) -> Any:
        """Return the body as the model that qdrant-client made it from."""
        return TypeAdapter(form).validate_json(self._body)

    def answer(self, status: int, content: Any) -> None:
        """Send an answer in one piece."""
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _whole(self, name: str) -> Any:
        engine = self.server.engine
        match self.command:
            case "PUT":
                engine.create(name, self.read(models.CreateCollection))
            case "PATCH":
                engine.collection(name).update_metadata(self.read(models.UpdateCollection).metadata or {})
            case "DELETE":
                return engine.remove(name)
            case _:
                return engine.collection(name).info()
        return True

    def _inside(self, name: str, route: str) -> Any:
        collection = self.server.engine.collection(name)
        match route:
            case "PUT index":
                collection.index_field(self.read(models.CreateFieldIndex))
            case "PUT points":
                collection.upsert(self.read(models.PointsList))
            case "POST points/delete":
                collection.delete(self.read(models.PointsSelector))
            case "POST points/scroll":
                return collection.scroll(self.read(models.ScrollRequest))
            case "POST points/count":
                return collection.count(self.read(models.CountRequest))
            case "POST points/query/batch":
                return [collection.query(each) for each in self.read(models.QueryRequestBatch).searches]
            case _:
                raise Refused(404, "no such route")
        return {"operation_id": 0, "status": "completed" if "wait=true" in self.path else "acknowledged"}
