"""The curriculum's promises, for any accuracies; and its formula, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from suasion.analysis.hirpo.curriculum import Accuracy, CurriculumConfig, check_prerequisites, counts, update, weights
from suasion.errors import SuasionError

PLAN = {"arganno": (), "argmap": (), "arganno-l": ("arganno", "argmap"), "logreco": ("arganno-l",)}
CONFIG = CurriculumConfig()
MASTERED, FAILED = Accuracy(500, 0), Accuracy(0, 500)

accuracies = st.dictionaries(st.sampled_from(sorted(PLAN)), st.builds(Accuracy, st.floats(0, 1e4), st.floats(0, 1e4)), max_size=len(PLAN))
floors = st.dictionaries(st.sampled_from(sorted(PLAN)), st.floats(0, 0.25), max_size=len(PLAN))


@settings(deadline=None)
@given(accuracies, floors, st.floats(0.01, 1), st.floats(0, 0.25))
def test_floors_hold_and_weights_sum_to_one(known: dict[str, Accuracy], least: dict[str, float], ready: float, common: float) -> None:
    shares = weights(PLAN, least, known, CurriculumConfig(ready=ready, least_weight=common))
    assert list(shares) == list(PLAN)
    assert math.fsum(shares.values()) == pytest.approx(1)
    assert all(share >= max(common, least.get(name, 0)) - 1e-12 for name, share in shares.items())


def test_a_locked_task_is_probed_and_a_mastered_one_rehearsed() -> None:
    shares = weights(PLAN, {}, {"arganno": MASTERED, "argmap": FAILED}, CONFIG)
    assert shares["arganno-l"] == pytest.approx(0.01, abs=0.005)  # one of its prerequisites is not met
    assert shares["arganno"] == pytest.approx(0.01, abs=0.005)
    assert shares["argmap"] > 0.95


def test_mastering_all_prerequisites_unlocks() -> None:
    before = weights(PLAN, {}, {"arganno": MASTERED, "argmap": Accuracy(1, 9)}, CONFIG)
    after = weights(PLAN, {}, {"arganno": MASTERED, "argmap": MASTERED}, CONFIG)
    assert before["arganno-l"] < 0.1 < 0.9 < after["arganno-l"]


def test_a_prerequisite_that_nobody_tried_unlocks_nothing() -> None:
    shares = weights(PLAN, {}, {}, CONFIG)
    assert shares["arganno"] == shares["argmap"] > 0.48
    assert shares["logreco"] < 0.02


@settings(deadline=None)
@given(st.floats(0, 200), st.floats(0, 200), st.floats(1, 100))
def test_more_success_at_a_prerequisite_never_takes_from_what_waits_for_it(valid: float, invalid: float, more: float) -> None:
    plan = {"first": (), "second": ("first",)}
    less, after = (weights(plan, {}, {"first": Accuracy(one, invalid)}, CONFIG)["second"] for one in (valid, valid + more))
    assert after >= less - 1e-9


def test_the_formula_by_hand() -> None:
    known = {"first": Accuracy(6, 2), "second": Accuracy(0, 4)}
    low = known["first"].low
    needs = [1 - 6.5 / 9, min(1, low / 0.5) * (1 - 0.5 / 5)]
    shares = weights({"first": (), "second": ("first",)}, {"first": 0.2}, known, CONFIG)
    assert shares["first"] == pytest.approx(0.2 + 0.79 * needs[0] / sum(needs))
    assert shares["second"] == pytest.approx(0.01 + 0.79 * needs[1] / sum(needs))


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"a": ("b",)}, "'b'"),
        ({"argmap": (), "b": ("argmpa",)}, "did you mean 'argmap'"),
        ({"a": ("a",)}, "a → a"),
        ({"a": ("b",), "b": ("c",), "c": ("a",), "d": ()}, "wait for each other"),
        ({}, "no task"),
    ],
)
def test_prerequisites_that_cannot_be_reached_are_an_error(plan: dict[str, tuple[str, ...]], told: str) -> None:
    with pytest.raises(SuasionError, match=told):
        check_prerequisites(plan)
    with pytest.raises(SuasionError):
        weights(plan, {}, {}, CONFIG)


def test_floors_that_take_more_than_everything_are_an_error() -> None:
    with pytest.raises(SuasionError, match="more than 1"):
        weights({"a": (), "b": ()}, {"a": 0.7, "b": 0.4}, {}, CONFIG)


def test_accuracy_is_smoothed_forgets_and_has_an_interval() -> None:
    first = update(Accuracy(), [1.0, 0.5, 0.0], CONFIG)
    assert (first.valid, first.invalid) == (1.5, 1.5)
    second = update(first, [1.0] * 10, CONFIG)
    assert (second.valid, second.invalid) == pytest.approx((0.7 * 1.5 + 10, 0.7 * 1.5))
    assert first.mean == 0.5 < second.mean < 1
    assert 0 < first.low < first.mean < first.high < 1
    assert (Accuracy(8, 2).low, Accuracy(8, 2).high) == pytest.approx(proportion_confint(8, 10, method="jeffreys"))
    assert Accuracy.from_dict(second.as_dict()) == second
    assert update(first, [], CONFIG).mean == 0.5
    with pytest.raises(ValueError, match="between 0 and 1"):
        update(first, [1.5], CONFIG)


def test_a_model_that_loses_a_skill_is_noticed() -> None:
    known = Accuracy(50, 0)
    for _ in range(4):
        known = update(known, [0.0] * 10, CONFIG)
    assert known.high < 0.5


@settings(deadline=None)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=20), st.integers(0, 500), st.integers(0, 2**32))
def test_counts_sum_and_are_within_one_of_their_share(raw: list[float], total: int, seed: int) -> None:
    shares = {str(place): share / sum(raw) for place, share in enumerate(raw)}
    found = counts(shares, total, np.random.default_rng(seed))
    assert sum(found.values()) == total
    assert all(abs(number - shares[name] * total) < 1 + 1e-6 for name, number in found.items())
    assert found == counts(shares, total, np.random.default_rng(seed))


def test_a_small_share_is_probed_once_in_a_while() -> None:
    shares = {"big": 0.99, "small": 0.01}
    drawn = [counts(shares, 10, np.random.default_rng(seed))["small"] for seed in range(2000)]
    assert set(drawn) == {0, 1}
    assert np.mean(drawn) == pytest.approx(0.1, abs=0.02)
