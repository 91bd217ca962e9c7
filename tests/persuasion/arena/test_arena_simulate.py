from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.config import validate
from suasion.errors import SuasionError
from suasion.persuasion.arena.ballots import comparisons
from suasion.persuasion.arena.imagined import imagined_study
from suasion.persuasion.arena.simulate import Crowd, Shown, World, world_from


def shares(world: World, **more: object) -> tuple[float, float]:
    """The credit of the left reply and the share of ties over many premises and raters, ``grpo`` on the left of ``base``."""
    crowd = Crowd(world, map(str, range(60)), ("base", "grpo"), ties=True, scale=7, seed=0)
    raters = [crowd.rater() for _ in range(60)]
    answers = [rater.answer(Shown("ballot", str(premise), "grpo", "base", 200, 100)).answer for rater in raters for premise in range(60)]
    return float(np.mean([{"left": 1.0, "tie": 0.5}.get(answer, 0.0) for answer in answers])), answers.count("tie") / len(answers)


@pytest.mark.parametrize(
    ("world", "margin"),
    [
        (World(), 0.0),
        (World(strengths={"grpo": 1.0}), 1.0),
        (World(strengths={"grpo": 1.0}, noise=2.0), 0.5),
        (World(strengths={"base": 0.5}, side=1.5), 1.0),
        (World(length=0.7, ties=0.0), 0.7),
        (World(strengths={"grpo": -1.0}, premise=0.6, taste=0.2), -1.0),
    ],
)
def test_the_probability_of_a_win_is_exactly_what_the_world_says(world: World, margin: float) -> None:
    credit, ties = shares(world)
    assert credit == pytest.approx(1 / (1 + math.exp(-margin)), abs=0.07)  # 60 crossed premises and raters: not a narrow mean
    assert ties == pytest.approx(0.0 if world.ties == 0 else 2 * 0.2 * min(credit, 1 - credit), abs=0.03)


def test_the_lazy_are_quick_and_see_no_gibberish() -> None:
    crowd = Crowd(World(lazy=0.5, strengths={"grpo": 5.0}), ["p"], ("base", "grpo"), ties=False, scale=7, seed=0)
    raters = [crowd.rater() for _ in range(200)]
    lazy = [rater for rater in raters if rater.lazy]
    assert 75 <= len(lazy) <= 125
    check = Shown("gibberish", "p", "(good)", "(gibberish)", expected="right")
    assert all(rater.answer(check).answer == "right" for rater in raters if not rater.lazy)
    assert 0.3 <= sum(rater.answer(check).answer == "right" for rater in lazy) / len(lazy) <= 0.7
    assert (
        np.median([rater.answer(check).seconds for rater in lazy]) < 4 < np.median([r.answer(check).seconds for r in raters if not r.lazy])
    )


def test_opinions_fall_by_the_strength() -> None:
    crowd = Crowd(World(strengths={"grpo": 1.0}), map(str, range(40)), ("base", "grpo"), ties=True, scale=7, seed=0)
    falls: dict[str, list[float]] = {"base": [], "grpo": []}
    for _ in range(40):
        rater = crowd.rater()
        for premise in range(40):
            for system, theirs in falls.items():
                given_ = rater.answer(Shown("ballot", str(premise), system, ""), changes_view=True)
                assert given_.before is not None and given_.after is not None and 1 <= given_.after <= 7 and given_.answer == ""
                theirs.append(given_.before - given_.after)
    assert np.mean(falls["grpo"]) == pytest.approx(1.0, abs=0.2) and np.mean(falls["base"]) == pytest.approx(0.15, abs=0.25)
    assert crowd.rater().answer(Shown("instructed", "1", "grpo", "", expected="2"), changes_view=True).after == 2


@given(st.integers(0, 1000))
def test_the_same_seed_gives_the_same_study(seed: int) -> None:
    world = World(strengths={"grpo": 1.0}, lazy=0.2)
    one, other = (imagined_study(world, seed=seed, premises=6, raters_per_premise=3, ballots_per_rater=3) for _ in range(2))
    assert one == other and all(ballot.simulated for ballot in one) and len(comparisons(one)) == 18


def test_a_world_is_kept_as_text_and_refuses_nonsense() -> None:
    world = World(strengths={"grpo": 1.0}, noise=2.0)
    assert world_from(world.model_dump_json()) == world and world_from("") is None
    assert world.truth(["base", "grpo"]) == {"base": -0.25, "grpo": 0.25}
    with pytest.raises(SuasionError, match="cannot be read"):
        world_from('{"strength": 1}')
    with pytest.raises(SuasionError, match="No system of the study is called gpro"):
        World(strengths={"gpro": 1.0}).check(["base", "grpo"])
    with pytest.raises(SuasionError, match="below 1"):
        validate({"premise": 0.6, "taste": 0.5}, World)
    with pytest.raises(SuasionError, match="did you mean 'lazy'"):
        validate({"lasy": 0.6}, World)
