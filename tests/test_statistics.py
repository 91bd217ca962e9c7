from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.statistics import clustered_mean, clustered_share, clustered_statistic, credit, rank_correlation, wilson

VOTES = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("abcdef")), min_size=1, max_size=40)


def test_wilson_against_published_figures() -> None:
    """Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3."""
    for successes, n, expected in [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ]:
        assert wilson(successes, n) == pytest.approx(expected, abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


@given(VOTES)
def test_a_share_lies_inside_its_interval_and_the_interval_inside_the_possible(votes: list[tuple[float, str]]) -> None:
    values, clusters = zip(*votes, strict=True)
    estimate = clustered_share(values, clusters)
    assert 0 <= estimate.low <= estimate.value + 1e-9 and estimate.value - 1e-9 <= estimate.high <= 1
    assert estimate.n == len(values) and estimate.clusters == len(set(clusters))
    mirrored = clustered_share([1 - value for value in values], clusters)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - estimate.high, 1 - estimate.low), abs=1e-6)


def test_alike_replies_of_one_debate_widen_the_interval() -> None:
    values = np.repeat([0.0, 1.0], 50)
    together = clustered_share(values, [str(index // 10) for index in range(100)])
    apart = clustered_share(values, [str(index) for index in range(100)])
    assert together.high - together.low > 2 * (apart.high - apart.low)
    everything = clustered_share(np.ones(100), [str(index // 10) for index in range(100)])
    assert (everything.low, everything.high) == pytest.approx(wilson(10, 10))


def test_independent_answers_have_nearly_wilsons_interval() -> None:
    values = np.r_[np.ones(60), np.zeros(40)]
    estimate = clustered_share(values, [str(index) for index in range(100)])
    assert (estimate.low, estimate.high) == pytest.approx(wilson(60, 100), abs=0.002)


def test_the_bootstrap_covers_what_it_says() -> None:
    generator = np.random.default_rng(0)
    hits = 0
    for trial in range(100):
        effects = generator.normal(size=40)
        values = np.repeat(effects, 5) + generator.normal(size=200)
        estimate = clustered_mean(values, [str(index // 5) for index in range(200)], seed=trial, resamples=300)
        hits += estimate.low <= 0 <= estimate.high
    assert 86 <= hits <= 100  # an interval that took the replies as independent would hit about 70 times


def test_the_bootstrap_depends_on_its_seed_alone() -> None:
    values, clusters = np.random.default_rng(0).normal(size=40), list("abcdefghij" * 4)
    assert clustered_mean(values, clusters, seed=1) == clustered_mean(values, clusters, seed=1)
    assert clustered_mean(values, clusters, seed=1) != clustered_mean(values, clusters, seed=2)
    shuffled = np.random.default_rng(3).permutation(40)
    again = clustered_mean(values[shuffled], [clusters[index] for index in shuffled], seed=1)
    assert again.low == pytest.approx(clustered_mean(values, clusters, seed=1).low)


def test_the_same_statistic_by_both_ways() -> None:
    values, clusters = np.random.default_rng(0).normal(size=60), [str(index // 3) for index in range(60)]
    one = clustered_mean(values, clusters, seed=0)
    other = clustered_statistic(lambda rows: float(values[rows].mean()), clusters, seed=0)
    assert other.value == pytest.approx(one.value)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.05)


def test_what_cannot_be_known_is_not_claimed() -> None:
    assert math.isnan(clustered_mean([], [], seed=0).value)
    assert math.isnan(clustered_share([], []).value)
    assert clustered_share([], []).as_dict()["value"] is None
    for one in (clustered_mean([1.0, 2.0], ["a", "a"], seed=0), clustered_statistic(lambda rows: 1.0, ["a", "a"], seed=0)):
        assert (one.low, one.high) == (-math.inf, math.inf)
        assert one.as_dict()["low"] is None
    undefined = clustered_statistic(lambda rows: math.nan, ["a", "b"], seed=0, resamples=5)
    assert math.isnan(undefined.value) and undefined.high == math.inf
    assert math.isnan(rank_correlation([1, 1, 1], [1, 2, 3])) and math.isnan(rank_correlation([1], [1]))


def test_a_score_that_is_no_number_is_never_a_silent_loss() -> None:
    for values in ([1.0, math.nan], [1.0, math.inf]):
        with pytest.raises(SuasionError, match="1 of 2 values"):
            clustered_share(values, ["a", "b"])
        with pytest.raises(SuasionError, match="1 of 2 values"):
            clustered_mean(values, ["a", "b"], seed=0)
    assert np.isnan(credit([math.nan, 1], [1, math.nan])).all()
    with pytest.raises(ValueError, match="2 values but 1"):
        clustered_share([1, 0], ["a"])


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)), min_size=1))
def test_one_sides_win_is_the_others_loss(scores: list[tuple[float, float]]) -> None:
    first, second = zip(*scores, strict=True)
    assert (credit(first, second) + credit(second, first) == 1).all()


def test_rank_correlation_sees_order_only() -> None:
    x = np.arange(10.0)
    assert rank_correlation(x, np.exp(x)) == pytest.approx(1) and rank_correlation(x, -(x**3)) == pytest.approx(-1)
