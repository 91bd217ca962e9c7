"""Intervals for numbers that vary over premises *and* over seeds of practice: three seeds are three observations of a method, not 300.

The variance of a mean is the sum of a part between premises (clusters of debates) and a part between seeds. The noise of single replies
stands in both, so the sum is a little too large: intervals err towards the wide side. With three seeds the second part is known
poorly, which the degrees of freedom say (Satterthwaite 1946): the t distribution takes the place of the normal one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suasion.statistics import Estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """One source of variance of an estimate, and the degrees of freedom it is known with."""

    variance: float
    freedom: int


@dataclass(frozen=True)
class Spread:
    """The standard error of an estimate and its degrees of freedom."""

    error: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Of the 95 % interval."""
        return self.quantile(0.975) * self.error

    def visible(self, tests: int = 1) -> float:
        """The smallest true effect that a two-sided test at 5 %, shared by ``tests`` tests, finds with 80 % power."""
        return (self.quantile(1 - 0.025 / tests) + self.quantile(0.8)) * self.error

    def quantile(self, share: float) -> float:
        """Of the t distribution."""
        from scipy.stats import t

        return float(t.ppf(share, self.freedom))

    def p_value(self, estimate: float) -> float:
        """Two-sided, of the true value being 0."""
        from scipy.stats import t

        if self.error == 0:
            return 1.0 if estimate == 0 else 0.0
        return float(2 * t.sf(abs(estimate) / self.error, self.freedom))


def combined(parts: Sequence[Part]) -> Spread:
    """All sources together; one that a single observation leaves unknown (no degrees of freedom) is not in it."""
    known = [part for part in parts if part.freedom > 0]
    if not known:
        return Spread(float("inf"), 1.0)
    total = sum(part.variance for part in known)
    squares = sum(part.variance**2 / part.freedom for part in known)
    return Spread(total**0.5, total**2 / squares if squares > 0 else float(known[0].freedom))


def between(values: Sequence[float] | Floats) -> Part:
    """The part of a mean's variance that comes from the spread of ``values``, one a seed (or a premise)."""
    observed = np.asarray(values, dtype=np.float64)
    if observed.size < 2:
        return Part(0.0, 0)
    return Part(float(observed.var(ddof=1)) / observed.size, observed.size - 1)


def crossed_mean(values: Floats, clusters: Sequence[str]) -> Estimate:
    """Mean with a 95 % interval over premises and seeds.

    Args:
        values: shape (seeds, premises), NaN where unknown: such premises are left out.
        clusters: the debate of each premise.
    """
    known = np.isfinite(values).all(axis=0)
    table, debates = values[:, known], np.asarray(clusters)[known]
    if table.size == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, 0)
    names, inverse = np.unique(debates, return_inverse=True)
    mean = float(table.mean())
    # of the mean over unequal clusters: each cluster's summed deviation
    sums = np.bincount(inverse, weights=table.mean(axis=0) - mean)
    groups = names.size
    of_premises = Part(groups / (groups - 1) * float(sums @ sums) / table.shape[1] ** 2, groups - 1) if groups > 1 else Part(0.0, 0)
    if of_premises.freedom == 0:
        return Estimate(mean, float("-inf"), float("inf"), table.size, groups)
    half = combined([of_premises, between(table.mean(axis=1))]).half_width
    return Estimate(mean, mean - half, mean + half, table.size, groups)
