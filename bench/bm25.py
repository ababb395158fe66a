"""The plain baseline: BM25 with Lucene's idf, stop list, stemming, character pairs for Chinese; nothing else.

Robertson and Zaragoza (2009), k1 = 1.2 and b = 0.75, the usual defaults. Terms are the product's own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

from easy_data.stores.keywords import terms

K1 = 1.2
B = 0.75


class PlainBM25:
    """An index over texts; ``best`` returns the numbers of the texts that fit a query."""

    def __init__(self, texts: Sequence[str]) -> None:
        documents = [terms(text) for text in texts]
        average = sum(map(len, documents)) / max(1, len(documents))
        self._number = len(documents)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, words in enumerate(documents):
            norm = K1 * (1 - B + B * len(words) / average)
            for term, count in Counter(words).items():
                self._postings[term].append((number, count * (K1 + 1) / (count + norm)))

    def best(self, query: str, limit: int) -> list[int]:
        scores: Counter[int] = Counter()
        for term in set(terms(query)):
            found = self._postings.get(term, ())
            idf = log(1 + (self._number - len(found) + 0.5) / (len(found) + 0.5))
            for number, weight in found:
                scores[number] += idf * weight  # type: ignore[assignment]
        return sorted(scores, key=lambda n: (-scores[n], n))[:limit]
