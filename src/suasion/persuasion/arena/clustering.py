"""How sure a mean is when its ballots share premises and raters: variances clustered two ways.

Two ballots on one premise are alike, and so are two of one rater. The variance is that of Cameron, Gelbach & Miller 2011, "Robust
inference with multiway clustering" (Journal of Business & Economic Statistics 29): by premise + by rater - by ballot.
In a finite study that difference may fall below one of its parts, or below zero; then the greatest of the three is taken, so that an
interval is never narrower than with one way of clustering alone. Quantiles are Student's, with one degree of freedom fewer than the
smaller number of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.arena.ballots import Ballot
from suasion.statistics import Estimate, wilson

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Clustered:
    """A number with its 95 % interval, and the ballots, premises and raters it comes from; unknown ends are NaN or unbounded."""

    value: float
    low: float
    high: float
    n: int
    premises: int
    raters: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n = {self.n}, premises = {self.premises}, raters = {self.raters})"

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy; what is not known is ``None``."""
        return {key: None if isinstance(value, float) and not np.isfinite(value) else value for key, value in asdict(self).items()}

    def for_plot(self) -> Estimate:
        """The same number as the house's plots take it."""
        return Estimate(self.value, self.low, self.high, self.n, self.premises)


@dataclass(frozen=True)
class Clusters:
    """Who made each ballot on what: codes from 0, shape (n,) each."""

    premise: NDArray[np.int64]
    rater: NDArray[np.int64]
    premises: int
    raters: int

    @property
    def fewest(self) -> int:
        """The smaller number of clusters: what the interval's quantile hangs on."""
        return min(self.premises, self.raters)

    def quantile(self) -> float:
        """Student's 97.5 % quantile; infinite where one premise or one rater is all there is."""
        from scipy.stats import t

        return float(t.ppf(0.975, self.fewest - 1)) if self.fewest > 1 else float("inf")

    def variances(self, scores: Floats) -> Floats:
        """Two-way variance of a sum of scores that sum to zero, shape (k, k) from (n, k): the three candidates, shape (3, k, k).

        The first is premise + rater - both, then premise and rater alone; each with its G / (G - 1).
        """
        both = self.premise * self.raters + self.rater
        _, both = np.unique(both, return_inverse=True)
        one, other, cell = (_spread(scores, codes) for codes in (self.premise, self.rater, both))
        return np.stack([one + other - cell, one, other])


def clusters_of(ballots: Sequence[Ballot]) -> Clusters:
    """The premise and the rater of each ballot as codes."""
    premises, premise = np.unique([ballot.premise for ballot in ballots], return_inverse=True)
    raters, rater = np.unique([ballot.rater for ballot in ballots], return_inverse=True)
    return Clusters(premise.astype(np.int64), rater.astype(np.int64), len(premises), len(raters))


def clustered_mean(values: Sequence[float] | Floats, ballots: Sequence[Ballot]) -> Clustered:
    """Mean of one number a ballot, with a 95 % interval clustered by premise and by rater.

    With one premise or one rater nothing is known of the spread between them: the interval is unbounded.
    """
    observed = np.asarray(values, dtype=np.float64)
    if observed.size == 0:
        return Clustered(float("nan"), float("nan"), float("nan"), 0, 0, 0)
    clusters = clusters_of(ballots)
    mean = float(observed.mean())
    error = _error(observed, clusters)
    reach = clusters.quantile() * error if clusters.fewest > 1 else float("inf")
    return Clustered(mean, mean - reach, mean + reach, observed.size, clusters.premises, clusters.raters)


def clustered_share(values: Sequence[float] | Floats, ballots: Sequence[Ballot]) -> Clustered:
    """A share (of 1, 0 or half a ballot) with Wilson's 95 % interval on the effective number of ballots, clustered both ways.

    The effective number is p(1-p) / V, shrunk by (1.96 / t)² for the few clusters it comes from (Korn & Graubard 1998, Survey Methodology
    24), and between 1 and n. Where every ballot is the same, each premise or each rater counts once, whichever are fewer.
    """
    observed = np.asarray(values, dtype=np.float64)
    n = observed.size
    if n == 0:
        return Clustered(float("nan"), 0.0, 1.0, 0, 0, 0)
    clusters = clusters_of(ballots)
    share = float(observed.mean())
    if clusters.fewest < 2:
        return Clustered(share, 0.0, 1.0, n, clusters.premises, clusters.raters)
    effective = float(clusters.fewest)
    if 0 < share < 1:
        variance = _error(observed, clusters) ** 2
        effective = min(float(n), share * (1 - share) / variance) if variance > 0 else float(n)
    effective = max(1.0, effective * (1.959964 / clusters.quantile()) ** 2)
    low, high = (round(end, 12) for end in wilson(share * effective, effective))  # 1e-17 is zero
    return Clustered(share, low, high, n, clusters.premises, clusters.raters)


def _error(values: Floats, clusters: Clusters) -> float:
    """Standard error of the mean: the greatest of the three."""
    scores = (values - values.mean())[:, None] / values.size
    return float(np.sqrt(max(0.0, clusters.variances(scores).max())))


def _spread(scores: Floats, codes: NDArray[np.int64]) -> Floats:
    groups = int(codes.max()) + 1
    sums = np.zeros((groups, scores.shape[1]))
    np.add.at(sums, codes, scores)
    return groups / (groups - 1) * sums.T @ sums if groups > 1 else np.zeros((scores.shape[1], scores.shape[1]))
