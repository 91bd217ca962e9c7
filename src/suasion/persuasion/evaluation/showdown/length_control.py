"""A win rate with length taken out: what it would be if both replies were equally long.

As AlpacaEval 2 does it (Dubois et al. 2024, arXiv:2404.04475, without its terms for the difficulty of each instruction): a logistic
regression of "the first wins" on an intercept and tanh(difference in words / its standard deviation), read where the difference is 0.
Standard errors are clustered by premise.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEEP = 8.0  # log-odds (a win rate of .9997) beyond which a fit has run away


@dataclass(frozen=True)
class Fit:
    """The log-odds of winning at equal length."""

    log_odds: float
    error: float
    """Standard error, clustered by premise."""
    clusters: int
    slope: float | None
    """Log-odds that the longest replies gain by length alone (half the range of the length term); None where length is not in the fit."""
    reason: str = ""
    """Why length is not in it, where it was to be."""

    @property
    def rate(self) -> float:
        """The win rate."""
        return share(self.log_odds)


def share(log_odds: float) -> float:
    """Log-odds as a share."""
    return 1 / (1 + math.exp(-log_odds))


def fitted(wins: Floats, gaps: Floats | None, clusters: Sequence[int] | NDArray[np.int64]) -> Fit:
    """Fit one comparison.

    Args:
        wins: shape (n,), 1 where the first reply wins, 0.5 for a tie.
        gaps: shape (n,), its words more than the other's; None for the plain win rate.
        clusters: shape (n,), the premise of each.

    Where the lengths do not differ, or separate the wins from the losses so that no fit is finite, the plain win rate is given and
    ``reason`` says so. A plain win rate of 0 or 1 is held half a premise away from it.
    """
    groups = np.asarray(clusters)
    number = np.unique(groups).size
    if gaps is not None:
        width = float(gaps.std())
        if width == 0:
            return _plain(wins, groups, number, "all replies were equally long")
        found = _regression(wins, np.tanh(gaps / width), groups, number)
        return found or _plain(wins, groups, number, "length alone separates the wins from the losses")
    return _plain(wins, groups, number)


def _regression(wins: Floats, term: Floats, groups: NDArray[np.int64], number: int) -> Fit | None:
    """None where there is no finite fit."""
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    columns = np.column_stack([np.ones_like(term), term])
    if number < 3 or np.ptp(wins) == 0:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a separation is seen from the numbers below
        try:
            model = sm.GLM(wins, columns, family=sm.families.Binomial())
            result = model.fit(cov_type="cluster", cov_kwds={"groups": groups})
        except (PerfectSeparationError, np.linalg.LinAlgError):
            return None
    log_odds, slope = (float(value) for value in result.params)
    error = float(result.bse[0])
    if not (np.isfinite([log_odds, slope, error]).all() and abs(log_odds) < _STEEP and abs(slope) < _STEEP and error > 0):
        return None
    return Fit(log_odds, error, number, slope)


def _plain(wins: Floats, groups: NDArray[np.int64], number: int, reason: str = "") -> Fit:
    """The log-odds of the mean; its error by the delta method from the premises' deviations."""
    held = float(np.clip(wins.mean(), 0.5 / (number + 1), 1 - 0.5 / (number + 1)))
    _, inverse = np.unique(groups, return_inverse=True)
    sums = np.bincount(inverse, weights=wins - wins.mean())
    variance = number / max(number - 1, 1) * float(sums @ sums) / wins.size**2
    # where every premise says the same, each counts as one observation
    variance = variance if variance > 0 and held == float(wins.mean()) else held * (1 - held) / number
    return Fit(math.log(held / (1 - held)), math.sqrt(variance) / (held * (1 - held)), number, None, reason)
