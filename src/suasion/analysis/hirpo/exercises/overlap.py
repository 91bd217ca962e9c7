"""Training texts that share too much with evaluation texts: copies, near-copies, and texts that stand inside another.

Counted exactly, over word 5-grams: two texts overlap where at least half of the shorter one's 5-grams stand in the other. (The Jaccard
measure that MinHash estimates would miss an argument that stands inside a long debate, and just this the published data sets have: the same
debates, whole and in parts.) The evaluation texts are indexed, training texts are looked up one by one, in linear time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

SHARED = 0.5
"""The share of the shorter text's 5-grams from which on two texts overlap."""

_GRAM = 5
_COMMON = 100
"""What stands in more texts is boilerplate: it tells no two texts apart, and would make the lookup slow."""
_WORD = re.compile(r"\w+")


class Overlap:
    """An index of texts, to which others are compared."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._with: defaultdict[int, list[int]] = defaultdict(list)
        self._exact: dict[tuple[str, ...], int] = {}

    def add(self, text: str) -> int:
        """Put a text into the index; gives its number."""
        words, grams = _read(text)
        number = len(self._sizes)
        self._sizes.append(len(grams))
        self._exact.setdefault(words, number)
        for gram in grams:
            self._with[gram].append(number)
        return number

    def find(self, text: str) -> set[int]:
        """The numbers of the texts that this one overlaps with."""
        words, grams = _read(text)
        shared = Counter(number for gram in grams for number in self._holders(gram))
        found = {number for number, count in shared.items() if count >= SHARED * min(len(grams), self._sizes[number])}
        return found | ({self._exact[words]} if words in self._exact else set())

    def _holders(self, gram: int) -> Iterable[int]:
        holders = self._with.get(gram, ())
        return holders if len(holders) <= _COMMON else ()


def words_of(text: str) -> tuple[str, ...]:
    """A text's words in lower case, without punctuation: equal for what is the same text to a reader."""
    return tuple(_WORD.findall(text.lower()))


def _read(text: str) -> tuple[tuple[str, ...], set[int]]:
    """A text's words and its 5-grams, each as a hash; a text of fewer words is one gram."""
    words = words_of(text)
    return words, {hash(words[start : start + _GRAM]) for start in range(max(1, len(words) - _GRAM + 1))} if words else set()
