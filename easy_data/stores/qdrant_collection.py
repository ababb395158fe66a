"""A collection on a Qdrant server, and the alias that says which collection is in service.

The vectors in a collection are named after what made them. A process that is set to another model, or is of a release
with other keyword rules, and writes or asks through the alias is therefore refused by the server itself, in the same
step: after a change of the model no late worker can mix its vectors with the new ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from qdrant_client import models

from easy_data.schemas.errors import IndexUnavailable, StoreError
from easy_data.schemas.ids import new_id
from easy_data.stores.index_points import LAYOUT_VERSION, SCOPE, collection_name
from easy_data.stores.keywords import KEYWORDS_VERSION
from easy_data.stores.qdrant_connection import QdrantConnection, is_missing

KEYWORD_VECTOR = f"keyword-k{KEYWORDS_VERSION}-l{LAYOUT_VERSION}"

# Why the collection must be filled, and a word for that occasion; a tenant that has filled it notes the word.
_REBUILD = "rebuild"
_OCCASION = "occasion"
_KEYWORD = models.KeywordIndexType.KEYWORD
_PAYLOAD_INDEXES: dict[str, models.PayloadSchemaParams] = {
    SCOPE: models.KeywordIndexParams(type=_KEYWORD, is_tenant=True),
    "bucket": models.KeywordIndexParams(type=_KEYWORD),
    "kind": models.KeywordIndexParams(type=_KEYWORD),
    "status": models.KeywordIndexParams(type=_KEYWORD),
    "happened_at": models.FloatIndexParams(type=models.FloatIndexType.FLOAT),
}


@dataclass(frozen=True)
class QdrantCollection:
    """The collection for vectors of ``size`` numbers made by ``embedder``; ``prefix`` sets deployments apart.

    All tenants share it, and each fills it from its own rows: why it must be filled is noted once, that it was filled
    is noted for ``tenant``.
    """

    connection: QdrantConnection
    prefix: str
    embedder: str
    size: int
    tenant: str = ""

    @property
    def name(self) -> str:
        """The collection's name."""
        return f"{self._stem}{self.dense_vector}"

    @property
    def alias(self) -> str:
        """The name of whichever collection of this deployment is in service."""
        return f"{self._stem}memories"

    @property
    def dense_vector(self) -> str:
        """The name of the dense vector of each point."""
        return collection_name(self.embedder, self.size)

    def ensure(self) -> None:
        """Make the collection and its payload indexes where they are missing; what is there is left alone.

        Raises ``StoreError`` when another kind of collection has the name.
        """
        try:
            info = self.info()
        except IndexUnavailable as error:
            if not is_missing(error.__cause__):
                raise
            self._create()
            info = self.info()
        vectors = info.config.params.vectors
        mine = vectors.get(self.dense_vector) if isinstance(vectors, dict) else None
        if mine is None or mine.size != self.size:
            raise StoreError(f"the collection {self.name} was not made by this program; set another deployment name")
        for field, schema in _PAYLOAD_INDEXES.items():
            if field not in info.payload_schema:
                with self.connection.client() as client:
                    client.create_payload_index(self.name, field, field_schema=schema, wait=True)

    def info(self) -> models.CollectionInfo:
        """Describe the collection. Raises ``IndexUnavailable`` when it is not there, too."""
        with self.connection.client() as client:
            return client.get_collection(self.name)

    def served(self) -> str | None:
        """Return the name of the collection that the alias stands for, or None."""
        with self.connection.client() as client:
            aliases = client.get_aliases().aliases
        return next((each.collection_name for each in aliases if each.alias_name == self.alias), None)

    def serve(self) -> None:
        """Let the alias stand for this collection from now on, in one step."""
        gone = models.DeleteAlias(alias_name=self.alias)
        made = models.CreateAlias(collection_name=self.name, alias_name=self.alias)
        with self.connection.client() as client:
            client.update_collection_aliases(
                [models.DeleteAliasOperation(delete_alias=gone), models.CreateAliasOperation(create_alias=made)]
            )

    def others(self) -> list[str]:
        """Return the names of this deployment's other collections: other models, other versions."""
        with self.connection.client() as client:
            found = client.get_collections().collections
        names = (each.name for each in found)
        return sorted(name for name in names if name.startswith(self._stem) and name != self.name)

    def rebuild_reason(self) -> str:
        """Return why the tenant's points must be put in again from SQL; "" when they need not."""
        notes = self.info().config.metadata or {}
        reason = str(notes.get(_REBUILD, "it was not known if all points are in"))
        return "" if notes.get(self._filled) == notes.get(_OCCASION, "") else reason

    def mark(self, reason: str) -> None:
        """Write down why the points of all tenants must be put in again; "" when those of this one are in."""
        notes = _empty(reason) if reason else {self._filled: (self.info().config.metadata or {}).get(_OCCASION, "")}
        with self.connection.client() as client:
            client.update_collection(self.name, metadata=notes)

    def drop(self, name: str) -> None:
        """Delete another collection of this deployment. Raises ``StoreError`` for one in service or of others."""
        if name not in self.others() or name == self.served():
            raise StoreError(f"the collection {name} is in service, or is none of this deployment")
        with self.connection.client() as client:
            client.delete_collection(name)

    @property
    def _filled(self) -> str:
        return f"filled by {self.tenant}"

    @property
    def _stem(self) -> str:
        # Quoting leaves no @, so no deployment's name is the beginning of another's.
        return f"{quote(self.prefix, safe='')}@"

    def _create(self) -> None:
        # Vectors as in the index in process: 8 bits, scanned in 2, and no graph. One entity's memories are scanned
        # whole, so both find the same; the payload index keeps them together on the disk.
        turbo = models.TurboQuantQuantizationConfig(bits=models.TurboQuantBitSize.BITS2, memory=models.Memory.CACHED)
        dense = models.VectorParams(
            size=self.size,
            distance=models.Distance.COSINE,
            datatype=models.Datatype.TURBO8,
            quantization_config=models.TurboQuantization(turbo=turbo),
        )
        try:
            with self.connection.client() as client:
                client.create_collection(
                    self.name,
                    vectors_config={self.dense_vector: dense},
                    sparse_vectors_config={KEYWORD_VECTOR: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                    hnsw_config=models.HnswConfigDiff(m=0),
                    metadata=_empty("the collection is new"),
                )
        except IndexUnavailable:
            raise
        except StoreError:
            # Another process made it at the same moment; if not, asking for it says so.
            self.info()


def _empty(reason: str) -> dict[str, str]:
    """Return the notes of a collection that has lost its points, or never had any."""
    return {_REBUILD: reason, _OCCASION: new_id()}
