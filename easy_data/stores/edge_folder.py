"""The folder of one collection on disk: made whole or not at all, opened, and set aside when it is damaged.

Its name holds all that decides whether stored vectors and terms can be compared with new ones: the embedder's name and
size, the version of the keyword rules and of the layout. Another model, or a release with other rules, is another
folder next to it; nothing is dropped.
"""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qdrant_edge import EdgeConfig, EdgeShard, Query, QueryRequest, UpdateOperation

from easy_data.schemas.errors import EasyDataError, IndexUnavailable, StoreBusy, StoreError, StoreLocked, StoreReadOnly
from easy_data.stores.index_points import LAYOUT_VERSION, collection_name
from easy_data.stores.keywords import KEYWORDS_VERSION

MIN_FREE_BYTES = 64_000_000
_MARKER = "collection.json"
_READ_ONLY = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what the engine raises into a ``StoreError``.

    It raises plain ``Exception`` for everything, and a ``PanicException`` derived from ``BaseException`` when it meets
    something it did not expect; the cause is in the message alone.
    """
    try:
        yield
    except EasyDataError:
        raise
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise _store_error(str(error)) from error
        raise


@dataclass(frozen=True)
class EdgeFolder:
    """Where one collection lies: ``parent/name``, for vectors ``dense`` of ``size`` numbers made by ``embedder``."""

    parent: Path
    embedder: str
    size: int
    config: EdgeConfig
    payload_indexes: tuple[UpdateOperation, ...]

    @property
    def name(self) -> str:
        """The folder's name: that of its collection."""
        return collection_name(self.embedder, self.size)

    @property
    def path(self) -> Path:
        """The folder."""
        return self.parent / self.name

    def open(self) -> tuple[EdgeShard, str]:
        """Return the engine's handle and the reason why the points must be put in again from SQL; "" if they need not.

        Raises ``StoreLocked`` when another handle has the folder open, and ``StoreReadOnly`` or ``StoreBusy`` when the
        machine is at fault; the folder is set aside only when its content is.
        """
        self.parent.mkdir(parents=True, exist_ok=True)
        self.check_room()
        if not self.path.exists():
            return self.make_anew("the collection is new")
        try:
            return self._load(), self._reason()
        except IndexUnavailable as error:
            self._set_aside()
            return self.make_anew(f"the collection was damaged and set aside: {error}")

    def check_room(self) -> None:
        """Raise ``StoreReadOnly`` on a disk that is nearly full.

        The engine maps files into memory: where a block behind one cannot be had, the process is killed (SIGBUS), and
        no error can be caught.
        """
        if shutil.disk_usage(self.parent).free < MIN_FREE_BYTES:
            raise StoreReadOnly(f"the disk of {self.parent} has less than {MIN_FREE_BYTES // 10**6} MB left; make room")

    def make_anew(self, reason: str, held: EdgeShard | None = None) -> tuple[EdgeShard, str]:
        """Put an empty collection in the folder's place, closing ``held`` first; a crash leaves the old or the new."""
        fresh, old = self._beside("new"), self._beside("old")
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)
        fresh.mkdir()
        with engine_errors():
            shard = EdgeShard.create(str(fresh), self.config)
            for operation in self.payload_indexes:
                shard.update(operation)
            shard.flush()
            shard.close()
        self._write_marker(fresh, reason)
        if held is not None:
            with engine_errors():
                held.close()
            self.path.rename(old)
        fresh.rename(self.path)
        shutil.rmtree(old, ignore_errors=True)
        return self._load(), reason

    def forget_reason(self) -> None:
        """Write down that the points are all in."""
        self._write_marker(self.path, "")

    def others(self) -> list[str]:
        """Return the names of the other folders here: other models, other versions, and what was set aside."""
        return sorted(path.name for path in self.parent.iterdir() if path.is_dir() and path != self.path)

    def _load(self) -> EdgeShard:
        with engine_errors():
            shard = EdgeShard.load(str(self.path), self.config)
        try:
            # Some damage shows only when points are read: an unfiltered search must find one, with its payload.
            nearest = Query.Nearest([1.0] * self.size, using="dense")
            with engine_errors():
                found = shard.query(QueryRequest(limit=1, query=nearest, with_payload=True))
                points = shard.info().points_count
            if points and not (found and found[0].payload):
                raise IndexUnavailable("the points cannot be read")
        except StoreError:
            with engine_errors():
                shard.close()
            raise
        return shard

    def _reason(self) -> str:
        try:
            return str(json.loads((self.path / _MARKER).read_text("utf-8"))["rebuild"])
        except (OSError, ValueError, KeyError, TypeError):
            return "it was not known if all points are in"

    def _write_marker(self, folder: Path, reason: str) -> None:
        marker = {
            "embedder": self.embedder,
            "size": self.size,
            "keywords": KEYWORDS_VERSION,
            "layout": LAYOUT_VERSION,
            "rebuild": reason,
        }
        draft = folder / f"{_MARKER}.new"
        draft.write_text(json.dumps(marker, ensure_ascii=False), "utf-8")
        draft.replace(folder / _MARKER)

    def _set_aside(self) -> None:
        number = 1
        while (aside := self._beside(f"corrupt-{number}")).exists():
            number += 1
        self.path.rename(aside)

    def _beside(self, suffix: str) -> Path:
        return self.parent / f"{self.name}.{suffix}"


def _store_error(message: str) -> StoreError:
    first_line = (message.splitlines() or [""])[0][:300]
    if "WouldBlock" in message:
        return StoreLocked("another process, or another handle of this one, has the vector index open")
    number = re.search(r"os error (\d+)", message)
    if number and int(number[1]) in _READ_ONLY:
        return StoreReadOnly(f"the vector index cannot be written to: {first_line}")
    if number and int(number[1]) in _EXHAUSTED:
        return StoreBusy(f"the machine has no room for the vector index: {first_line}")
    return IndexUnavailable(f"the vector index failed: {first_line}")
