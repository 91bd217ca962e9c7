from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.errors import SuasionError
from suasion.files import read_jsonl
from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.sampling import padded
from suasion.runs.run import Run
from suasion.training import policy_value, ppo
from suasion.training.policy_value import PolicyAndValue, read
from suasion.training.ppo import PpoConfig, train_ppo
from tests.nano import adapter_weights, nano_base, shaken, small_renderer
from tests.training.writers import PREMISES, letters, make_parent

#: A random writer never ends a reply, so that here cut-off replies must count.
SHORT: dict[str, Any] = {"batch_size": 8, "cut_off": "score", "checkpoint_every": 0}


@pytest.fixture(scope="module")
def parent(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_parent(nano, tmp_path_factory.mktemp("parent") / "adapter")


def practise(base: Base, renderer: Renderer, parent: Path, root: Path, reward: Any = letters, **config: Any) -> tuple[Any, Run]:
    with Run.start(root, "PPO", config={}) as run:
        model = train_ppo(base, renderer, parent, PREMISES, reward, PpoConfig(**(SHORT | config)), run, 0)
        save_adapter(model, base, run.path / "adapter")
    return model, run


def test_what_is_rewarded_grows(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    settings = {"max_steps": 20, "premises_per_step": 4, "learning_rate": 5e-3, "beta": 0.0, "ppo": {"minibatches": 2}}
    _, run = practise(nano, renderer, parent, tmp_path, **settings)
    rows = [row for row in run.metrics() if "reward" in row]
    assert len(rows) == 20
    assert {"spread", "cut_off", "kl", "entropy", "value", "clipped", "policy_loss", "value_loss", "reply_tokens"} <= set(rows[0])
    rewards = [row["reward"] for row in rows]
    assert sum(rewards[-5:]) / 5 > sum(rewards[:5]) / 5 + 1.0
    assert [row["step"] for row in read_jsonl(run.path / "samples.jsonl")] == [0, 5, 10, 15]


def test_a_bandit_is_solved(nano: Base, parent: Path, tmp_path: Path) -> None:
    """Replies of one token, one arm that pays: the writer comes to pull it nearly always, and the value head to expect it."""
    renderer = small_renderer(nano, reply_tokens=1)
    arm = renderer.tokenizer.decode([300], skip_special_tokens=True).strip()

    def pays(premises: list[str], replies: list[str]) -> list[float]:
        return [float(reply[:1] == arm[:1]) for reply in replies]

    settings = {"max_steps": 40, "premises_per_step": 8, "batch_size": 32, "learning_rate": 1e-2, "beta": 0.0, "temperature": 1.0}
    _, run = practise(nano, renderer, parent, tmp_path, pays, **settings, ppo={"value_weight": 1.0})
    rows = [row for row in run.metrics() if "reward" in row]
    first, last = (sum(row["reward"] for row in part) / 5 for part in (rows[:5], rows[-5:]))
    assert first < 0.5 and last > 0.9
    assert abs(rows[-1]["value"] - last) < abs(rows[0]["value"] - last)


def test_the_first_step_is_measured_against_the_parent_and_not_the_base(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path
) -> None:
    _, run = practise(nano, renderer, parent, tmp_path, max_steps=4, learning_rate=5e-3, beta=0.02, sample_every=1)
    rows = [row for row in run.metrics() if "kl" in row]
    assert abs(rows[0]["kl"]) < 1e-5 and abs(rows[-1]["kl"]) > 1e-4
    saved = adapter_weights(run.path / "adapter")
    assert saved.keys() == adapter_weights(parent).keys()  # one adapter, without the frozen copy or the value head
    assert [path.name for path in (run.path / "adapter").iterdir() if path.is_dir()] == []
    before = adapter_weights(parent)
    assert any(not torch.equal(before[name], saved[name]) for name in saved)


def test_the_penalty_draws_a_writer_back_to_its_parent(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that starts away from the parent, and a judge that does not care: only the divergence teaches anything."""
    loaded = ppo.with_saved_adapter
    monkeypatch.setattr(ppo, "with_saved_adapter", lambda *given, **named: shaken(loaded(*given, **named), seed=5, scale=0.05))
    settings = {"max_steps": 30, "premises_per_step": 8, "batch_size": 16, "learning_rate": 3e-3, "beta": 1.0, "temperature": 1.0}
    near = settings | {"ppo": {"lam": 0.0, "value_weight": 0.01}}  # what a token costs is known at once
    _, run = practise(nano, renderer, parent, tmp_path, lambda premises, replies: [0.0] * len(replies), **near)
    divergence = [row["kl"] for row in run.metrics()]
    assert sum(divergence[-5:]) < 0.93 * sum(divergence[:5])


def test_stopped_practice_goes_on_to_the_same_weights(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "max_steps": 6,
        "checkpoint_every": 2,
        "learning_rate": 5e-3,
        "batch_size": 4,
        "ppo": {"epochs": 2, "minibatches": 2, "kl_target": 0.5},
    }
    _, whole = practise(nano, renderer, parent, tmp_path / "whole", **settings)
    calls = []

    def stopping(premises: list[str], replies: list[str]) -> list[float]:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return letters(premises, replies)

    config = PpoConfig(**(SHORT | settings))
    run = Run.start(tmp_path / "stopped", "PPO", config={})
    with pytest.raises(KeyboardInterrupt):
        train_ppo(nano, renderer, parent, PREMISES, stopping, config, run, 0)
    calls += [1] * 9
    model = train_ppo(nano, renderer, parent, PREMISES, letters, config, run, 0)
    save_adapter(model, nano, run.path / "adapter")
    first, second = adapter_weights(whole.path / "adapter"), adapter_weights(run.path / "adapter")
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_replies_that_were_cut_off_teach_nothing_when_masked(nano: Base, parent: Path, tmp_path: Path) -> None:
    short = small_renderer(nano, reply_tokens=2)
    settings = {"max_steps": 2, "learning_rate": 1e-2, "beta": 0.0, "cut_off": "mask", "ppo": {"value_weight": 0.0}}
    _, run = practise(nano, short, parent, tmp_path, **settings)
    assert all(row["cut_off"] == 1.0 for row in run.metrics())
    before, after = adapter_weights(parent), adapter_weights(run.path / "adapter")
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_what_cannot_be_practised_is_refused(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"multiple of ppo\.minibatches x batch_size"):
        PpoConfig(num_generations=4, premises_per_step=2, batch_size=8, ppo={"minibatches": 2})
    with pytest.raises(SuasionError, match="not a number"):
        practise(nano, renderer, parent, tmp_path, lambda premises, replies: [float("nan")] * len(replies), max_steps=1)
    with pytest.raises(SuasionError, match="no premise"), Run.start(tmp_path, "PPO", config={}) as run:
        train_ppo(nano_base(Path(nano.folder)), renderer, parent, [], letters, PpoConfig(), run, 0)


def test_a_prompt_read_once_for_its_replies_changes_nothing(nano: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    model = PolicyAndValue(shaken(with_new_adapter(load_base(nano, "CAUSAL_LM"), nano, LoraConfig(), "CAUSAL_LM")))
    torch.nn.init.normal_(model.value.weight)
    prompts, replies = [[5, 6, 7, 8], [5, 6, 7, 8], [9]], [[300, 301], [400], [500, 501, 502]]
    left, left_mask = padded(prompts, 0, "cpu", "left")
    right, right_mask = padded(replies, 0, "cpu", "right")
    given = torch.cat([left, right], dim=1), torch.cat([left_mask, right_mask], dim=1), 3, 0.7
    found, tokens = [], []
    for shares in (True, False):
        monkeypatch.setattr(policy_value, "can_share", lambda causal, shares=shares: shares)
        seen: list[int] = []
        hook = model.policy.get_input_embeddings().register_forward_hook(lambda module, ids, out, seen=seen: seen.append(ids[0].numel()))
        model.zero_grad()
        told = read(model, *given)
        hook.remove()
        ((told.logprobs + told.values) * right_mask).sum().backward()
        gradient = torch.cat([value.grad.flatten() for value in model.parameters() if value.grad is not None])
        found.append((told.logprobs * right_mask, told.values * right_mask, told.entropy * right_mask, gradient))
        tokens.append(sum(seen))
    assert tokens == [2 * 6, 3 * 7]  # rows: two prompts but for their last tokens, which each reply begins with; or three whole ones
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, atol=1e-4) and bool(one.abs().sum() > 0)
