from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.statistics import clustered_auc, clustered_mean, clustered_share, clustered_statistic, credit, rank_correlation, wilson

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


PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("abcd")), min_size=1, max_size=30)


@given(PAIRS)
def test_the_auc_is_the_share_of_winners_above_losers(pairs: list[tuple[int, int, str]]) -> None:
    winners, losers, debates = zip(*pairs, strict=True)
    estimate = clustered_auc(winners, losers, debates, seed=0, resamples=50)
    everybody = [0.5 * (one >= other) + 0.5 * (one > other) for one in winners for other in losers]
    assert estimate.value == pytest.approx(float(np.mean(everybody)))
    assert (estimate.n, estimate.clusters) == (len(pairs), len(set(debates)))
    assert 0 <= estimate.low <= estimate.high <= 1 + 1e-12
    other_way = clustered_auc(losers, winners, debates, seed=0, resamples=50)
    assert (other_way.low, other_way.high) == pytest.approx((1 - estimate.high, 1 - estimate.low))
    assert clustered_auc(np.exp(winners), np.exp(losers), debates, seed=0, resamples=50) == estimate  # only the order counts


def test_the_aucs_interval_is_that_of_resampled_rows() -> None:
    generator = np.random.default_rng(0)
    debates = [str(number // 3) for number in range(90)]
    winners, losers = generator.normal(0.3, 1, 90).round(1), generator.normal(0, 1, 90).round(1)

    def plain(rows: np.ndarray) -> float:
        return float(credit(*np.meshgrid(winners[rows], losers[rows])).mean())

    one = clustered_auc(winners, losers, debates, seed=0)
    other = clustered_statistic(plain, debates, seed=1)
    assert one.value == pytest.approx(other.value)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.02)
    assert one == clustered_auc(winners, losers, debates, seed=0) != clustered_auc(winners, losers, debates, seed=1)
    apart = clustered_auc(np.repeat(winners[:30], 3), np.repeat(losers[:30], 3), [str(number) for number in range(90)], seed=0)
    alike = clustered_auc(np.repeat(winners[:30], 3), np.repeat(losers[:30], 3), debates, seed=0)
    assert alike.high - alike.low > 1.4 * (apart.high - apart.low)  # replies of one debate are no new evidence


def test_the_auc_of_too_little() -> None:
    nothing = clustered_auc([], [], [], seed=0)
    assert math.isnan(nothing.value) and (nothing.low, nothing.high, nothing.n) == (0, 1, 0)
    single = clustered_auc([2, 3], [1, 1], ["a", "a"], seed=0)
    assert (single.value, single.low, single.high, single.clusters) == (1, 0, 1, 1)
    with pytest.raises(SuasionError, match="1 of 2 values"):
        clustered_auc([1, math.nan], [1, 2], ["a", "b"], seed=0)
    with pytest.raises(ValueError, match="1 values but 2"):
        clustered_auc([1, 2], [1], ["a", "b"], seed=0)


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)), min_size=1))
def test_one_sides_win_is_the_others_loss(scores: list[tuple[float, float]]) -> None:
    first, second = zip(*scores, strict=True)
    assert (credit(first, second) + credit(second, first) == 1).all()


def test_rank_correlation_sees_order_only() -> None:
    x = np.arange(10.0)
    assert rank_correlation(x, np.exp(x)) == pytest.approx(1) and rank_correlation(x, -(x**3)) == pytest.approx(-1)
