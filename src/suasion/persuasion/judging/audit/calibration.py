"""Calibration: when the judge says that a reply wins with 80 %, does it win in 80 % of such cases?

The probability that a reply beats another is sigmoid(difference of their scores), which is what the pairwise loss of a reward model is made
of (Bradley & Terry 1952). A judge's certainty about a pair is the probability of the reply that it prefers, from 0.5 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.judging.audit.findings import Finding
from suasion.persuasion.judging.audit.scored import ScoredPairs
from suasion.statistics import Estimate, clustered_mean, clustered_share, clustered_statistic

_EDGES = np.linspace(0.5, 1.0, 6)


@dataclass(frozen=True)
class ReliabilityBin:
    """Pairs whose certainty lies from ``low`` to ``high``: its mean, and how often the judge was right."""

    low: float
    high: float
    confidence: float
    accuracy: Estimate

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy."""
        return {"from": self.low, "to": self.high, "predicted": self.confidence} | self.accuracy.as_dict()


@dataclass(frozen=True)
class Calibration:
    """Of the pairwise probability. ``ece``: expected calibration error (Guo et al. 2017, arXiv:1706.04599), the mean distance of certainty
    and accuracy over the bins, which few pairs make look large; its interval is the bootstrap's. ``brier``: mean squared error of the
    winner's probability (a coin: 0.25). ``overconfidence``: mean certainty less accuracy.
    """

    bins: tuple[ReliabilityBin, ...]
    ece: Estimate
    brier: Estimate
    overconfidence: Estimate

    def as_dict(self) -> dict[str, Any]:
        """JSON-able copy without the bins."""
        return {name: getattr(self, name).as_dict() for name in ("ece", "brier", "overconfidence")}


def calibration(scored: ScoredPairs, seed: int) -> Calibration:
    """Over the pairs; at a tie the judge's certainty is a half, and it is half right."""
    chance = _sigmoid(scored.gaps)  # the winner's
    certainty, right, debates = np.maximum(chance, 1 - chance), scored.correct, scored.debates
    place = np.clip(np.digitize(certainty, _EDGES[1:-1]), 0, len(_EDGES) - 2)
    bins = tuple(
        ReliabilityBin(
            float(_EDGES[index]),
            float(_EDGES[index + 1]),
            float(certainty[rows].mean()),
            clustered_share(right[rows], [debates[row] for row in rows]),
        )
        for index in range(len(_EDGES) - 1)
        if (rows := np.flatnonzero(place == index)).size
    )

    def ece(rows: NDArray[np.int64]) -> float:
        surplus = np.bincount(place[rows], weights=right[rows] - certainty[rows], minlength=len(_EDGES) - 1)
        return float(np.abs(surplus).sum() / rows.size)

    return Calibration(
        bins,
        clustered_statistic(ece, debates, seed=seed),
        clustered_mean((1 - chance) ** 2, debates, seed=seed),
        clustered_mean(certainty - right, debates, seed=seed),
    )


def overconfidence(found: Calibration, maximum: float) -> Finding:
    """Only certainty *beyond* accuracy fails a judge: one that is right more often than it dares to say does no harm, and which unit its
    scores have makes no difference to practice, where scores are compared within a group."""
    estimate = found.overconfidence
    passed = None if estimate.n == 0 else bool(estimate.value <= maximum)
    limit = f"at most {maximum:.2f}"
    return Finding("overconfidence", "Is it surer than it is right?", estimate, limit, passed, details={"bound": maximum, "unit": "share"})


def _sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import expit

    return np.asarray(expit(values), dtype=np.float64)
