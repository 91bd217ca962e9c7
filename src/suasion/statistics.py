"""Intervals that say how little a few debates can show. Thin, over SciPy and statsmodels.

Replies of one debate are alike, so an interval that treats them as independent is too narrow: everything here that averages over
pairs or replies resamples whole debates (Miller 2024, "Adding error bars to evals", arXiv:2411.00640, section 2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suasion.errors import SuasionError

Floats = NDArray[np.float64]
_TABLE = 1 << 18  # numbers drawn at once


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval and what it was counted over."""

    value: float
    low: float
    high: float
    n: int
    clusters: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n = {self.n}, debates = {self.clusters})"

    def interval(self, *, percent: bool = False) -> str:
        """The interval as a reader wants it."""
        return told_interval(self.low, self.high, percent=percent)

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy; what cannot be known (no data) is ``None``."""
        return {key: None if isinstance(value, float) and not np.isfinite(value) else value for key, value in asdict(self).items()}


def told_interval(low: float | None, high: float | None, *, percent: bool = False) -> str:
    """Two ends as a reader wants them; a single debate gives none."""
    if low is None or high is None or not np.isfinite([low, high]).all():
        return "unknown (too few debates)"
    return f"{low:.0%} to {high:.0%}" if percent else f"{low:.3g} to {high:.3g}"


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % score interval for a proportion of independent trials (Wilson 1927); ``(0, 1)`` when n is 0."""
    if n == 0:
        return 0.0, 1.0
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, alpha=0.05, method="wilson")
    return float(low), float(high)


def clustered_share(values: ArrayLike, clusters: Sequence[str]) -> Estimate:
    """A proportion (values of 0, 1, or 0.5 for a tie) with Wilson's 95 % interval on the effective sample size.

    The effective size is ``p(1-p) / V``, V the between-cluster variance of the mean (Franco, Little, Louis & Slud 2019, "Comparative study
    of confidence intervals for proportions in complex sample surveys"), held between 1 and n. Unlike the bootstrap it does not shrink to
    nothing when every answer is the same: then each debate counts once.
    """
    observed = np.asarray(values, dtype=np.float64)
    sums, sizes = _per_cluster(observed, clusters)
    n, groups = observed.size, sums.size
    if n == 0:
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    share = float(observed.mean())
    effective = float(groups)
    if groups > 1 and 0 < share < 1:
        residuals = sums - share * sizes
        variance = groups / (groups - 1) * float(residuals @ residuals) / n**2
        effective = min(float(n), max(1.0, share * (1 - share) / variance)) if variance > 0 else float(n)
    low, high = wilson(share * effective, effective)
    return Estimate(share, low, high, n, groups)


def clustered_mean(values: ArrayLike, clusters: Sequence[str], *, seed: int, resamples: int = 2000) -> Estimate:
    """Mean with a 95 % percentile bootstrap interval that resamples whole clusters (debates).

    Args:
        values: shape (n,), one number an observation.
        clusters: the debate of each observation, length n.
        seed: of the resampling.

    A single debate gives no idea of the spread between debates: the interval is then unbounded (``-inf``, ``inf``).
    """
    observed = np.asarray(values, dtype=np.float64)
    sums, sizes = _per_cluster(observed, clusters)
    if observed.size == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, 0)
    mean = float(observed.mean())
    if sums.size == 1:
        return Estimate(mean, float("-inf"), float("inf"), observed.size, 1)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    block = max(1, _TABLE // sums.size)  # a table of all resamples x debates would not fit for a large corpus
    for start in range(0, resamples, block):
        drawn = generator.integers(0, sums.size, size=(min(block, resamples - start), sums.size))
        means[start : start + len(drawn)] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(mean, float(low), float(high), observed.size, sums.size)


def clustered_statistic(
    statistic: Callable[[NDArray[np.int64]], float], clusters: Sequence[str], *, seed: int, resamples: int = 1000
) -> Estimate:
    """Any statistic of row indices with a cluster-bootstrap 95 % interval; resamples where it is undefined (NaN) are left out."""
    labels = np.asarray(clusters)
    names, inverse = np.unique(labels, return_inverse=True)
    members = [np.flatnonzero(inverse == index) for index in range(names.size)]
    value = statistic(np.arange(labels.size)) if labels.size else float("nan")
    if names.size < 2:
        return Estimate(value, float("-inf"), float("inf"), labels.size, names.size)
    generator = np.random.default_rng(seed)
    drawn = [statistic(np.concatenate([members[i] for i in generator.integers(0, names.size, names.size)])) for _ in range(resamples)]
    finite = np.asarray([number for number in drawn if np.isfinite(number)])
    low, high = np.quantile(finite, [0.025, 0.975]) if finite.size else (float("-inf"), float("inf"))
    return Estimate(value, float(low), float(high), labels.size, names.size)


def clustered_auc(
    winner_values: ArrayLike, loser_values: ArrayLike, clusters: Sequence[str], *, seed: int, resamples: int = 1000
) -> Estimate:
    """How well one number tells winners from losers: P(a winner's value > a loser's), ties half, over all winners and all losers.

    This is the area under the ROC curve (Hanley & McNeil 1982), pooled over debates: 0.5 where the number is of no help, 0 and 1 where
    it tells everything. The 95 % interval is a percentile bootstrap of whole debates.

    Args:
        winner_values: shape (n,), the number of each pair's winner.
        loser_values: shape (n,), of its loser.
        clusters: the debate of each pair, length n.
        seed: of the resampling.

    With one debate or none nothing is known: the interval is then all that is possible, 0 to 1. ``n`` counts pairs.

    Raises:
        SuasionError: a value is NaN or infinite.
    """
    winners, losers = np.asarray(winner_values, dtype=np.float64), np.asarray(loser_values, dtype=np.float64)
    for values in (winners, losers):
        _check(values, clusters)
    if winners.size == 0:
        return Estimate(float("nan"), 0.0, 1.0, 0, 0)
    names, debate = np.unique(np.asarray(clusters), return_inverse=True)
    levels, level = np.unique(np.concatenate([winners, losers]), return_inverse=True)
    of_winner, of_loser = level[: winners.size], level[winners.size :]

    def auc(weights: Floats | None) -> float:
        """Of the pairs weighted by how often their debate was drawn: linear in the pairs, where comparing all with all is quadratic."""
        won = np.bincount(of_winner, weights, levels.size)
        lost = np.bincount(of_loser, weights, levels.size)
        below = np.cumsum(lost) - lost / 2
        return float(won @ below) / (float(won.sum()) * float(lost.sum()))

    if names.size == 1:
        return Estimate(auc(None), 0.0, 1.0, winners.size, 1)
    generator = np.random.default_rng(seed)
    drawn = np.empty(resamples)
    for index in range(resamples):
        times = np.bincount(generator.integers(0, names.size, names.size), minlength=names.size).astype(np.float64)
        drawn[index] = auc(times[debate])
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(auc(None), float(low), float(high), winners.size, names.size)


def credit(first: ArrayLike, second: ArrayLike) -> Floats:
    """1 where ``first`` is greater, 0 where it is smaller, 0.5 where they tie (half a win, never a win), NaN where either is NaN."""
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    won = np.where(left == right, 0.5, (left > right).astype(np.float64))
    return np.where(np.isnan(left) | np.isnan(right), np.nan, won)


def rank_correlation(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation; NaN where one side does not vary."""
    from scipy.stats import rankdata

    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    ranks = [rankdata(values) - (first.size + 1) / 2 for values in (first, second)]
    return float(ranks[0] @ ranks[1] / np.sqrt((ranks[0] @ ranks[0]) * (ranks[1] @ ranks[1])))


def _per_cluster(values: Floats, clusters: Sequence[str]) -> tuple[Floats, Floats]:
    """Sum and size of each cluster, in the order of the sorted cluster names."""
    _check(values, clusters)
    if values.size == 0:
        return np.empty(0), np.empty(0)
    _, inverse = np.unique(np.asarray(clusters), return_inverse=True)
    return np.bincount(inverse, weights=values).astype(np.float64), np.bincount(inverse).astype(np.float64)


def _check(values: Floats, clusters: Sequence[str]) -> None:
    if len(clusters) != values.size:
        raise ValueError(f"{values.size} values but {len(clusters)} cluster labels")
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise SuasionError(f"{bad} of {values.size} values are not finite numbers.", hint="Look for NaN in the scores.")
