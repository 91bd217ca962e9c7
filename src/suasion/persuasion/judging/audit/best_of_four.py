"""Best-of-four accuracy: one winner among three losers of its debate. Chance is a quarter, so a judge has less luck to live on.

The credit is RewardBench 2's (Malik et al. 2025, arXiv:2506.01937): 1 divided by the number of replies that share the highest score, if
the winner is among them, else 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.dataset import BestOfFour, Pair
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.judge import Judge, word_count
from suasion.statistics import Estimate, clustered_share


@dataclass(frozen=True)
class BestOfFourAccuracy:
    """The judge's, and each baseline's on the same quartets."""

    judge: Estimate
    baselines: Mapping[str, Estimate]


def quartets(pairs: Sequence[Pair]) -> list[BestOfFour]:
    """Each winner of the pairs with three losers of its own debate, those whose length is closest; a winner with fewer is left out."""
    by_debate: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_debate.setdefault(pair.debate_id, []).append(pair)
    found = []
    for debate, ours in by_debate.items():
        won = {pair.winner for pair in ours}
        lost = sorted({pair.loser for pair in ours} - won)
        for winner, premise in dict.fromkeys((pair.winner, pair.premise) for pair in ours):
            if len(lost) >= 3:
                found.append(BestOfFour(debate, premise, (winner, *_closest(lost, word_count(winner))), 0))
    return found


def _closest(losers: Sequence[str], words: int) -> list[str]:
    return sorted(losers, key=lambda loser: abs(word_count(loser) - words))[:3]


def credits(judge: Judge, fours: Sequence[BestOfFour]) -> NDArray[np.float64]:
    """What the judge earns on each quartet, shape (n,); NaN where a reply has no score."""
    texts = [(four.premise, reply) for four in fours for reply in four.replies]
    scores = iter(judge.score([premise for premise, _ in texts], [reply for _, reply in texts]))
    earned = []
    for four in fours:
        mine = np.asarray([next(scores) for _ in four.replies])
        top = mine == mine.max()
        earned.append(float("nan") if np.isnan(mine).any() else float(top[four.winner]) / float(top.sum()))
    return np.asarray(earned, dtype=np.float64)


def best_of_four(judge: Judge, rivals: Mapping[str, Judge], fours: Sequence[BestOfFour]) -> BestOfFourAccuracy:
    """Shares with intervals clustered by debate."""
    earned = credits(judge, fours)
    rows: list[int] = np.flatnonzero(~np.isnan(earned)).tolist()
    debates = [fours[row].debate_id for row in rows]
    accuracies = {name: clustered_share(credits(rival, fours)[rows], debates) for name, rival in rivals.items()}
    return BestOfFourAccuracy(clustered_share(earned[rows], debates), accuracies)


def best_of_four_finding(found: BestOfFourAccuracy, minimum: float, min_debates: int) -> Finding:
    """Better than chance; few debates with three losers answer nothing."""
    passed = bool(found.judge.low > minimum) if found.judge.clusters >= min_debates else None
    best = max(found.baselines.items(), key=lambda item: item[1].value, default=None)
    beside = f" (the best baseline, '{best[0]}', does {best[1].value:.0%} of the time)" if best and np.isfinite(best[1].value) else ""
    question = f"Does it pick the winner among three losers{beside}?"
    limit = f"the interval lies above {minimum:.2f}"
    return Finding("best-of-four", question, found.judge, limit, passed, details={"bound": minimum, "unit": "share"})
