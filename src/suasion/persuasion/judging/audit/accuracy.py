"""How often the judge picks the winner, and whether it beats every baseline on the very same pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs, score_pairs
from suasion.persuasion.judging.baselines.earliest import earliest
from suasion.persuasion.judging.judge import Judge
from suasion.statistics import Estimate, clustered_mean, clustered_share

#: A baseline's credit on each pair (1, 0.5 at a tie, 0), shape (n,); NaN where it cannot say.
Credits = NDArray[np.float64]


def accuracy(scored: ScoredPairs, minimum: float) -> Finding:
    """Better than a coin: the whole interval lies above the minimum."""
    estimate = clustered_share(scored.correct, scored.debates)
    details = {"bound": minimum, "unit": "share"}
    limit = f"the interval lies above {minimum:.2f}"
    return Finding("accuracy", "Does it pick the winner?", estimate, limit, estimate.low > minimum, details=details)


def rival_credits(rivals: Mapping[str, Judge], pairs: Sequence[Pair]) -> dict[str, Credits]:
    """What each baseline gets on the pairs; with ``earliest``, which is no judge of texts, where times are known."""
    found = {name: score_pairs(rival, pairs).correct for name, rival in rivals.items()}
    timed, rows = earliest(pairs)
    if rows.size:
        found["earliest"] = np.full(len(pairs), np.nan)
        found["earliest"][rows] = timed
    return found


def rival_accuracies(credits: Mapping[str, Credits], debates: Sequence[str]) -> dict[str, Estimate]:
    """Each baseline's accuracy, over the pairs it has a word on."""
    found = {}
    for name, mine in credits.items():
        rows: list[int] = np.flatnonzero(~np.isnan(mine)).tolist()
        found[name] = clustered_share(mine[rows], [debates[row] for row in rows])
    return found


def lead(scored: ScoredPairs, name: str, credits: Credits, minimum: float, seed: int) -> Finding:
    """Whether the judge beats a baseline, by more than the interval.

    Both saw the same pairs, and much of what makes one right makes the other right too. So the difference is taken pair by pair, and its
    interval, clustered by debate, must lie above the minimum. This is the paired test that Miller 2024 ("Adding error bars to evals",
    arXiv:2411.00640) asks for; to hold the interval of one accuracy against another's value would leave out that the
    other was measured too, and to compare two intervals would hide what the pairing shows.
    """
    rows: list[int] = np.flatnonzero(~np.isnan(credits)).tolist()
    debates = [scored.pairs[row].debate_id for row in rows]
    estimate = clustered_mean(scored.correct[rows] - credits[rows], debates, seed=seed)
    baseline = float(np.mean(credits[rows]))
    return Finding(
        f"beats-{name}",
        f"Does it beat '{name}', which is right {baseline:.0%} of the time?",
        estimate,
        f"the interval of its lead lies above {minimum:.2f}",
        bool(estimate.low > minimum),
        details={"bound": minimum, "unit": "share", "judge": float(np.mean(scored.correct[rows])), "baseline": baseline},
    )
