"""Keyword scores computed in process, for memories the index does not know or while it cannot be reached."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from easy_data.pipeline.recall.features import Column
from easy_data.stores.keywords import terms


def overlap(query: str, texts: Sequence[str]) -> Column:
    """Return for each text the share of the query's terms it holds, 0 to 1, rare terms counting more.

    A term counts with Lucene's idf over the texts given, ``ln(1 + (N - n + 0.5) / (n + 0.5))``.
    """
    wanted = set(terms(query))
    found = [wanted.intersection(terms(text)) for text in texts]
    number = len(texts)
    counts = {term: sum(term in held for held in found) for term in wanted}
    idf = {term: log(1 + (number - n + 0.5) / (n + 0.5)) for term, n in counts.items()}
    whole = sum(idf.values())
    return np.array([sum(idf[term] for term in held) / whole for held in found]) if whole else np.zeros(number)
