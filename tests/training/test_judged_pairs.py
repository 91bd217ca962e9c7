from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import Refused
from suasion.files import read_jsonl
from suasion.models.base import Base
from suasion.models.loading import load_base, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import Reward
from suasion.training.judged_pairs import DRAWN_FILE, JudgedPairs, best_against_worst, judged_pairs
from suasion.training.replies import Rewards, in_order
from suasion.training.rollouts import sampler
from suasion.training.settings import OnlineConfig
from suasion.training.spent import Drawn, Spent
from tests.training.writers import PREMISES, letters, make_parent

CONFIG = OnlineConfig(max_steps=3, premises_per_step=2, num_generations=4, temperature=1.0, cut_off="score")


def group(rewards: list[float], whole: list[bool] | None = None) -> dict[str, Any]:
    replies = [f"reply {number}" for number in range(len(rewards))]
    return {"premise": "CMV: tea.", "replies": replies, "rewards": rewards, "ended": whole or [True] * len(rewards)}


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=8), st.data())
def test_the_best_stands_against_the_worst(rewards: list[float], data: st.DataObject) -> None:
    whole = data.draw(st.lists(st.booleans(), min_size=len(rewards), max_size=len(rewards)))
    for mask in (False, True):
        pair = best_against_worst(group(rewards, whole), mask=mask)
        taking_part = [value for value, ended in zip(rewards, whole, strict=True) if ended or not mask]
        if pair is None:
            assert len(taking_part) < 2 or max(taking_part) - min(taking_part) <= 1e-6
            continue
        best, worst = (int(reply.split()[1]) for reply in (pair.winner, pair.loser))
        assert rewards[best] == max(taking_part) and rewards[worst] == min(taking_part)
        assert (pair.winner_ended, pair.loser_ended) == (whole[best], whole[worst])
        assert not mask or (whole[best] and whole[worst])


def draw(base: Base, renderer: Renderer, folder: Path, root: Path, judge: Reward = letters, seed: int = 5) -> tuple[JudgedPairs, Run]:
    parent = make_parent(base, folder)
    policy = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=False)
    with Run.start(root, "DPO", config={}) as run:
        draws = sampler(base, renderer, num_generations=4, temperature=1.0, top_p=1.0)
        return judged_pairs(policy, renderer, PREMISES, draws, Rewards(judge, run, CONFIG), CONFIG, seed), run


def test_every_call_and_token_is_counted(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    calls = []

    def counted(premises: list[str], replies: list[str]) -> list[float]:
        calls.extend(replies)
        return letters(premises, replies)

    found, run = draw(nano, renderer, tmp_path / "parent", tmp_path / "runs", counted)
    assert found.spent.judge_calls == len(calls) == 3 * 2 * 4 and found.groups == 6
    assert len(found.pairs) + found.without_difference == 6
    rows = read_jsonl(run.path / DRAWN_FILE)
    groups = [one for row in rows for one in row["groups"]]
    assert [one["premise"] for one in groups] == in_order(PREMISES, 6, 5)
    assert found.spent.generated_tokens == sum(sum(one["tokens"]) for one in groups)
    assert all(0 < count <= renderer.config.reply_tokens for one in groups for count in one["tokens"])
    for pair in found.pairs:
        assert letters([""], [pair.winner]) > letters([""], [pair.loser])


def test_the_same_seed_draws_the_same_pairs_and_another_others(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    first, again, other = (
        draw(nano, renderer, tmp_path / f"parent{number}", tmp_path / str(number), seed=seed)[0].pairs
        for number, seed in enumerate((5, 5, 6))
    )
    assert first == again != other


def test_a_judge_without_an_opinion_is_refused(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="None of 6 groups"):
        draw(nano, renderer, tmp_path / "parent", tmp_path / "runs", lambda premises, replies: [1.0] * len(replies))


def test_what_was_spent_adds_up_and_goes_on_after_a_kill() -> None:
    clock = iter([100.0, 103.0, 107.0]).__next__
    spent = Spent(8, clock=clock)
    assert spent.measure(1, {"reply_tokens": 10.5}) == {"judge_calls": 8, "generated_tokens": 84, "elapsed": 3.0}
    row = {"step": 2} | spent.measure(2, {"reply_tokens": 1.0})
    assert (row["generated_tokens"], row["elapsed"]) == (92, 7.0)
    lost = {"step": 3, "generated_tokens": 999, "elapsed": 50.0}  # logged after the checkpoint that is gone on from
    taken_up = Spent(8, 2, [row, lost], clock=iter([0.0, 1.0]).__next__)
    assert taken_up.measure(3, {"reply_tokens": 2.0}) == {"judge_calls": 24, "generated_tokens": 108, "elapsed": 8.0}


def test_what_was_spent_before_the_first_step_counts() -> None:
    spent = Spent(0, before=Drawn(48, 900, 5.0), clock=iter([10.0, 12.0]).__next__)
    assert spent.measure(1, {"loss": 0.1}) == {"judge_calls": 48, "generated_tokens": 900, "elapsed": 7.0}
