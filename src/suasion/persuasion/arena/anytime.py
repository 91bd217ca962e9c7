"""An interval for those who look at a study while it runs: it holds at all times at once, however often and why ever one looks.

A usual 95 % interval is right once, at a number of raters fixed beforehand; who looks after each rater and stops when the coin is outside
will find it outside in the end. This one is the hedged-capital confidence sequence of Waudby-Smith & Ramdas 2024, "Estimating means of
bounded random variables by betting" (Journal of the Royal Statistical Society B 86), section 4.4: a mean is left out once a gambler who
bets against it has multiplied their stake by 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suasion.persuasion.arena.ballots import Ballot, comparisons, view_changes
from suasion.persuasion.arena.winrates import credit_of

Floats = NDArray[np.float64]
_GRID = 1001
_BOLDEST = 0.5  # of what can be bet without ruin: the paper's c


@dataclass(frozen=True)
class Sequence95:
    """The interval after each rater, in the order in which raters ended: shapes (n,) each."""

    system: str
    other: str
    means: Floats
    lows: Floats
    highs: Floats

    def as_dict(self) -> dict[str, Any]:
        """The last interval, JSON-able."""
        n = len(self.means)
        value, low, high = (float(one[-1]) if n else None for one in (self.means, self.lows, self.highs))
        return {"system": self.system, "other": self.other, "value": value, "low": low, "high": high, "raters": n}


def confidence_sequence(values: ArrayLike, alpha: float = 0.05) -> tuple[Floats, Floats]:
    """Ends of the interval for the mean after each value, shapes (n,); they never widen again.

    Args:
        values: shape (n,), each between 0 and 1, in the order in which they came; their mean given the past must be the same for each.
    """
    observed = np.asarray(values, dtype=np.float64)
    if observed.size and (observed.min() < 0 or observed.max() > 1):
        raise ValueError("the values must lie between 0 and 1")
    n = observed.size
    times = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(observed)) / (times + 1)
    variances = (0.25 + np.cumsum((observed - means) ** 2)) / (times + 1)
    before = np.concatenate([[0.25], variances])[:n]  # a bet may only know what came before it
    bets = np.sqrt(2 * np.log(2 / alpha) / (before * times * np.log(times + 1)))
    grid = np.linspace(0, 1, _GRID)
    with np.errstate(divide="ignore"):
        most_up, most_down = _BOLDEST / grid, _BOLDEST / (1 - grid)
    rising, falling = np.zeros(_GRID), np.zeros(_GRID)  # logarithms of the two stakes
    possible = np.ones(_GRID, dtype=bool)
    lows, highs = np.zeros(n), np.ones(n)
    for index, (value, bet) in enumerate(zip(observed, bets, strict=True)):
        rising += np.log1p(np.minimum(bet, most_up) * (value - grid))
        falling += np.log1p(-np.minimum(bet, most_down) * (value - grid))
        possible &= np.maximum(rising, falling) - np.log(2) < np.log(1 / alpha)
        kept = np.flatnonzero(possible)
        if not len(kept):  # of a study as unlikely as one in twenty, or with a drift: nothing fits any more
            lows[index:], highs[index:] = lows[index - 1], highs[index - 1]
            break
        step = 1 / (_GRID - 1)  # the truth may lie between two points of the grid
        lows[index], highs[index] = max(0.0, grid[kept[0]] - step), min(1.0, grid[kept[-1]] + step)
    return lows, highs


def rater_sequence(ballots: Sequence[Ballot], system: str, other: str) -> Sequence95:
    """The sequence for the win rate of ``system`` over ``other``, with each rater's mean as one value.

    Raters are independent of one another, ballots of one rater are not. What holds at all times holds for the premises of this study.
    """
    met = [ballot for ballot in comparisons(ballots) if set(ballot.pair) == {system, other}]
    values = [float(np.mean([credit_of(system, ballot) for ballot in theirs])) for theirs in _as_they_ended(met)]
    return _followed(system, other, np.array(values), 0.0, 1.0)


def view_sequence(ballots: Sequence[Ballot], system: str, other: str, scale: int) -> Sequence95:
    """The same for how much further ``system`` moves views than ``other``, over the raters who saw both; in points of the scale."""
    values = []
    for theirs in _as_they_ended([ballot for ballot in view_changes(ballots) if ballot.left in (system, other)]):
        falls = [[ballot.fall for ballot in theirs if ballot.left == name] for name in (system, other)]
        if all(falls):
            values.append(float(np.mean(falls[0]) - np.mean(falls[1])))
    return _followed(system, other, np.array(values), -2.0 * (scale - 1), 2.0 * (scale - 1))


def _as_they_ended(ballots: Sequence[Ballot]) -> list[list[Ballot]]:
    """Each rater's ballots, in the order in which the raters gave their last."""
    by_rater: dict[str, list[Ballot]] = {}
    for ballot in sorted(ballots, key=lambda one: (one.answered_at, one.rater, one.place)):
        by_rater.setdefault(ballot.rater, []).append(ballot)
    return sorted(by_rater.values(), key=lambda theirs: theirs[-1].answered_at)


def _followed(system: str, other: str, values: Floats, least: float, most: float) -> Sequence95:
    """The sequence of values between ``least`` and ``most``."""
    width = most - least
    lows, highs = confidence_sequence((values - least) / width)
    return Sequence95(system, other, np.cumsum(values) / np.arange(1, len(values) + 1), lows * width + least, highs * width + least)
