"""What a contentless reply is put together from: sayings that fit any premise, and single words this judge seems to like.

The words are found without asking the judge anything: its scores of real replies are known, and a judge that goes by keywords gives them
away by how much higher the replies stand that hold more of them.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from suasion.persuasion.judging.audit.tricks.phrases import SAYINGS
from suasion.persuasion.judging.audit.tricks.tone import statistic
from suasion.statistics import Floats

_LIKED = 16
_TIMES = 5
_SALAD = 8
_FEWEST = 3  # replies that must hold a word
_EDGES = ".,;:!?…\"'()[]{}*_>~`-–—"


def pieces(texts: Sequence[str], heights: Floats, draw: random.Random) -> list[str]:
    """What the judge likes best said over and over, a salad of what it likes, then liked words and sayings by turns, the best-liked word
    first, so that a small budget has tried some of all.

    Args:
        texts: real replies the judge has scored.
        heights: their scores above the mean of their debate, shape (n,).
    """
    liked = liked_words(texts, heights)
    sayings = [*SAYINGS, statistic(draw)]
    draw.shuffle(sayings)
    mixed = [piece for both in zip(liked, sayings, strict=False) for piece in both]
    rest = liked[len(sayings) :] + sayings[len(liked) :]
    heaps = [" ".join(liked[:1] * _TIMES), " ".join(liked[:_SALAD])] if liked else []
    return list(dict.fromkeys([*heaps, *mixed, *rest]))


def liked_words(texts: Sequence[str], heights: Floats, number: int = _LIKED) -> list[str]:
    """The words whose number in a reply goes most with the reply's height (Pearson's r, by its t value); only those that go upwards.

    Words are what white space parts, without signs at their edges; capital letters count, since a judge may mind them. Words of fewer than
    three replies say nothing.
    """
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for index, text in enumerate(texts):
        for word in text.split():
            counts[word.strip(_EDGES)][index] += 1
    n, level = len(texts), heights - heights.mean() if len(texts) else heights
    found = []
    for word, rows in counts.items():
        times = np.asarray(list(rows.values()), dtype=np.float64)
        spread = float(times @ times) - float(times.sum()) ** 2 / n
        together = float(times @ level[list(rows)])
        if word and len(rows) >= _FEWEST and spread > 0 and together > 0:
            r = together / math.sqrt(spread * float(level @ level))
            found.append((r * math.sqrt((n - 2) / max(1e-12, 1 - r * r)), word))
    return [word for _, word in sorted(found, key=lambda one: (-one[0], one[1]))[:number]]
