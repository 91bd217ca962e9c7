from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.training.timing import COLUMNS, PARTS, Clock, where_the_time_went


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_part_within_another_is_counted_once() -> None:
    hands = Hands()
    clock = Clock(hands)
    hands.at = 1.0
    with clock.part("update"):
        hands.at = 3.0
        with clock.part("sampling"):
            hands.at = 10.0
        hands.at = 14.0
    hands.at = 15.0
    lap = clock.lap()
    assert (lap["seconds_update"], lap["seconds_sampling"], lap["seconds_rest"], lap["seconds_step"]) == (6.0, 7.0, 2.0, 15.0)
    assert set(clock.lap().values()) == {0.0}  # a lap begins anew


def test_an_error_within_a_part_ends_it() -> None:
    hands = Hands()
    clock = Clock(hands)
    with pytest.raises(ValueError, match="odd"), clock.part("judge"):
        hands.at = 2.0
        raise ValueError("odd")
    hands.at = 5.0
    assert clock.lap() | {"seconds_judge": 0, "seconds_rest": 0} == dict.fromkeys(COLUMNS, 0.0) | {"seconds_step": 5.0}
    assert clock.open == ["rest"]


@given(st.lists(st.tuples(st.sampled_from(list(PARTS)), st.floats(0, 100)), max_size=12))
def test_the_parts_make_up_the_whole(spans: list[tuple[str, float]]) -> None:
    hands = Hands()
    clock = Clock(hands)
    for name, seconds in spans:
        with clock.part(name):
            hands.at += seconds
        hands.at += 1.0
    lap = clock.lap()
    assert sum(lap["seconds_" + part] for part in PARTS) == pytest.approx(lap["seconds_step"], abs=1e-3)


def test_totals_are_those_of_the_log_and_of_what_came_after() -> None:
    nothing = dict.fromkeys(COLUMNS, 0.0)
    rows = [
        {"step": 1, **nothing, "seconds_sampling": 6.0, "seconds_step": 8.0, "seconds_rest": 2.0},
        {"step": 2, "reward": 1.0},
        {"step": 4, **nothing, "seconds_sampling": 2.0, "seconds_step": 2.0},
    ]
    found = where_the_time_went(rows, nothing | {"seconds_checkpoint": 10.0, "seconds_step": 10.0})
    assert found["sampling"] == {"total": 8.0, "per_step": 2.0, "share": 0.4}
    assert found["checkpoint"] == {"total": 10.0, "per_step": 2.5, "share": 0.5}
    assert found["step"] == {"total": 20.0, "per_step": 5.0, "share": 1.0}
    assert where_the_time_went([], nothing)["step"] == {"total": 0.0, "per_step": 0.0, "share": 0.0}
