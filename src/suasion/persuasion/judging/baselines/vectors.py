"""What the learned baselines share: every text of the pairs once, and a product that does not depend on the batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from suasion.models.scoring import Scores
from suasion.persuasion.dataset import Pair
from suasion.statistics import Floats

Rows = NDArray[np.int64]


def rows_of(pairs: Sequence[Pair]) -> tuple[list[str], list[str], Rows, Rows]:
    """The different replies of pairs, so that each is read once.

    Returns:
        Premises and replies, m of each, and where among them each pair's winner and loser stand, shape (n,) each.
    """
    places: dict[tuple[str, str], int] = {}

    def place(premise: str, reply: str) -> int:
        return places.setdefault((premise, reply), len(places))

    winners = np.asarray([place(pair.premise, pair.winner) for pair in pairs], dtype=np.int64)
    losers = np.asarray([place(pair.premise, pair.loser) for pair in pairs], dtype=np.int64)
    return [premise for premise, _ in places], [reply for _, reply in places], winners, losers


def products(features: Floats, weights: Floats) -> Scores:
    """``features @ weights`` as float32, shape (n,), summed row by row: a matrix product may sum in another order in another batch."""
    return np.asarray((np.ascontiguousarray(features) * weights).sum(axis=1), dtype=np.float32)


def check_as_many(premises: Sequence[str], replies: Sequence[str]) -> None:
    """A premise for each reply. Raises ValueError: it is the caller's slip."""
    if len(premises) != len(replies):
        raise ValueError(f"{len(premises)} premises but {len(replies)} replies")
