from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.judging.ensemble import Combine, Ensemble, level_of


class Lengths:
    """Scores by length, times a factor, plus a level."""

    def __init__(self, factor: float, level: float) -> None:
        self.factor, self.level = factor, level

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Any:
        return np.asarray([self.factor * len(reply) + self.level for reply in replies], dtype=np.float32)


REPLIES = ["a", "bb", "ccccc", ""]


def ensemble(combine: Combine, *members: Lengths) -> Ensemble:
    return Ensemble(members, tuple(level_of(member, [""] * 4, REPLIES) for member in members), combine)


def test_the_mean_is_the_mean_of_levelled_members() -> None:
    judge = ensemble("mean", Lengths(1, 100), Lengths(3, -7))
    np.testing.assert_allclose(judge.score([""] * 4, REPLIES), 2 * (np.array([1, 2, 5, 0]) - 2), atol=1e-5)
    assert judge.score([], []).shape == (0,) and judge.score([], []).dtype == np.float32


def test_the_spread_is_taken_off_where_members_disagree() -> None:
    """Members of slopes 1 and 3 are apart by twice the distance from their level: half of it is their standard deviation."""
    judge = ensemble("mean_minus_spread", Lengths(1, 100), Lengths(3, -7))
    centred = np.array([1, 2, 5, 0]) - 2
    np.testing.assert_allclose(judge.score([""] * 4, REPLIES), 2 * centred - abs(centred), atol=1e-5)


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=2, max_size=4))
def test_a_member_s_level_is_no_disagreement(levels: list[float]) -> None:
    judge = ensemble("mean_minus_spread", *(Lengths(1, level) for level in levels))
    np.testing.assert_allclose(judge.score([""] * 4, REPLIES), np.array([1, 2, 5, 0]) - 2, atol=2e-3)


@pytest.mark.parametrize("combine", ["mean", "mean_minus_spread"])
def test_a_score_does_not_depend_on_its_neighbours(combine: Combine) -> None:
    judge = ensemble(combine, Lengths(1, 3), Lengths(0.3, 2), Lengths(-2, 1))
    alone = [float(judge.score([""], [reply])[0]) for reply in REPLIES]
    assert judge.score([""] * 4, REPLIES).tolist() == alone
