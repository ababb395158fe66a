"""What every embedder promises, run on each implementation that needs no network."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from easy_data.providers.local_embedder import LocalEmbedder
from easy_data.schemas.ports import Embedder


@pytest.fixture(scope="module", params=[LocalEmbedder])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


def cosine(first: list[float], second: list[float]) -> float:
    return math.sumprod(first, second) if hasattr(math, "sumprod") else sum(map(float.__mul__, first, second))


@pytest.mark.parametrize("text", ["I like tea", "我喜欢喝茶", "", "  \n", "🌶️", "a" * 50_000, "\ud800 broken", "\x00"])
def test_every_text_has_a_unit_vector_of_the_stated_size(embedder: Embedder, text: str) -> None:
    (vector,) = embedder.embed([text])
    assert len(vector) == embedder.size
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = [f"memory number {number} 第{number}条" for number in range(40)]
    together = embedder.embed(texts)
    assert len(together) == 40
    for text, vector in zip(texts, together, strict=True):
        assert cosine(vector, embedder.embed([text])[0]) == pytest.approx(1.0, abs=1e-4)


def test_like_meaning_is_nearer_than_unlike_within_and_across_languages(embedder: Embedder) -> None:
    tea, tea_again, tea_zh, car = embedder.embed(
        ["I like drinking tea", "Tea is what I enjoy drinking", "我喜欢喝茶", "The car broke down on the motorway"]
    )
    assert cosine(tea, tea_again) > cosine(tea, car) + 0.2
    assert cosine(tea, tea_zh) > cosine(tea, car) + 0.2


def test_threads_get_the_same_vectors_from_an_embedder_not_yet_loaded(embedder: Embedder) -> None:
    fresh = type(embedder)()
    texts = [f"thread {number} 线程" for number in range(16)]
    with ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda text: fresh.embed([text])[0], texts))
    for ours, theirs in zip(at_once, embedder.embed(texts), strict=True):
        assert cosine(ours, theirs) == pytest.approx(1.0, abs=1e-4)
