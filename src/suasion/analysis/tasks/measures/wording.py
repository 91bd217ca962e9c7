"""How near two wordings are: shared runs of words for long texts, edit distance for single sentences."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from rapidfuzz.distance import DamerauLevenshtein
from rapidfuzz.process import cdist

LONGEST = 400  # characters of a sentence that edit distance looks at: it is quadratic
MOST_LABELS = 200  # labels that are compared each with each
MOST_PAIRS = 1_000  # pairs of sentences that are compared
_RUN = 3  # words: three in a row seldom meet by chance
_WORD = re.compile(r"\w+")


def copied(texts: Iterable[str], source: str) -> float:
    """The share of the texts' runs of three words that stand in the source too, in [0, 1]; 0 where there is no word.

    Other than an edit distance between a sentence and a whole text, it does not depend on how long the source is. A text of one or two
    words is one run.
    """
    there: dict[int, set[tuple[str, ...]]] = {}
    words = _words(source)
    total = found = 0
    for text in texts:
        own = _words(text)
        size = min(_RUN, len(own))
        if size and size not in there:
            there[size] = set(_runs(words, size))
        for run in _runs(own, size) if size else ():
            total += 1
            found += run in there[size]
    return found / total if total else 0.0


def overlap(first: Iterable[str], second: Iterable[str]) -> float:
    """The share of words and pairs of words that two collections of texts have in common: Dice's coefficient of the counts, in [0, 1]."""
    one, other = _counts(first), _counts(second)
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def similarity(first: str, second: str) -> float:
    """Damerau-Levenshtein similarity of two sentences, normalised by the longer, in [0, 1]; case, accents' forms and blanks do not count.

    Only the first ``LONGEST`` characters are looked at.
    """
    one, other = (" ".join(_folded(text[: 2 * LONGEST]).split())[:LONGEST] for text in (first, second))
    return DamerauLevenshtein.normalized_similarity(one, other) if one and other else 0.0


def mean_similarity(pairs: Iterable[tuple[str, str]]) -> float:
    """The mean similarity of pairs of sentences, of the first ``MOST_PAIRS``; 0 where there is none."""
    return mean(similarity(first, second) for first, second in islice(pairs, MOST_PAIRS))


def least_distance(labels: Sequence[str]) -> float:
    """The least Damerau-Levenshtein distance of any two labels, normalised, in [0, 1]; 0 for less than two.

    Only the first ``MOST_LABELS`` are looked at.
    """
    labels = [_folded(label[:LONGEST]) for label in labels[:MOST_LABELS]]
    if len(labels) < 2:
        return 0.0
    distances = cdist(labels, labels, scorer=DamerauLevenshtein.normalized_distance, dtype=np.float32)
    return float(distances[np.triu_indices(len(labels), 1)].min())


def mean(values: Iterable[float]) -> float:
    """The mean; 0 of nothing."""
    values = list(values)
    return float(sum(values) / len(values)) if values else 0.0


def mean_length(texts: Iterable[str]) -> float:
    """Characters a text, on average; 0 of nothing."""
    return mean(len(text) for text in texts)


def _words(text: str) -> list[str]:
    return _WORD.findall(_folded(text))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _runs(words: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def _counts(texts: Iterable[str]) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        words = _words(text)
        for size in (1, 2):
            counts.update(_runs(words, size))
    return counts
