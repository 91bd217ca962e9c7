from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.arena.agreement import _resampled, agreement, alpha_of
from suasion.persuasion.arena.ballots import Ballot, from_row
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.simulate import World

#: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units, five values, gaps.
OBSERVERS = ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
CELLS = st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from(["left", "right", "tie", "both_bad"])), min_size=1, max_size=30)


def counted(observers: tuple[str, ...]) -> np.ndarray:
    """How often each unit got each value."""
    rows = [observer.split() for observer in observers]
    return np.array([[sum(row[unit] == value for row in rows) for value in "12345"] for unit in range(len(rows[0]))])


def test_krippendorffs_own_example() -> None:
    assert alpha_of(counted(OBSERVERS)) == pytest.approx(0.743, abs=5e-4)


def test_krippendorffs_example_of_two_observers() -> None:
    """The same paper, section B: nominal data, two observers, 12 articles; alpha is 0.692."""
    assert alpha_of(counted(("1 1 2 2 4 3 3 3 5 4 4 1", "2 1 2 2 2 3 3 3 5 4 4 4"))) == pytest.approx(0.692, abs=5e-4)


@given(CELLS, st.integers(0, 3))
def test_names_and_sides_change_nothing(cells: list[tuple[str, str]], seed: int) -> None:
    ballots = [Ballot(f"r{place}", premise, "a", "z", answer=answer, place=place) for place, (premise, answer) in enumerate(cells)]  # type: ignore[arg-type]
    renamed = [from_row(one.as_dict() | {"left": "z", "right": "a"}) for one in ballots]
    one, other = agreement(ballots, seed=seed), agreement(renamed, seed=seed)
    assert one.alpha.value == pytest.approx(other.alpha.value, nan_ok=True) and one.alike.value == pytest.approx(
        other.alike.value, nan_ok=True
    )
    if one.units:
        assert 0 <= one.alike.value <= 1 and 0 < one.chance <= 1


def test_the_more_raters_share_the_more_they_agree() -> None:
    alike = agreement(imagined_study(World(strengths={"grpo": 3.0, "sft": 1.5}, premise=0.8, taste=0.0), seed=0, ties=False), seed=0)
    random = agreement(imagined_study(World(lazy=1.0), seed=0), seed=0)
    assert alike.alpha.low > 0.4 and alike.alike.value > 0.7
    assert random.alpha.low < 0 < random.alpha.high and abs(random.alike.value - random.chance) < 0.04


def test_everybody_of_one_mind_and_nobody_twice() -> None:
    same = [Ballot(f"r{i}", f"p{i % 5}", "a", "b", answer="left") for i in range(20)]
    found = agreement(same, seed=0)
    assert found.alike.value == 1.0 and found.alpha.value == 1.0
    alone = agreement(same[:5], seed=0)
    assert alone.units == 0 and math.isnan(alone.alpha.value) and alone.as_dict()["alpha"]["value"] is None


def test_the_resampled_alpha_is_the_librarys() -> None:
    generator = np.random.default_rng(0)
    counts = generator.multinomial(4, [0.4, 0.3, 0.2, 0.1], size=30)
    premises, drawn = np.repeat(np.arange(10), 3), generator.integers(0, 10, (5, 10))
    alphas, alike = _resampled(counts, premises, drawn)
    for mine, same, draw in zip(alphas, alike, drawn, strict=True):
        rows = counts[np.concatenate([np.flatnonzero(premises == premise) for premise in draw])]
        assert mine == pytest.approx(alpha_of(np.vstack([rows, rows[:, [1, 0, 2, 3]]])))
        assert same == pytest.approx((rows * (rows - 1)).sum() / (len(rows) * 12))
