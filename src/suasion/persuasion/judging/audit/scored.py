"""Pairs with a judge's scores, each text scored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.judge import Judge
from suasion.statistics import credit


@dataclass(frozen=True)
class ScoredPairs:
    """Pairs with the judge's scores of winners and losers, shape (n,) each."""

    pairs: Sequence[Pair]
    winners: NDArray[np.float32]
    losers: NDArray[np.float32]

    @property
    def debates(self) -> list[str]:
        """The debate of each pair."""
        return [pair.debate_id for pair in self.pairs]

    @property
    def gaps(self) -> NDArray[np.float64]:
        """score(winner) - score(loser), shape (n,)."""
        return np.asarray(self.winners, dtype=np.float64) - self.losers

    @property
    def correct(self) -> NDArray[np.float64]:
        """1 where the winner is scored higher, 0.5 at a tie, 0 otherwise."""
        return credit(self.winners, self.losers)

    @cached_property
    def scale(self) -> float:
        """The judge's own unit: the root mean square of score(winner) - score(loser); 1 where it tells nothing apart."""
        return float(np.sqrt(np.mean(self.gaps**2))) or 1.0

    def replies(self) -> tuple[list[str], list[tuple[str, str]], NDArray[np.float64]]:
        """Every reply once: its debate, (premise, reply), and score."""
        sides = [(pair.winner, score) for pair, score in zip(self.pairs, self.winners, strict=True)]
        sides += [(pair.loser, score) for pair, score in zip(self.pairs, self.losers, strict=True)]
        found = {
            (pair.debate_id, pair.premise, text): float(score)
            for pair, (text, score) in zip([*self.pairs, *self.pairs], sides, strict=True)
        }
        return [key[0] for key in found], [key[1:] for key in found], np.asarray(list(found.values()))

    def chosen(self, rows: Sequence[int] | NDArray[np.int64]) -> ScoredPairs:
        """Some of the pairs, by their places."""
        return ScoredPairs([self.pairs[row] for row in rows], self.winners[list(rows)], self.losers[list(rows)])

    def readable(self) -> ScoredPairs:
        """The pairs of which both replies have a score (see :class:`suasion.persuasion.judging.audit.remembering.Remembering`)."""
        return self.chosen(np.flatnonzero(~np.isnan(self.gaps)))


def score_pairs(judge: Judge, pairs: Sequence[Pair]) -> ScoredPairs:
    """Score every reply once, however many pairs it stands in."""
    texts = list(dict.fromkeys((pair.premise, reply) for pair in pairs for reply in (pair.winner, pair.loser)))
    scores = judge.score([premise for premise, _ in texts], [reply for _, reply in texts])
    known = dict(zip(texts, scores, strict=True))
    winners = np.asarray([known[pair.premise, pair.winner] for pair in pairs], dtype=np.float32)
    losers = np.asarray([known[pair.premise, pair.loser] for pair in pairs], dtype=np.float32)
    return ScoredPairs(pairs, winners, losers)


def centred(values: NDArray[np.float64], groups: Sequence[str]) -> NDArray[np.float64]:
    """Values less their group's mean."""
    _, inverse = np.unique(np.asarray(groups), return_inverse=True)
    means = np.bincount(inverse, weights=values) / np.bincount(inverse)
    return np.asarray(values - means[inverse], dtype=np.float64)
