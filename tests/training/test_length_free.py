from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import save_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.reward_model import RewardModel
from suasion.runs.run import Run
from suasion.training.length_free import OdinConfig, correlation, train_odin
from suasion.training.reward import RewardConfig, render_pairs
from tests.nano import WORDS, adapter_weights, nano_base, same_weights, small_renderer


def triples(number: int, seed: int = 0) -> list[tuple[str, str, str]]:
    """The winner says 'evidence', the loser 'nonsense'; the winner is longer."""
    draw = random.Random(seed)

    def reply(word: str, length: int) -> str:
        words = draw.choices(WORDS, k=length)
        words[draw.randrange(length)] = word
        return " ".join(words)

    return [(f"CMV: {' '.join(draw.choices(WORDS, k=6))}", reply("evidence", 14), reply("nonsense", 7)) for _ in range(number)]


def train(
    base: Base, renderer: Renderer, root: Path, config: RewardConfig, odin: OdinConfig | None = None, seed: int = 0
) -> tuple[Any, Run]:
    pairs, _ = render_pairs(renderer, triples(24))
    with Run.start(root, "Judge", config={}) as run:
        model = train_odin(base, renderer, pairs, LoraConfig(), config, odin or OdinConfig(), run, seed)
        save_adapter(model, base, run.path / "adapter")
    return model, run


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=2, max_size=20))
def test_the_correlation_is_pearson_s_and_always_a_number(pairs: list[tuple[float, float]]) -> None:
    first = torch.tensor([one for one, _ in pairs], dtype=torch.float64, requires_grad=True)
    second = torch.tensor([other for _, other in pairs], dtype=torch.float64)
    found = correlation(first, second)
    found.backward()
    assert first.grad is not None and bool(torch.isfinite(first.grad).all())
    assert -1.0001 <= float(found) <= 1.0001
    if min(np.std(first.detach().numpy()), np.std(second.numpy())) > 1e-2:
        assert float(found) == pytest.approx(np.corrcoef(first.detach().numpy(), second.numpy())[0, 1], abs=1e-3)


def test_what_is_saved_is_an_ordinary_reward_model(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    model, run = train(nano, renderer, tmp_path, RewardConfig(max_steps=2, batch_size=8, checkpoint_every=0))
    heads = [value for name, value in adapter_weights(run.path / "adapter").items() if "score" in name]
    assert [tuple(head.shape) for head in heads] == [(1, 64)]
    reloaded = RewardModel.load(run.path / "adapter", nano, renderer)
    premises, winners, _ = (list(column) for column in zip(*triples(6), strict=True))
    np.testing.assert_allclose(RewardModel(model, renderer).score(premises, winners), reloaded.score(premises, winners), atol=5e-5)


def test_the_length_head_takes_up_length_and_the_quality_head_lets_go_of_it(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    config = RewardConfig(max_steps=60, batch_size=12, learning_rate=2e-3, checkpoint_every=0)
    _, run = train(nano, renderer, tmp_path, config, OdinConfig(length_weight=2.0))
    last = run.metrics()[-10:]
    assert np.mean([row["length_head_follows_length"] for row in last]) > 0.9
    assert abs(np.mean([row["quality_follows_length"] for row in last])) < 0.4
    assert np.mean([row["accuracy"] for row in last]) > 0.9


def test_the_first_loss_is_the_one_worked_out_by_hand(
    nano: Base, renderer: Renderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the second head kept: both are needed to work the loss out."""
    from suasion.training import length_free

    monkeypatch.setattr(length_free, "_drop_length_head", lambda model: None)
    odin = OdinConfig(length_weight=0.7, orthogonality_weight=0.3)
    settings = RewardConfig(max_steps=1, batch_size=24, learning_rate=1e-9, center_rewards=0, label_smoothing=0.1, checkpoint_every=0)
    pairs, _ = render_pairs(renderer, triples(24))
    with Run.start(tmp_path, "Judge", config={}) as run:
        model = train_odin(nano, renderer, pairs, LoraConfig(), settings, odin, run, 0)
    with torch.inference_mode():
        rows = [row for side in ("chosen", "rejected") for pair in pairs for row in [getattr(pair, side)]]
        heads = torch.cat([model(input_ids=torch.tensor([row])).logits for row in rows]).double().numpy()
    tokens = np.array([len(row) - pair.prompt_length for row, pair in zip(rows, pairs * 2, strict=True)])
    gap = heads.sum(1)[:24] - heads.sum(1)[24:]
    weights = model.get_base_model().score.modules_to_save["default"].weight.detach().double().numpy()
    cosine = weights[0] @ weights[1] / np.linalg.norm(weights[0]) / np.linalg.norm(weights[1])
    follows = [np.corrcoef(heads[:, i], tokens)[0, 1] for i in (0, 1)]
    expected = 0.9 * np.log1p(np.exp(-gap)).mean() + 0.1 * np.log1p(np.exp(gap)).mean()
    expected += 0.7 * (abs(follows[0]) + 1 - follows[1]) + 0.3 * abs(cosine)
    row = run.metrics()[0]
    assert row["loss"] == pytest.approx(expected, abs=2e-3)
    assert row["quality_follows_length"] == pytest.approx(follows[0], abs=1e-3)


def test_the_same_seed_gives_the_same_judge_and_a_resumed_one_too(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    config = RewardConfig(max_steps=4, batch_size=8, checkpoint_every=2)
    folders = [train(nano, renderer, tmp_path / str(i), config, seed=seed)[1].path / "adapter" for i, seed in enumerate((5, 5, 6))]
    assert same_weights(folders[0], folders[1]) and not same_weights(folders[0], folders[2])
    with Run.start(tmp_path / "again", "Judge", config={}) as run:
        pairs, _ = render_pairs(renderer, triples(24))
        train_odin(nano, renderer, pairs, LoraConfig(), config, OdinConfig(), run, 5)
        for whole in (run.checkpoints / "checkpoint-4", None):  # taken up at its end, and in the middle, with both heads
            model = train_odin(nano, renderer, pairs, LoraConfig(), config, OdinConfig(), run, 5)
            save_adapter(model, nano, run.path / "adapter")
            assert same_weights(run.path / "adapter", folders[0])
            if whole:
                import shutil

                shutil.rmtree(whole)


def test_it_trains_in_four_bit(nano_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes")
    base = nano_base(nano_folder, quantization="nf4")
    renderer = small_renderer(base)
    model, run = train(base, renderer, tmp_path, RewardConfig(max_steps=2, batch_size=8, checkpoint_every=0))
    reloaded = RewardModel.load(run.path / "adapter", base, renderer)
    premises, winners, _ = (list(column) for column in zip(*triples(4), strict=True))
    np.testing.assert_allclose(RewardModel(model, renderer).score(premises, winners), reloaded.score(premises, winners), atol=1e-4)


def test_no_pair_is_an_error(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no pair"), Run.start(tmp_path, "Judge", config={}) as run:
        train_odin(nano, renderer, [], LoraConfig(), RewardConfig(), OdinConfig(), run, 0)
