"""Claim: the arena's 95 % intervals hold the known truth of simulated studies at least 92 times in 100, where the usual ones fall below 88,
and miss it with raters screened by a rule that looks at their votes.

Rivals, on the same ballots: Wilson's interval over ballots as if each were independent (win rates), and the logistic regression's own
standard errors (Bradley–Terry strengths, statsmodels). Verdicts on one premise are alike (0.3), and so are one rater's (0.15).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np

from suasion.persuasion.arena.ballots import Ballot, comparisons
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.screening import Screening, screen
from suasion.persuasion.arena.simulate import World
from suasion.persuasion.arena.strengths import COVARIATES, bradley_terry
from suasion.persuasion.arena.winrates import credit_of, win_rates
from suasion.statistics import wilson

SYSTEMS = ("base", "sft", "grpo")

STUDIES, HOLDS, RIVAL_HOLDS, BIASED_HOLDS = 200, 0.92, 0.88, 0.75
WORLD = World(strengths={"sft": 0.5, "grpo": 1.0}, lazy=0.1, side=0.3, premise=0.3, taste=0.15)
#: Premises, raters a premise, ballots a rater: from a pilot of ten raters to two hundred.
SIZES = ((12, 10, 12), (40, 12, 16), (20, 60, 20), (100, 30, 15))


def main(studies: int) -> bool:
    """Print how often each interval holds, a line a size of study; whether the claim does."""
    print(f"{studies} studies a line; share of intervals that hold the truth")
    print("premises  raters  ballots |  win rates: ours  Wilson |  strengths: ours  plain logit  biased screening")
    truth, ours_all = WORLD.truth(SYSTEMS), []
    held = True
    for premises, raters_per_premise, ballots_per_rater in SIZES:
        rates, naive, fits, plain, biased = [], [], [], [], []
        for seed in range(studies):
            everybody = imagined_study(
                WORLD, seed=seed, premises=premises, raters_per_premise=raters_per_premise, ballots_per_rater=ballots_per_rater
            )
            kept = screen(everybody, Screening()).kept
            for one in win_rates(kept):
                if one.other:
                    expected = _expected(truth[one.system] - truth[one.other])
                    rates.append(one.rate.low <= expected <= one.rate.high)
                    low, high = wilson(one.rate.value * one.rate.n, one.rate.n)
                    naive.append(low <= expected <= high)
            for fit, told in ((bradley_terry(kept, COVARIATES), fits), (bradley_terry(_fond_of("base", kept), COVARIATES), biased)):
                told += [one.low <= truth[name] <= one.high for name, one in fit.systems.items()]
            plain += [low <= truth[name] <= high for name, (low, high) in _logit(kept).items()]
        shares = [float(np.mean(one)) for one in (rates, naive, fits, plain, biased)]
        count = len(comparisons(everybody))
        print(
            f"{premises:8d} {premises * raters_per_premise // ballots_per_rater:7d} {count:8d} |"
            f" {shares[0]:15.3f} {shares[1]:7.3f} | {shares[2]:16.3f} {shares[3]:12.3f} {shares[4]:17.3f}",
            flush=True,
        )
        held = held and min(shares[0], shares[2]) >= HOLDS
        ours_all.append(shares)
    rival = np.mean(ours_all, axis=0)
    held = held and rival[1] < RIVAL_HOLDS and rival[3] < RIVAL_HOLDS and rival[4] < BIASED_HOLDS
    print("the claim holds" if held else "THE CLAIM DOES NOT HOLD")
    return held


def _expected(gap: float) -> float:
    """The win rate at a gap in strength, the sides being even."""
    return sum(0.5 / (1 + math.exp(-(gap + side))) for side in (WORLD.side, -WORLD.side))


def _fond_of(system: str, ballots: Sequence[Ballot]) -> list[Ballot]:
    """The biased rule: the half of the raters to whom a system appeals most."""
    credits: dict[str, list[float]] = {}
    for ballot in comparisons(ballots):
        if system in ballot.pair:
            credits.setdefault(ballot.rater, []).append(credit_of(system, ballot))
    means = {rater: float(np.mean(theirs)) for rater, theirs in credits.items()}
    middle = float(np.median(list(means.values())))
    return [ballot for ballot in ballots if means.get(ballot.rater, 0.0) >= middle]


def _logit(ballots: Sequence[Ballot]) -> dict[str, tuple[float, float]]:
    """Strengths with the standard errors that logistic regression gives by itself: each ballot on its own."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    counted = comparisons(ballots)
    design = np.array([[(one.left == name) - (one.right == name) for name in SYSTEMS[1:]] + [1.0] for one in counted], dtype=float)
    fit = GLM(np.array([one.credit for one in counted]), design, family=Binomial()).fit()
    own = np.vstack([np.zeros(len(SYSTEMS) - 1), np.eye(len(SYSTEMS) - 1)])
    centred = np.hstack([own - own.mean(axis=0), np.zeros((len(SYSTEMS), 1))])
    values, errors = centred @ fit.params, np.sqrt(np.diag(centred @ fit.cov_params() @ centred.T))
    return {name: (value - 1.96 * error, value + 1.96 * error) for name, value, error in zip(SYSTEMS, values, errors, strict=True)}


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else STUDIES) else 1)
