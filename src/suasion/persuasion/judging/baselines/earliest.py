"""The rule "the earlier reply wins". It reads times, which are no part of a text: a rule for pairs, and no judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.dataset import Pair
from suasion.statistics import Floats, credit


def earliest(pairs: Sequence[Pair]) -> tuple[Floats, NDArray[np.int64]]:
    """Which pairs have known times, and what the rule gets for each of them.

    Returns:
        ``(credits, rows)``, shape (m,) each: 1 where the winner came first, 0.5 at a tie, 0 where the loser did; and the place of the pair.
    """
    timed = [
        (row, pair.winner_created, pair.loser_created)
        for row, pair in enumerate(pairs)
        if pair.winner_created is not None and pair.loser_created is not None
    ]
    winners = np.asarray([winner for _, winner, _ in timed], dtype=np.float64)
    losers = np.asarray([loser for _, _, loser in timed], dtype=np.float64)
    return credit(losers, winners), np.asarray([row for row, _, _ in timed], dtype=np.int64)
