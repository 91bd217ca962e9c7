from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.arena.layout import plan_seats, treatments

SYSTEMS = st.integers(2, 6).map(lambda number: [f"s{index}" for index in range(number)])


def spread(counts: Counter[object], kinds: list[object]) -> int:
    numbers = [counts[kind] for kind in kinds]
    return max(numbers) - min(numbers)


@settings(max_examples=150, deadline=None)
@given(
    systems=SYSTEMS,
    number=st.integers(1, 25),
    raters=st.integers(1, 6),
    ballots=st.integers(1, 30),
    seed=st.integers(0, 5),
    compare=st.booleans(),
)
def test_the_design_is_balanced(systems: list[str], number: int, raters: int, ballots: int, seed: int, compare: bool) -> None:
    premises = [f"p{index}" for index in range(number)]
    kinds = treatments(systems, compare=compare)
    seats = plan_seats(premises, kinds, raters_per_premise=raters, ballots_per_rater=ballots, seed=seed)
    slots = [slot for seat in seats for slot in seat]
    assert Counter(slot.premise for slot in slots) == dict.fromkeys(premises, raters)
    assert spread(Counter(slot.systems for slot in slots), kinds) <= 1
    for seat in seats:
        assert len({slot.premise for slot in seat}) == len(seat), "a rater sees a premise twice"
        assert spread(Counter(slot.systems for slot in seat), kinds) <= 1
    sizes = [len(seat) for seat in seats]
    assert max(sizes) <= min(ballots, number) and max(sizes) - min(sizes) <= 1
    for end in range(len(seats)):  # whoever comes first: what is done so far is balanced
        assert spread(Counter(slot.systems for seat in seats[:end] for slot in seat), kinds) <= 1
    again = plan_seats(premises, kinds, raters_per_premise=raters, ballots_per_rater=ballots, seed=seed)
    assert again == seats


def test_each_premise_meets_many_pairs() -> None:
    """Not promised, but looked for: with as many raters as pairs, nearly every premise meets nearly every pair."""
    kinds = treatments(["a", "b", "c"], compare=True)
    seats = plan_seats([str(index) for index in range(60)], kinds, raters_per_premise=3, ballots_per_rater=20, seed=1)
    met = Counter((slot.premise, slot.systems) for seat in seats for slot in seat)
    assert len(met) >= 0.95 * 180


def test_another_seed_is_another_design() -> None:
    kinds = treatments(["a", "b", "c"], compare=True)
    designs = [plan_seats(list("pqrstuvw"), kinds, raters_per_premise=3, ballots_per_rater=4, seed=seed) for seed in (0, 1)]
    assert designs[0] != designs[1]


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(SuasionError, match="two systems; there are 1: only"):
        treatments(["only", "only"], compare=True)
    assert treatments(["only"], compare=False) == [("only",)]
