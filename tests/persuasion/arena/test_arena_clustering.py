from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.arena.ballots import Ballot
from suasion.persuasion.arena.clustering import clustered_mean, clustered_share, clusters_of
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.simulate import World
from suasion.persuasion.arena.winrates import views_changed, win_rates
from suasion.statistics import wilson

MET = st.lists(st.tuples(st.sampled_from("pqrst"), st.sampled_from("abcd"), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40)


def ballots_of(cells: list[tuple[str, str, float]]) -> tuple[list[Ballot], list[float]]:
    return [Ballot(rater, premise, "x", "y", place=place) for place, (premise, rater, _) in enumerate(cells)], [cell[2] for cell in cells]


def test_two_way_variance_is_that_of_statsmodels() -> None:
    """statsmodels' `cov_cluster_2groups` is Cameron, Gelbach & Miller's, checked there against Stata and Petersen's data."""
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    generator = np.random.default_rng(0)
    premise, rater = generator.integers(0, 12, 300), generator.integers(0, 9, 300)
    values = generator.normal(size=12)[premise] + generator.normal(size=9)[rater] + generator.normal(size=300)
    ballots = [Ballot(f"r{r}", f"p{p}", "x") for p, r in zip(premise, rater, strict=True)]
    ours = clusters_of(ballots).variances((values - values.mean())[:, None] / 300).ravel()
    both, one, other = cov_cluster_2groups(OLS(values, np.ones(300)).fit(), premise, rater)
    for mine, theirs in zip(ours[1:], (one, other), strict=True):
        assert mine == pytest.approx(float(theirs[0, 0]), rel=1e-9)
    assert ours[0] == pytest.approx(float(both[0, 0]), rel=1e-9)


@given(MET)
def test_a_share_lies_in_its_interval_and_mirrors(cells: list[tuple[str, str, float]]) -> None:
    ballots, values = ballots_of(cells)
    share = clustered_share(values, ballots)
    assert 0 <= share.low <= share.value + 1e-9 and share.value - 1e-9 <= share.high <= 1
    mirrored = clustered_share([1 - value for value in values], ballots)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - share.high, 1 - share.low), abs=1e-6)
    mean = clustered_mean(values, ballots)
    assert mean.low <= mean.value <= mean.high


def test_independent_ballots_have_nearly_wilsons_interval() -> None:
    ballots = [Ballot(f"r{index}", f"p{index}", "x", "y") for index in range(400)]
    share = clustered_share(np.r_[np.ones(240), np.zeros(160)], ballots)
    assert (share.low, share.high) == pytest.approx(wilson(240, 400), abs=0.002)


def test_all_alike_counts_the_fewer_clusters_once() -> None:
    ballots = [Ballot(f"r{rater}", f"p{premise}", "x", "y") for rater in range(6) for premise in range(50)]
    share = clustered_share(np.ones(300), ballots)
    assert share.low < wilson(6, 6)[0] and share.high == 1.0  # six raters, and Student's quantile for six


@pytest.mark.parametrize("alone", ["premise", "rater"])
def test_one_premise_or_one_rater_tells_nothing_of_the_others(alone: str) -> None:
    ballots = [Ballot("r" if alone == "rater" else f"r{i}", "p" if alone == "premise" else f"p{i}", "x", "y") for i in range(30)]
    share, mean = clustered_share(np.ones(30), ballots), clustered_mean(np.ones(30), ballots)
    assert (share.low, share.high) == (0.0, 1.0) and math.isinf(mean.low) and mean.as_dict()["low"] is None


def test_no_ballots_are_no_error() -> None:
    assert win_rates([]) == [] and views_changed([]) == []
    assert math.isnan(clustered_share([], []).value) and math.isnan(clustered_mean([], []).value)


def test_both_ways_of_clustering_are_needed() -> None:
    """Coverage of the mean of crossed effects: both ways hold what they promise, independence is far off (seen: 194, 95 of 200)."""
    generator = np.random.default_rng(1)
    premise, rater = (codes.ravel() for codes in np.meshgrid(np.arange(25), np.arange(20)))
    ballots = [Ballot(f"r{r}", f"p{p}", "x") for p, r in zip(premise, rater, strict=True)]
    alone = [Ballot(f"r{i}", f"p{i}", "x") for i in range(len(ballots))]
    held, naive = 0, 0
    for _ in range(200):
        noise = generator.normal(size=500)
        values = 0.3 * generator.normal(size=25)[premise] + 0.3 * generator.normal(size=20)[rater] + noise
        both, one = clustered_mean(values, ballots), clustered_mean(values, alone)
        held += both.low <= 0 <= both.high
        naive += one.low <= 0 <= one.high
    assert 182 <= held <= 199 and naive < 160


def test_win_rates_of_a_simulated_study_hold_the_truth() -> None:
    """The probability of each ballot is known exactly; the sides are even, so the side's advantage averages out."""
    world = World(strengths={"sft": 0.5, "grpo": 1.0}, side=0.4, premise=0.3, taste=0.15)
    sigma = lambda x: 1 / (1 + math.exp(-x))  # noqa: E731
    held = []
    for seed in range(100):
        rates = {(one.system, one.other): one.rate for one in win_rates(imagined_study(world, seed=seed, checks=0))}
        for (system, other), gap in {("base", "sft"): -0.5, ("base", "grpo"): -1.0, ("grpo", "sft"): 0.5}.items():
            truth = (sigma(gap + 0.4) + sigma(gap - 0.4)) / 2
            held.append(rates[system, other].low <= truth <= rates[system, other].high)
    assert 0.90 <= np.mean(held) <= 0.995


def test_changed_views_by_system_and_between_systems() -> None:
    ballots = [
        Ballot(f"r{i % 7}", f"p{i % 11}", "b" if i % 3 else "a", before=6, after=3 if i % 3 == 0 else 6 - i % 2, place=i) for i in range(77)
    ]
    found = {(one.system, one.other): one.change for one in views_changed(ballots)}
    assert found["a", ""].value == 3.0 and found["a", ""].low == 3.0
    assert found["a", "b"].value == pytest.approx(found["a", ""].value - found["b", ""].value)
    assert found["a", "b"].low < found["a", "b"].value < found["a", "b"].high
    # a's replies vary by nothing: the difference is as unsure as b's mean
    assert found["a", "b"].high - found["a", "b"].low == pytest.approx(found["b", ""].high - found["b", ""].low, rel=0.1)
