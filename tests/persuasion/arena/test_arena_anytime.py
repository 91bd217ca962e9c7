from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.arena.anytime import confidence_sequence, rater_sequence
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.simulate import World
from suasion.statistics import wilson


@given(st.lists(st.floats(0, 1), max_size=60))
def test_the_interval_never_widens_and_mirrors(values: list[float]) -> None:
    lows, highs = confidence_sequence(values)
    assert len(lows) == len(values) and (lows <= highs).all() and (np.diff(lows) >= 0).all() and (np.diff(highs) <= 0).all()
    mirrored = confidence_sequence([1 - value for value in values])
    assert mirrored[0] == pytest.approx(1 - highs, abs=2e-3) and mirrored[1] == pytest.approx(1 - lows, abs=2e-3)


def test_the_numbers_of_the_authors_own_package() -> None:
    """Reference: `hedged_cs` of confseq 0.0.11 by Waudby-Smith, Howard and Ramdas, with its defaults (a grid of thousandths)."""
    lows, highs = confidence_sequence(np.tile([1, 0.5, 1, 0, 0.75], 12))
    for after, low, high in ((5, 0.147, 1.0), (20, 0.405, 0.866), (60, 0.508, 0.789)):
        assert (lows[after - 1], highs[after - 1]) == pytest.approx((low, high), abs=1e-9)


def test_it_holds_at_all_times_and_peeking_at_wilsons_does_not() -> None:
    """150 streams of 200 coins each, looked at after every one from the tenth on."""
    generator = np.random.default_rng(0)
    held = peeked = 0
    for _ in range(150):
        coins = (generator.random(200) < 0.5).astype(float)
        lows, highs = confidence_sequence(coins)
        held += bool(lows[-1] <= 0.5 <= highs[-1])  # it never widens: held at the end is held always
        sums = coins.cumsum()
        half, n = 1.96, np.arange(1, 201)
        middle, reach = (sums + half**2 / 2) / (n + half**2), half / (n + half**2) * np.sqrt(sums * (n - sums) / n + half**2 / 4)
        assert wilson(sums[99], 100) == pytest.approx((middle[99] - reach[99], middle[99] + reach[99]), abs=1e-4)
        peeked += bool(((middle - reach <= 0.5) & (middle + reach >= 0.5))[9:].all())
    assert held >= 141 and peeked < 125, (held, peeked)


def test_it_finds_what_is_there() -> None:
    lows, highs = confidence_sequence(np.tile([1.0, 0.5, 1.0, 0.5], 25))
    assert 0.5 < lows[-1] < 0.75 < highs[-1] < 0.9
    steady = confidence_sequence(np.full(100, 0.7))
    assert steady[0][-1] > lows[-1] - 0.05  # the less they vary the narrower (the sequence learns the variance)


@pytest.mark.parametrize("wrong", [[-0.1], [1.1], [float("inf")]])
def test_values_out_of_bounds_are_a_mistake(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        confidence_sequence(wrong)


def test_a_value_a_rater_in_the_order_in_which_they_ended() -> None:
    ballots = imagined_study(World(strengths={"grpo": 2.0}), seed=0)
    found = rater_sequence(ballots, "grpo", "base")
    other = rater_sequence(ballots[::-1], "base", "grpo")
    assert len(found.means) == 30 and found.lows[-1] > 0.5
    assert found.means[-1] == pytest.approx(1 - other.means[-1]) and found.as_dict()["raters"] == 30
    assert rater_sequence([], "a", "b").as_dict()["value"] is None
