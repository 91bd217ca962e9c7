"""Many looks at one judge: a good one is not failed by chance, a bad one is not let through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from suasion.persuasion.judging.audit.looks import CHANCE, excess_p, holm


def test_with_one_reply_a_debate_it_is_student_s_t_test() -> None:
    values = np.random.default_rng(0).normal(0.4, 1, 30)
    expected = stats.ttest_1samp(values, 0.25, alternative="greater").pvalue
    assert excess_p(values, [f"d{index}" for index in range(30)], 0.25) == pytest.approx(expected)


def test_replies_that_repeat_their_debate_show_no_more_than_one_of_them() -> None:
    values = np.random.default_rng(0).normal(0.4, 1, 30)
    names = [f"d{index}" for index in range(30)]
    assert excess_p(np.repeat(values, 5), [name for name in names for _ in range(5)], 0.25) == pytest.approx(excess_p(values, names, 0.25))


@pytest.mark.parametrize(("gain", "p"), [(0.3, 0.0), (0.25, 1.0), (0.1, 1.0)])
def test_where_every_reply_gains_the_same_the_excess_is_certain_or_absent(gain: float, p: float) -> None:
    assert excess_p(np.full(12, gain), [f"d{index}" for index in range(12)], 0.25) == p


def test_one_debate_shows_nothing() -> None:
    assert np.isnan(excess_p(np.asarray([1.0, 2.0]), ["d", "d"], 0.0))


def test_holm_as_published() -> None:
    """The step-down factors m, m-1, …, kept in order, at most 1."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    unknown = holm([0.01, float("nan"), 0.03])
    assert unknown[0] == pytest.approx(0.02) and np.isnan(unknown[1]) and unknown[2] == pytest.approx(0.03)
    assert holm([]) == [] and np.isnan(holm([float("nan")])[0])


@settings(max_examples=20, deadline=None)  # the library is slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_as_a_well_kept_library_has_it(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_a_judge_at_every_limit_is_failed_no_more_often_than_said() -> None:
    """The hardest good judge: each of 24 tricks gains exactly the limit. Unadjusted, seven in ten such judges would be failed."""
    generator = np.random.default_rng(0)
    debates = [f"d{index}" for index in range(32)]
    failed = alone = 0
    for _ in range(200):
        ps = [excess_p(generator.normal(0.25, 0.8, 32), debates, 0.25) for _ in range(24)]
        failed += min(holm(ps)) <= CHANCE
        alone += min(ps) <= CHANCE
    assert failed <= 20 and alone >= 100


def test_a_judge_that_one_trick_fools_is_found_among_many_harmless_ones() -> None:
    """With the default 32 replies, a gain of one gap is found at this spread nearly always."""
    generator = np.random.default_rng(1)
    debates = [f"d{index}" for index in range(32)]
    found = 0
    for _ in range(50):
        ps = [excess_p(generator.normal(1.0 if trick == 0 else 0.0, 0.8, 32), debates, 0.25) for trick in range(24)]
        found += holm(ps)[0] <= CHANCE
    assert found >= 45
