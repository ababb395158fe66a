"""Vectors from an OpenAI-compatible embeddings endpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, SecretStr, ValidationError

from easy_data.providers.answer_reading import encodable
from easy_data.providers.endpoint import Endpoint
from easy_data.providers.retry import with_retries
from easy_data.schemas.errors import ModelAnswerUnreadable, ModelRefused

_LONGEST_TEXT = 8_000  # characters; about the window of the common embedding models


class OpenAIEmbedder:
    """Implements ``ports.Embedder``.

    A request carries at most ``batch_texts`` texts and ``batch_chars`` characters. Of a text longer than 8,000
    characters the beginning is embedded: a vector only orders what was found, the text is kept whole elsewhere.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        size: int,
        api_key: SecretStr | str | None = None,
        timeout_seconds: float = 30.0,
        batch_texts: int = 64,
        batch_chars: int = 100_000,
    ) -> None:
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout_seconds=timeout_seconds)
        self._model = model
        self._size = size
        self._batch_texts = batch_texts
        self._batch_chars = batch_chars

    @property
    def name(self) -> str:
        """The model's name; part of the collection's name."""
        return self._model

    @property
    def size(self) -> int:
        """The number of dimensions."""
        return self._size

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit-length vector of ``size`` floats for each text, in order. Raises ``ModelError``.

        A text without any character is embedded as a blank, since endpoints refuse empty input.
        """
        vectors: list[list[float]] = []
        for batch in self._batches(texts):
            vectors.extend(self._embedded(batch))
        return vectors

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._endpoint.close()

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        chars = 0
        for text in texts:
            sent = encodable(text[:_LONGEST_TEXT]) or " "
            if batch and (len(batch) == self._batch_texts or chars + len(sent) > self._batch_chars):
                yield batch
                batch, chars = [], 0
            batch.append(sent)
            chars += len(sent)
        if batch:
            yield batch

    def _embedded(self, batch: list[str]) -> list[list[float]]:
        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        retries = self._endpoint.retries

        def once(timeout: float) -> dict[str, Any]:
            return self._endpoint.post("/embeddings", body, timeout=timeout)

        document = with_retries(
            once,
            retries,
            deadline=time.monotonic() + retries.budget_seconds,
            timeout=self._endpoint.timeout_seconds,
        )
        try:
            rows = sorted(_Embeddings.model_validate(document).data, key=lambda row: row.index)
        except ValidationError:
            raise ModelAnswerUnreadable("The endpoint's answer is not a list of embeddings.") from None
        if [row.index for row in rows] != list(range(len(batch))):
            raise ModelAnswerUnreadable("The endpoint did not answer one embedding for each text.")
        return [self._unit(row.embedding) for row in rows]

    def _unit(self, vector: list[float]) -> list[float]:
        """Scale to Euclidean length 1."""
        if len(vector) != self._size:
            raise ModelRefused(
                f"The endpoint's vectors have {len(vector)} dimensions, the settings say {self._size}: correct "
                "embedding_size or embedding_model."
            )
        length = math.hypot(*vector)
        if not math.isfinite(length) or length == 0:
            raise ModelAnswerUnreadable("The endpoint answered a vector without a direction.")
        return [x / length for x in vector]


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Embeddings(BaseModel):
    data: list[_Row]
