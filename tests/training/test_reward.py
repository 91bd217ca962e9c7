from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import save_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.runs.run import Run
from suasion.training.reward import RewardConfig, render_pairs, train_reward
from tests.nano import WORDS, same_weights


def triples(number: int, seed: int = 0) -> list[tuple[str, str, str]]:
    """The winner has the word 'evidence' somewhere, the loser 'nonsense'; they are equally long."""
    draw = random.Random(seed)

    def reply(word: str) -> str:
        words = draw.choices(WORDS, k=10)
        words[draw.randrange(10)] = word
        return " ".join(words)

    return [(f"CMV: {' '.join(draw.choices(WORDS, k=6))}", reply("evidence"), reply("nonsense")) for _ in range(number)]


def train(base: Base, renderer: Renderer, root: Path, config: RewardConfig, seed: int = 0) -> tuple[Any, Run]:
    pairs, _ = render_pairs(renderer, triples(24))
    with Run.start(root, "Judge", config={}) as run:
        model = train_reward(base, renderer, pairs, LoraConfig(), config, run, seed)
        save_adapter(model, base, run.path / "adapter")
    return model, run


def test_a_judge_learns_an_obvious_sign(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    config = RewardConfig(max_steps=40, batch_size=8, learning_rate=2e-3, checkpoint_every=0)
    model, run = train(nano, renderer, tmp_path, config)
    judge = RewardModel(model, renderer)

    def accuracy(of: list[tuple[str, str, str]]) -> float:
        premises, winners, losers = (list(column) for column in zip(*of, strict=True))
        return float(np.mean(judge.score(premises, winners) > judge.score(premises, losers)))

    assert accuracy(triples(24)) > 0.9
    assert accuracy(triples(24, seed=1)) > 0.8  # it learned the sign, not the pairs
    rows = run.metrics()
    assert {"loss", "accuracy", "margin", "mean_score"} <= set(rows[-1])
    assert rows[0]["loss"] > 2 * rows[-1]["loss"]
    assert rows[-1]["accuracy"] > 0.9


@pytest.mark.parametrize(
    ("center", "margin", "smoothing"),
    [(0.01, 0.0, 0.0), (0.0, 1.5, 0.0), (0.0, 0.0, 0.2), (0.5, 0.7, 0.1)],
    ids=["", "margin", "smooth", "all"],
)
def test_the_first_loss_is_the_one_worked_out_by_hand(
    center: float, margin: float, smoothing: float, nano: Base, renderer: Renderer, tmp_path: Path
) -> None:
    config = RewardConfig(
        max_steps=1, batch_size=24, learning_rate=1e-9, center_rewards=center, margin=margin, label_smoothing=smoothing, checkpoint_every=0
    )
    model, run = train(nano, renderer, tmp_path, config)
    premises, winners, losers = (list(column) for column in zip(*triples(24), strict=True))
    judge = RewardModel(model, renderer)
    high, low = judge.score(premises, winners).astype(float), judge.score(premises, losers).astype(float)
    ahead = high - low - margin
    right, wrong = (np.mean([math.log1p(math.exp(-sign * gap)) for gap in ahead]) for sign in (1, -1))
    expected = (1 - smoothing) * right + smoothing * wrong + center * np.mean((high + low) ** 2)
    assert run.metrics()[0]["loss"] == pytest.approx(expected, abs=2e-3)


def test_the_same_seed_gives_the_same_judge(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    config = RewardConfig(max_steps=3, checkpoint_every=0)
    folders = [train(nano, renderer, tmp_path / str(i), config, seed)[1].path / "adapter" for i, seed in enumerate((5, 5, 6))]
    assert same_weights(folders[0], folders[1])
    assert not same_weights(folders[0], folders[2])


def test_no_pair_is_an_error(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no pair"), Run.start(tmp_path, "Judge", config={}) as run:
        train_reward(nano, renderer, [], LoraConfig(), RewardConfig(), run, 0)
    assert run.state == "failed"
