from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.power import detectable, plan, planned
from suasion.persuasion.arena.simulate import World
from suasion.persuasion.arena.study import Study
from suasion.persuasion.arena.winrates import win_rates


def test_against_the_published_formula_and_its_inverse() -> None:
    """Fleiss, Levin & Paik 2003, chapter 2: n = (1.960 √(p0 q0) + 0.842 √(p q))² / (p - p0)². For 0.7 against 0.5: 46.7."""
    assert detectable(46.7) == pytest.approx(0.7, abs=5e-4)
    assert detectable(783) == pytest.approx(0.55, abs=5e-4)  # the well-known 783 for five points


def test_no_number_is_made_up_where_nothing_can_be_found() -> None:
    assert math.isnan(detectable(3)) and math.isnan(detectable(0))
    assert "No difference" in plan(2, 3, 1, 3).told()[1] and plan(2, 3, 1, 3).as_dict()["detectable"] is None


@given(st.integers(2, 6), st.integers(1, 300), st.integers(1, 40), st.integers(1, 60))
def test_a_plan_adds_up(systems: int, premises: int, raters: int, ballots: int) -> None:
    one = plan(systems, premises, raters, ballots)
    assert one.ballots * one.pairs == pytest.approx(premises * raters)
    assert one.design_effect >= 1 and (math.isnan(one.detectable) or 0.5 < one.detectable <= 1)
    more = plan(systems, premises, raters + 5, ballots)
    assert math.isnan(one.detectable) or more.detectable <= one.detectable


def test_what_is_planned_is_found_about_four_times_in_five() -> None:
    """Simulated studies of two systems whose win rate is just the detectable one (seen: 0.84)."""
    design = plan(2, 40, 6, 16)
    world = World(strengths={"sft": math.log(design.detectable / (1 - design.detectable))}, premise=0.2, taste=0.07, ties=0.0)
    found = 0
    for seed in range(150):
        ballots = imagined_study(world, seed=seed, raters_per_premise=6, systems=("base", "sft"), checks=0)
        found += next(one.rate for one in win_rates(ballots) if one.system == "base" and one.other).high < 0.5
    assert 0.65 <= found / 150 <= 0.95, found
    assert np.isfinite(design.effective)


def test_few_raters_find_less_than_the_same_ballots_of_many() -> None:
    few, many = plan(2, 60, 5, 60), plan(2, 60, 5, 10)
    assert few.ballots == many.ballots and few.detectable > many.detectable + 0.03
    assert math.isnan(plan(2, 60, 1, 60).detectable)  # one rater


def test_a_study_of_changed_views_is_planned_in_deviations() -> None:
    """Lehr 1992: n = 16 / d² for each of two groups, so 64 answers find half a deviation."""
    wide = planned(Study(design="change-of-view", raters_per_premise=1, ballots_per_rater=1, humans=False), 2, 128)
    assert wide.detectable == pytest.approx(0.5, abs=0.01)
    one = planned(Study(design="change-of-view", raters_per_premise=1, ballots_per_rater=9), 2, 9)
    assert one.as_dict()["detectable_in_deviations"] is None and "ask more raters" in one.told()[0]
