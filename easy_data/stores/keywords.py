"""The keyword side of search: terms of a text, and BM25 weights as sparse vectors.

A memory is stored with its BM25 document weights and a query with the weight 1 for each term, so the dot product of
the two, with each term's idf put in by the index, is the BM25 score. The average length is a constant: a weight then
depends on its own text alone, and one memory can be replaced without touching the others.

Formulas: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). The idf is Lucene's,
``ln(1 + (N - n + 0.5) / (n + 0.5))``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from snowballstemmer.english_stemmer import EnglishStemmer

# Raise it when a change here gives another term or weight for any text: the collection's name holds it.
KEYWORDS_VERSION = 1

K1 = 0.9
B = 0.6
AVERAGE_TERMS = 24.0

_ENGLISH_STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "done",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "i'd",
        "i'll",
        "i'm",
        "i've",
        "if",
        "in",
        "into",
        "is",
        "it",
        "it's",
        "its",
        "let's",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "ours",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "that's",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "what's",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
    ]
)
# Characters that mostly build grammar. One alone is no term, and neither is a pair of them.
_CHINESE_FUNCTION_CHARACTERS = frozenset(
    "的了吗呢吧啊呀哦是在和也都就很我你他她它们这那有不要会去说到着与及个一没还又再被把让给对从上下中什么怎可以能嗯哈想好得过来为而且但"
)

# Accents, Hebrew points and Arabic vowel signs: people leave them out. Marks of other scripts are letters and stay.
_OPTIONAL_MARKS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\ufe0e\ufe0f]")
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Kana, Hangul, Thai, Lao, Myanmar and Khmer: words are not set apart, or carry their particles with them.
_UNSPACED = "\u3040-\u30ff\uac00-\ud7a3\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_PIECES = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<unspaced>[{_UNSPACED}]+)|(?P<sign>[\u2600-\u27bf\U0001f000-\U0001faff])"
    f"|(?P<word>(?:(?![{_HAN}{_UNSPACED}])(?:[^\\W_]|[{_INDIC}]))+(?:'[a-z]+)*(?:\\+\\+|#)?)"
)


def terms(text: str) -> list[str]:
    """Return the terms of ``text`` in order, repeats kept; the same for every spelling Unicode holds equal.

    English words are stemmed and rid of stop words. Chinese gives its single characters and its pairs of characters
    without those that only build grammar; scripts that do not set words apart give pairs; every other script its
    words; an emoji is a word. "C++", "C#" and "don't" stay whole.
    """
    found: list[str] = []
    for piece in _PIECES.finditer(_folded(text)):
        run = piece.group()
        match piece.lastgroup:
            case "han":
                found.extend(char for char in run if char not in _CHINESE_FUNCTION_CHARACTERS)
                found.extend(pair for pair in _pairs(run) if not _CHINESE_FUNCTION_CHARACTERS.issuperset(pair))
            case "unspaced":
                found.extend(_pairs(run) or [run])
            case "word" if run not in _ENGLISH_STOP_WORDS:
                found.append(_stem(run))
            case "sign":
                found.append(run)
    return found


def sparse(text: str) -> tuple[list[int], list[float]]:
    """Return the BM25 document weights of ``text`` as (indices, values), without idf; empty when it has no terms.

    An index is the CRC-32 of the term; terms that share one (one pair in 4 billion) add up.
    """
    found = terms(text)
    length = 1 - B + B * len(found) / AVERAGE_TERMS
    weights: dict[int, float] = {}
    for term, count in Counter(found).items():
        index = _index(term)
        weights[index] = weights.get(index, 0.0) + count * (K1 + 1) / (count + K1 * length)
    return list(weights), list(weights.values())


def sparse_query(text: str) -> tuple[list[int], list[float]]:
    """Return the query side of ``sparse``: the weight 1 for each different term of ``text``."""
    indices = list(dict.fromkeys(_index(term) for term in terms(text)))
    return indices, [1.0] * len(indices)


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold().replace("\u2019", "'")
    return unicodedata.normalize("NFC", _OPTIONAL_MARKS.sub("", decomposed))


def _pairs(run: str) -> list[str]:
    return [first + second for first, second in pairwise(run)]


def _index(term: str) -> int:
    return crc32(term.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    # A stemmer keeps its word in itself while it works, so threads cannot share one.
    return str(EnglishStemmer().stemWord(word)) if word.isascii() else word
