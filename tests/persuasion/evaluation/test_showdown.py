from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.evaluation.contest import PRACTICE_JUDGE
from suasion.persuasion.evaluation.showdown.budgets import budgets_of
from suasion.persuasion.evaluation.showdown.crossed import Part, between, combined, crossed_mean
from suasion.persuasion.evaluation.showdown.duels import duel, families
from suasion.persuasion.evaluation.showdown.length_control import fitted
from suasion.persuasion.evaluation.showdown.pace import pace_of
from suasion.persuasion.evaluation.showdown.practice_curves import Curve, at_tokens, curve, reached, target_of
from suasion.persuasion.evaluation.showdown.verdict import against, verdict
from tests.persuasion.evaluation.contests import made_up


def test_a_planted_difference_is_found_and_told() -> None:
    contest = made_up({"grpo": (1.5, 0), "ppo": (0, 0), "dpo": (0, 0)})
    over, pairs = families(contest, PRACTICE_JUDGE)
    winners = {(one.one, one.other): one.winner for one in pairs}
    assert winners == {("grpo", "ppo"): "grpo", ("grpo", "dpo"): "grpo", ("ppo", "dpo"): None}
    told = verdict(PRACTICE_JUDGE, pairs, 60, 3)
    assert "grpo beats ppo" in told and "grpo beats dpo" in told and "no difference in the other pairs" in told
    assert "grpo is better" in against(PRACTICE_JUDGE, "sft", over) and "worse" not in against(PRACTICE_JUDGE, "sft", over)


def test_the_loser_named_first_is_told_the_right_way_round() -> None:
    _, pairs = families(made_up({"ppo": (0, 0), "grpo": (2, 0)}), PRACTICE_JUDGE)
    (one,) = pairs
    told = verdict("words", pairs, 60, 3)
    assert one.winner == "grpo" and "grpo beats ppo" in told
    assert f"({1 - one.controlled.value:.0%} at equal length" in told


def test_no_difference_gives_the_honest_sentence() -> None:
    _, pairs = families(made_up({"grpo": (0, 0), "ppo": (0, 0)}), PRACTICE_JUDGE)
    told = verdict("words", pairs, 60, 3)
    assert told.startswith("By words: no difference between the contenders that 60 premises and 3 seeds could show (smallest visible: ")
    assert 5 < float(told.rsplit(": ", 1)[1].split()[0]) < 45
    _, pairs = families(made_up({"grpo": (0, 0), "ppo": (0, 0), "dpo": (0, 0)}, premises=4), PRACTICE_JUDGE)
    assert "in the pair seen best" in verdict("words", pairs, 4, 3) or "none, however large" in verdict("words", pairs, 4, 3)


def test_length_is_taken_out() -> None:
    """The judge follows length alone, and one arm is longer: it wins, and at equal length it does not."""
    one = duel(made_up({"long": (0, 12)}, length_pull=0.15, premises=150), "long", "base", PRACTICE_JUDGE)
    assert one.plain.low > 0.6
    assert one.controlled.low < 0.5 < one.controlled.high and abs(one.controlled.value - 0.5) < 0.08
    assert one.length_slope is not None and one.length_slope > 0.5


def test_what_is_better_at_equal_length_stays_better() -> None:
    one = duel(made_up({"short": (2, -10)}, length_pull=0.1, premises=150), "short", "base", PRACTICE_JUDGE)
    assert one.plain.value < one.controlled.value and one.controlled.low > 0.5


def test_the_other_way_round_is_the_mirror_image() -> None:
    contest = made_up({"a": (0.7, 3), "b": (0, 0)})
    one, back = duel(contest, "a", "b", PRACTICE_JUDGE), duel(contest, "b", "a", PRACTICE_JUDGE)
    for ours, theirs in ((one.plain, back.plain), (one.controlled, back.controlled)):
        assert ours.value == pytest.approx(1 - theirs.value, abs=1e-6)
        assert ours.low == pytest.approx(1 - theirs.high, abs=1e-6)
    assert one.p_value == pytest.approx(back.p_value, abs=1e-6)


def test_more_premises_see_smaller_differences() -> None:
    few, many = (duel(made_up({"a": (0, 0)}, premises=number), "a", "base", PRACTICE_JUDGE).visible for number in (20, 320))
    assert many < few / 2


def test_the_interval_holds_what_it_promises() -> None:
    """Of 200 contests without a difference, about 5 % are called different; clustering by premise and seed keeps it from being many."""
    draw = np.random.default_rng(0)
    wrong = 0
    for _ in range(200):
        premises, seeds = draw.normal(size=40), draw.normal(0, 0.5, 3)
        values = premises[None, :] + seeds[:, None] + draw.normal(size=(3, 40))
        found = crossed_mean(values, [f"d{place}" for place in range(40)])
        wrong += not found.low <= 0 <= found.high
    assert wrong <= 20


def test_where_length_separates_the_plain_rate_stands_and_says_why() -> None:
    gaps = np.array([-2.0, -1.0, 1.0, 2.0] * 5)
    found = fitted((gaps > 0).astype(float), gaps, np.repeat(np.arange(10), 2))
    assert found.reason and found.slope is None and found.rate == pytest.approx(0.5)
    same = fitted(np.array([0.0, 1.0, 1.0]), np.zeros(3), np.arange(3))
    assert "equally long" in same.reason and same.rate == pytest.approx(2 / 3)


@pytest.mark.parametrize("all_wins", [0.0, 1.0])
def test_winning_always_is_not_certainty(all_wins: float) -> None:
    found = fitted(np.full(40, all_wins), None, np.repeat(np.arange(10), 4))
    assert 0 < found.rate < 1 and math.isfinite(found.error) and found.error > 0.5


def test_unreadable_scores_are_left_out_and_counted() -> None:
    contest = made_up({"a": (0, 0)})
    contest.entrants[0].scores[PRACTICE_JUDGE][:10, 0] = np.nan
    one = duel(contest, "a", "base", PRACTICE_JUDGE)
    assert one.unreadable == 10 * 2 * 3 and one.plain.n == 60 * 4 * 3 - 60
    contest.entrants[0].scores[PRACTICE_JUDGE][:] = np.nan
    nothing = duel(contest, "a", "base", PRACTICE_JUDGE)
    assert nothing.winner is None and nothing.as_dict()["win_rate"]["value"] is None


@given(st.lists(st.floats(0, 10), min_size=2, max_size=6))
def test_the_parts_add_up(values: list[float]) -> None:
    part = between(values)
    assert part.variance == pytest.approx(np.var(values, ddof=1) / len(values))
    spread = combined([part, Part(1.0, 50)])
    assert spread.error**2 == pytest.approx(1 + part.variance)
    assert min(part.freedom, 50) - 1e-9 <= spread.freedom <= part.freedom + 50 + 1e-9
    assert spread.visible() >= spread.half_width


def test_one_seed_and_one_premise_know_nothing_of_others() -> None:
    one = crossed_mean(np.ones((3, 1)), ["d"])
    assert (one.low, one.high) == (-math.inf, math.inf)
    assert between([1.0]).freedom == 0


def practised(rewards: list[float], name: str = "a-seed1", arm: str = "a", tokens: int = 100) -> Curve:
    rows = [
        {"step": step, "judge_score": reward, "generated_tokens": tokens * step, "elapsed": 2.0 * step, "judge_calls": 16 * step}
        for step, reward in enumerate(rewards, 1)
    ]
    return curve(name, arm, rows)


def test_how_soon_a_level_was_reached() -> None:
    rising, flat = practised([0.0, 0.0, 1.0, 2.0, 3.0]), practised([0.0] * 5)
    assert rising.smoothed(2) == [0.0, 0.5, 1.5, 2.5]
    assert target_of([rising, flat], 2, None) == pytest.approx(1.25)
    found = reached(rising, 1.25, 2)
    assert (found.step, found.tokens, found.seconds) == (4, 400, 8.0)
    assert reached(flat, 1.25, 2).step is None
    assert target_of([flat], 2, None) is None and target_of([flat], 9, None) is None
    assert target_of([flat], 2, 7.0) == 7.0


def test_roughness_tells_a_jumpy_curve_from_a_straight_one() -> None:
    pace = pace_of(
        [practised([0.0, 1.0, 2.0, 3.0], arm="straight"), practised([0.0, 2.0, 1.0, 3.0], arm="jumpy")],
        ["straight", "jumpy", "dpo"],
        2,
        None,
    )
    assert pace.roughness["straight"].value == pytest.approx(0) and pace.roughness["jumpy"].value > 1
    assert "dpo" not in pace.roughness


def test_budgets_are_held_against_one_another() -> None:
    short, long = practised([0.0, 1.0, 2.0, 3.0], arm="short"), practised([0.0, 2.0, 4.0, 6.0], arm="long", tokens=200)
    found = budgets_of([short, long], ["short", "long"], 2)
    assert found.equal_calls and found.tokens == (400, 800)
    assert found.rewards["short"].value == 2.5 and found.rewards["long"].value == 1.0
    assert "100% more" in " ".join(found.told()) and found.tables()
    fewer = budgets_of([short, practised([0.0], arm="long")], ["short", "long"], 2)
    assert not fewer.equal_calls and "did not ask the judge equally often" in fewer.told()[0]
    assert at_tokens(long, 100, 2) is None


def test_a_method_that_draws_before_it_learns_has_costs_and_no_curve() -> None:
    found = curve("dpo-seed1", "dpo", [{"step": 1, "loss": 0.7, "judge_calls": 64, "generated_tokens": 999, "elapsed": 3.0}])
    assert (found.rewards, found.judge_calls, found.generated_tokens) == ([], 64, 999)
    assert pace_of([found], ["dpo"], 1, None).told(1)[0].startswith("No contender")
