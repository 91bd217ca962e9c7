"""One side against another in the eyes of one judge: win rates, plain and with length taken out, and what could have been missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.evaluation.contest import Contest, Entrant
from suasion.persuasion.evaluation.showdown.crossed import Part, Spread, between, combined
from suasion.persuasion.evaluation.showdown.length_control import Fit, fitted, share
from suasion.statistics import Estimate, credit

Floats = NDArray[np.float64]
#: What every arm is held against besides the other arms.
OPPONENTS = ("base", "sft")


@dataclass(frozen=True)
class Duel:
    """How often ``one`` wins against ``other``; intervals over premises and seeds."""

    one: str
    other: str
    judge: str
    plain: Estimate
    controlled: Estimate
    """With length taken out."""
    length_slope: float | None
    reason: str
    """Why length could not be taken out."""
    p_value: float
    """Of no difference at equal length, for this duel alone."""
    spread: Spread | None
    """Of the log-odds at equal length; None where nothing could be read."""
    unreadable: int
    """Comparisons that the judge left open."""
    family: int = 1
    """How many duels are tested together."""
    adjusted: float = float("nan")
    """``p_value`` for all duels of its family together (Holm 1979)."""

    @property
    def visible(self) -> float:
        """The smallest difference of a win rate from one half that would have been found with 80 % power, at the level that Holm asks of
        the first of the family. NaN where nothing could be read."""
        return float("nan") if self.spread is None else share(min(self.spread.visible(self.family), 50.0)) - 0.5

    @property
    def winner(self) -> str | None:
        """Who wins, if that is more than chance at 5 % in the whole family."""
        if not self.adjusted < 0.05:
            return None
        return self.one if self.controlled.value > 0.5 else self.other

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "system": self.one,
            "against": self.other,
            "judge": self.judge,
            "win_rate": self.plain.as_dict(),
            "length_controlled": self.controlled.as_dict(),
            "length_slope": self.length_slope,
            "not_length_controlled_because": self.reason or None,
            "p": self.p_value,
            "p_of_all": self.adjusted,
            "winner": self.winner,
            "smallest_visible": None if self.spread is None else self.visible,
            "unreadable": self.unreadable,
        }


@dataclass(frozen=True)
class Bouts:
    """Every reply of one side against every one of the other to the same premise. Arrays of shape (n,)."""

    wins: Floats
    gaps: Floats
    premises: NDArray[np.int64]
    ones: NDArray[np.int64]
    """Which seed of the first side."""
    others: NDArray[np.int64]
    unreadable: int


def families(contest: Contest, judge: str) -> tuple[list[Duel], list[Duel]]:
    """All duels before one judge: each arm against base and parent, and each pair of arms; each family with Holm's adjustment."""
    against = [duel(contest, arm, opponent, judge) for opponent in OPPONENTS for arm in contest.arms]
    pairs = [duel(contest, one, other, judge) for one, other in combinations(contest.arms, 2)]
    return _adjusted(against), _adjusted(pairs)


def duel(contest: Contest, one: str, other: str, judge: str) -> Duel:
    """Two arms (or base, or ``sft``), all their seeds."""
    bouts = _bouts(contest.of(one), contest.of(other), judge, contest.debates)
    if bouts.wins.size == 0:
        unknown = Estimate(float("nan"), float("nan"), float("nan"), 0, 0)
        return Duel(one, other, judge, unknown, unknown, None, "nothing could be read", 1.0, None, bouts.unreadable)
    plain, controlled = _estimate(bouts, by_length=False), _estimate(bouts, by_length=True)
    fit, spread = controlled
    return Duel(
        one,
        other,
        judge,
        _as_share(*plain, bouts),
        _as_share(fit, spread, bouts),
        fit.slope,
        fit.reason,
        spread.p_value(fit.log_odds),
        spread,
        bouts.unreadable,
    )


def _bouts(first: Sequence[Entrant], second: Sequence[Entrant], judge: str, debates: Sequence[str]) -> Bouts:
    _, premise = np.unique(np.asarray(debates), return_inverse=True)
    parts = []
    for a, one in enumerate(first):
        for b, other in enumerate(second):
            wins = credit(one.scores[judge][:, :, None], other.scores[judge][:, None, :])
            gaps = one.words[:, :, None] - other.words[:, None, :]
            where = np.broadcast_to(premise[:, None, None], wins.shape)
            parts.append([wins.ravel(), gaps.ravel(), where.ravel(), np.full(wins.size, a), np.full(wins.size, b)])
    wins, gaps, premises, ones, others = (np.concatenate(column) for column in zip(*parts, strict=True))
    known = np.isfinite(wins)
    return Bouts(wins[known], gaps[known], premises[known], ones[known], others[known], int((~known).sum()))


def _estimate(bouts: Bouts, *, by_length: bool) -> tuple[Fit, Spread]:
    """The log-odds over all seeds, and how far they can be trusted: the premises' part and each side's seeds' part."""

    def fit(rows: NDArray[np.bool_]) -> Fit:
        return fitted(bouts.wins[rows], bouts.gaps[rows] if by_length else None, bouts.premises[rows])

    whole = fit(np.ones(bouts.wins.size, dtype=bool))
    parts = [Part(whole.error**2, whole.clusters - 1)]
    parts += [between([fit(side == seed).log_odds for seed in np.unique(side)]) for side in (bouts.ones, bouts.others)]
    return whole, combined(parts)


def _as_share(fit: Fit, spread: Spread, bouts: Bouts) -> Estimate:
    half = min(spread.half_width, 50.0)
    return Estimate(fit.rate, share(fit.log_odds - half), share(fit.log_odds + half), bouts.wins.size, fit.clusters)


def _adjusted(duels: Sequence[Duel]) -> list[Duel]:
    from statsmodels.stats.multitest import multipletests

    if not duels:
        return []
    adjusted = multipletests([one.p_value for one in duels], method="holm")[1]
    return [replace(one, adjusted=float(value), family=len(duels)) for one, value in zip(duels, adjusted, strict=True)]
