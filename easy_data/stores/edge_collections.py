"""Collections and aliases of a Qdrant server, kept in a folder by the engine in process.

What ``edge_server`` answers with: the part of a server's behaviour that this package uses. Anything else is refused,
never guessed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import qdrant_edge as edge
from pydantic import BaseModel
from qdrant_client import models

from easy_data.stores.edge_requests import (
    Refused,
    edge_config,
    engine_filter,
    engine_id,
    engine_params,
    engine_vector,
    nearest,
)

_LONGEST_NAME = 255


class Collection:
    """One collection: what it was made with, and its points."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes = folder / "collection.json"
        notes = json.loads(self._notes.read_text("utf-8"))
        self.config = models.CreateCollection.model_validate(notes["config"])
        self.name: str = notes["name"]
        self.schema: dict[str, Any] = notes["schema"]
        self.shard = edge.EdgeShard.load(str(folder / "shard"), edge_config(self.config))

    @classmethod
    def make(cls, folder: Path, name: str, config: models.CreateCollection) -> Collection:
        """Make a collection, whole or not at all, and open it."""
        draft = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(draft, ignore_errors=True)
        (draft / "shard").mkdir(parents=True)
        edge.EdgeShard.create(str(draft / "shard"), edge_config(config)).close()
        _write(draft / "collection.json", {"name": name, "config": _plain(config), "schema": {}})
        draft.rename(folder)
        return cls(folder)

    def update_metadata(self, changes: dict[str, Any]) -> None:
        """Merge into the collection's notes; None takes a key out."""
        merged = {**(self.config.metadata or {}), **changes}
        self.config.metadata = {key: value for key, value in merged.items() if value is not None}
        self._save()

    def index_field(self, request: models.CreateFieldIndex) -> None:
        """Index a field of the payload, keywords or floats."""
        schema = request.field_schema
        if isinstance(schema, models.KeywordIndexParams):
            index: Any = edge.KeywordIndexParams(is_tenant=schema.is_tenant)
        elif isinstance(schema, models.FloatIndexParams):
            index = edge.FloatIndexParams()
        else:
            raise Refused(501, "this server indexes keywords and floats")
        self.shard.update(edge.UpdateOperation.create_field_index(request.field_name, index))
        self.schema[request.field_name] = _plain(schema)
        self._save()

    def info(self) -> dict[str, Any]:
        """Describe the collection as a server does."""
        schema = {
            field: {"data_type": params["type"], "params": params, "points": 0} for field, params in self.schema.items()
        }
        params = {"vectors": _plain(self.config)["vectors"], "sparse_vectors": _plain(self.config)["sparse_vectors"]}
        hnsw = {"m": 0, "ef_construct": 100, "full_scan_threshold": 10_000}
        optimizer = {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0}
        return {
            "status": "green",
            "optimizer_status": "ok",
            "points_count": self.shard.count(edge.CountRequest(exact=True)),
            "segments_count": self.shard.info().segments_count,
            "config": {
                "params": params,
                "hnsw_config": hnsw,
                "optimizer_config": {**optimizer, "flush_interval_sec": 5},
                "metadata": self.config.metadata,
            },
            "payload_schema": schema,
        }

    def upsert(self, request: models.PointsList) -> None:
        """Insert or replace points; with a filter, only those it lets pass or that are new."""
        points = [
            edge.Point(id=engine_id(point.id), vector=_named(point.vector), payload=point.payload or {})
            for point in request.points
        ]
        condition = engine_filter(request.update_filter) if request.update_filter else None
        self.shard.update(edge.UpdateOperation.upsert_points(points, condition=condition))

    def delete(self, selector: models.PointsSelector) -> None:
        """Remove points by id or by a filter."""
        if isinstance(selector, models.PointIdsList):
            operation = edge.UpdateOperation.delete_points([engine_id(each) for each in selector.points])
        else:
            operation = edge.UpdateOperation.delete_points_by_filter(engine_filter(selector.filter))
        self.shard.update(operation)

    def scroll(self, request: models.ScrollRequest) -> dict[str, Any]:
        """Return a page of points and where the next one begins."""
        page = edge.ScrollRequest(
            offset=None if request.offset is None else engine_id(request.offset),
            limit=request.limit or 10,
            filter=engine_filter(request.filter) if request.filter else None,
            with_payload=_wanted_payload(request.with_payload),
        )
        records, following = self.shard.scroll(page)
        points = [{"id": str(record.id), "payload": record.payload} for record in records]
        return {"points": points, "next_page_offset": None if following is None else str(following)}

    def count(self, request: models.CountRequest) -> dict[str, int]:
        """Count the points that a filter lets pass."""
        wanted = engine_filter(request.filter) if request.filter else None
        return {"count": self.shard.count(edge.CountRequest(exact=True, filter=wanted))}

    def query(self, request: models.QueryRequest) -> dict[str, Any]:
        """Return the nearest points."""
        first = request.prefetch if isinstance(request.prefetch, list) else [request.prefetch]
        found = self.shard.query(
            edge.QueryRequest(
                limit=request.limit or 10,
                query=nearest(request),
                prefetches=[
                    edge.Prefetch(
                        limit=each.limit or 10,
                        query=nearest(each),
                        filter=engine_filter(each.filter) if each.filter else None,
                        params=engine_params(each.params),
                    )
                    for each in first
                    if each is not None
                ],
                filter=engine_filter(request.filter) if request.filter else None,
                params=engine_params(request.params),
            )
        )
        return {"points": [{"id": str(hit.id), "version": hit.version, "score": hit.score} for hit in found]}

    def close(self) -> None:
        """Flush and release."""
        self.shard.flush()
        self.shard.close()

    def remove(self) -> None:
        """Delete it with its folder."""
        self.shard.close()
        shutil.rmtree(self._folder)

    def _save(self) -> None:
        _write(self._notes, {"name": self.name, "config": _plain(self.config), "schema": self.schema})


class Engine:
    """The collections of one folder by name, and the aliases."""

    def __init__(self, folder: Path) -> None:
        self._collections = folder / "collections"
        self._collections.mkdir(parents=True, exist_ok=True)
        self._alias_file = folder / "aliases.json"
        self.aliases: dict[str, str] = json.loads(self._alias_file.read_text()) if self._alias_file.exists() else {}
        folders = [notes.parent for notes in self._collections.glob("*/collection.json")]
        found = [Collection(each) for each in folders if not each.name.endswith(".new")]
        self.collections = {each.name: each for each in found}

    def collection(self, name: str) -> Collection:
        """Return a collection by its name or alias; refuse when it is not there."""
        found = self.collections.get(self.aliases.get(name, name))
        if found is None:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return found

    def create(self, name: str, config: models.CreateCollection) -> None:
        """Make a collection."""
        if name in self.collections or name in self.aliases:
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        if len(name) > _LONGEST_NAME or set(name) & set('<>:"/\\|?*\0\x1f'):
            raise Refused(422, "Validation error in path parameters: collection name")
        self.collections[name] = Collection.make(self._collections / quote(name, safe=""), name, config)

    def remove(self, name: str) -> bool:
        """Delete a collection and its aliases; False when there is none."""
        found = self.collections.pop(name, None)
        if found is not None:
            found.remove()
            self._set_aliases({alias: target for alias, target in self.aliases.items() if target != name})
        return found is not None

    def change_aliases(self, operations: list[models.AliasOperations]) -> None:
        """Carry out changes of aliases, all of them or none."""
        aliases = dict(self.aliases)
        for operation in operations:
            if isinstance(operation, models.CreateAliasOperation):
                made = operation.create_alias
                aliases[made.alias_name] = self.collection(made.collection_name).name
            elif isinstance(operation, models.DeleteAliasOperation):
                aliases.pop(operation.delete_alias.alias_name, None)
            else:
                raise Refused(501, "this server renames no alias")
        self._set_aliases(aliases)

    def close(self) -> None:
        """Flush and release."""
        for collection in self.collections.values():
            collection.close()

    def _set_aliases(self, aliases: dict[str, str]) -> None:
        _write(self._alias_file, aliases)
        self.aliases = aliases


def _write(path: Path, content: Any) -> None:
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(json.dumps(content), "utf-8")
    draft.replace(path)


def _plain(model: BaseModel) -> Any:
    return model.model_dump(mode="json", exclude_none=True)


def _named(vectors: object) -> dict[str, Any]:
    if not isinstance(vectors, dict):
        raise Refused(501, "this server wants named vectors")
    return {name: engine_vector(vector) for name, vector in vectors.items()}


def _wanted_payload(selector: object) -> bool | list[str]:
    if isinstance(selector, bool) or selector is None:
        return selector is not False
    if isinstance(selector, list):
        return selector
    raise Refused(501, "this server takes the names of fields")
