from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.errors import SuasionError
from suasion.files import read_jsonl
from suasion.models.base import Base
from suasion.models.loading import save_adapter
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.rloo import RlooConfig, train_rloo
from tests.nano import adapter_weights, same_weights, small_renderer
from tests.training.writers import PREMISES, letters, make_parent, stopped_and_resumed

#: A random writer never ends a reply, so that here cut-off replies must count.
SHORT: dict[str, Any] = {"batch_size": 8, "cut_off": "score", "checkpoint_every": 0}


@pytest.fixture(scope="module")
def parent(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_parent(nano, tmp_path_factory.mktemp("parent") / "adapter")


def practise(base: Base, renderer: Renderer, parent: Path, root: Path, reward: Any = letters, **config: Any) -> Run:
    with Run.start(root, "RLOO", config={}) as run:
        model = train_rloo(base, renderer, parent, PREMISES, reward, RlooConfig(**(SHORT | config)), run, 0)
        save_adapter(model, base, run.path / "adapter")
    return run


@pytest.mark.parametrize("scale", [False, True])
def test_what_is_rewarded_grows(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, scale: bool) -> None:
    settings = {"max_steps": 20, "premises_per_step": 4, "batch_size": 16, "learning_rate": 2e-3, "beta": 0.0, "rloo": {"scale": scale}}
    run = practise(nano, renderer, parent, tmp_path, **settings)
    rewards = [row["reward"] for row in run.metrics()]
    assert len(rewards) == 20
    assert sum(rewards[-5:]) / 5 > sum(rewards[:5]) / 5 + 1.0
    assert [row["step"] for row in read_jsonl(run.path / "samples.jsonl")] == [0, 5, 10, 15]


def test_the_advantage_is_what_a_reply_has_over_the_others(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rewards 0, 1, 2, 9 of a group: 0 - 12/3, 1 - 11/3, 2 - 10/3, 9 - 3/3. The prompt's ids are the renderer's."""
    from trl import RLOOTrainer

    seen: list[dict[str, Any]] = []
    draw = RLOOTrainer._generate_and_score_completions
    monkeypatch.setattr(RLOOTrainer, "_generate_and_score_completions", lambda self, inputs: seen.append(draw(self, inputs)) or seen[-1])
    practise(nano, renderer, parent, tmp_path, lambda premises, replies: [0.0, 1.0, 2.0, 9.0] * 2, max_steps=1, beta=0.0)
    torch.testing.assert_close(seen[0]["advantages"], torch.tensor([-4.0, -8 / 3, -4 / 3, 8.0] * 2))
    known = [renderer.prompt(premise) for premise in PREMISES]
    for ids, mask in zip(seen[0]["prompt_ids"], seen[0]["prompt_mask"], strict=True):
        assert ids[mask.bool()].tolist() in known


def test_the_first_step_is_measured_against_the_parent_and_not_the_base(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path
) -> None:
    run = practise(nano, renderer, parent, tmp_path, max_steps=3, learning_rate=5e-3, beta=0.02)
    rows = run.metrics()
    assert {"reward", "spread", "cut_off", "kl", "reply_tokens", "dead_groups", "entropy", "loss"} <= set(rows[0])
    assert abs(rows[0]["kl"]) < 1e-6 and abs(rows[-1]["kl"]) > 1e-4
    assert adapter_weights(run.path / "adapter").keys() == adapter_weights(parent).keys()


@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_a_group_without_a_difference_teaches_nothing(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, beta: float) -> None:
    run = practise(nano, renderer, parent, tmp_path, lambda premises, replies: [1.0] * len(replies), max_steps=2, beta=beta)
    assert all(row["dead_groups"] == 1.0 for row in run.metrics())
    assert same_weights(run.path / "adapter", parent)


def test_replies_that_were_cut_off_teach_nothing_when_masked(nano: Base, parent: Path, tmp_path: Path) -> None:
    short = small_renderer(nano, reply_tokens=2)
    run = practise(nano, short, parent, tmp_path, max_steps=2, learning_rate=1e-2, beta=0.0, cut_off="mask")
    assert all(row["cut_off"] == 1.0 for row in run.metrics())
    assert same_weights(run.path / "adapter", parent)


def test_stopped_practice_goes_on_to_the_same_weights(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SHORT | {"max_steps": 5, "checkpoint_every": 2, "learning_rate": 5e-3, "batch_size": 4}
    whole = practise(nano, renderer, parent, tmp_path / "whole", **settings)

    def train(run: Run) -> Any:
        return train_rloo(nano, renderer, parent, PREMISES, letters, RlooConfig(**settings), run, 0)

    save_adapter(stopped_and_resumed(tmp_path / "stopped", "RLOO", train, monkeypatch, step=3), nano, tmp_path / "resumed")
    assert same_weights(tmp_path / "resumed", whole.path / "adapter")


def test_without_a_premise_there_is_nothing_to_practise_on(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no premise"), Run.start(tmp_path, "RLOO", config={}) as run:
        train_rloo(nano, renderer, parent, [], letters, RlooConfig(), run, 0)
