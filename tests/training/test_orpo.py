from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.models.sampling import padded
from suasion.runs.run import Run
from suasion.training.orpo import OrpoConfig, log1mexp, log_odds, orpo_losses, train_orpo
from tests.nano import adapter_weights, same_weights
from tests.training.writers import TRIPLES, make_parent, stopped_and_resumed

SHORT: dict[str, Any] = {"max_steps": 1, "batch_size": len(TRIPLES), "checkpoint_every": 0, "learning_rate": 5e-3, "warmup": 0}


@pytest.fixture(scope="module")
def parent(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_parent(nano, tmp_path_factory.mktemp("parent") / "adapter")


def learn(base: Base, renderer: Renderer, start: Path | LoraConfig, root: Path, **config: Any) -> tuple[Any, Run]:
    with Run.start(root, "ORPO", config={}) as run:
        model, run.results = train_orpo(base, renderer, start, TRIPLES, OrpoConfig(**(SHORT | config)), run, 0)
        save_adapter(model, base, run.path / "adapter")
    return model, run


def test_the_loss_by_hand() -> None:
    """Winner with p = 1/2 (odds 1), loser with p = 1/5 (odds 1/4): log odds ratio ln 4, -log sigmoid(ln 4) = ln(5/4)."""
    imitation, preference = orpo_losses(torch.tensor([0.5]).log(), torch.tensor([0.2]).log())
    torch.testing.assert_close(imitation, torch.tensor([math.log(2)]))
    torch.testing.assert_close(preference, torch.tensor([math.log(1.25)]))
    torch.testing.assert_close(log_odds(torch.tensor([0.2]).log()), torch.tensor([0.25]).log())


@given(st.lists(st.floats(-100, 0, width=32), min_size=1, max_size=8), st.lists(st.floats(-100, 0, width=32), min_size=8, max_size=8))
def test_sure_replies_give_finite_losses_and_gradients(winners: list[float], losers: list[float]) -> None:
    first, second = (torch.tensor(values[: len(winners)], requires_grad=True) for values in (winners, losers))
    imitation, preference = orpo_losses(first, second)
    (imitation + preference).sum().backward()
    assert imitation.isfinite().all() and preference.isfinite().all()
    assert first.grad is not None and first.grad.isfinite().all() and second.grad is not None and second.grad.isfinite().all()


@given(st.floats(-80, -(2.0**-18), width=32))
def test_the_logarithm_is_exact_at_both_ends(value: float) -> None:
    exact = math.log1p(-math.exp(value)) if value < -1 else math.log(-math.expm1(value))
    assert float(log1mexp(torch.tensor([value]))) == pytest.approx(exact, rel=1e-5)


def test_padding_changes_no_log_probability(nano: Base, renderer: Renderer) -> None:
    from suasion.training.orpo_trainer import SideBySide, mean_logprobs

    model = load_base(nano, "CAUSAL_LM").eval()
    rows = [
        {"prompt_ids": renderer.prompt(premise), "chosen_ids": renderer.prompt("x")[:3], "rejected_ids": renderer.prompt(premise)[:size]}
        for premise, size in (("CMV: tea.", 2), ("CMV: tea is better than any coffee in the city.", 7))
    ]
    with torch.inference_mode():
        together = mean_logprobs(model, **SideBySide(int(renderer.tokenizer.pad_token_id))(rows))
        alone = []
        for side in ("chosen_ids", "rejected_ids"):
            for row in rows:
                ids, mask = padded([row["prompt_ids"] + row[side]], 0, "cpu", "right")
                logits = model(input_ids=ids, attention_mask=mask).logits[0].log_softmax(-1)
                places = range(len(row["prompt_ids"]), ids.shape[1])
                alone.append(sum(logits[place - 1, ids[0, place]] for place in places) / len(places))
    torch.testing.assert_close(together, torch.stack(alone), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("fresh", [False, True], ids=["from a writer", "in one stage"])
def test_winners_become_likelier_and_losers_do_not_keep_up(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, fresh: bool
) -> None:
    start = LoraConfig() if fresh else parent
    _, run = learn(nano, renderer, start, tmp_path, max_steps=10, orpo={"weight": 1.0})
    first, last = run.metrics()[0], run.metrics()[-1]
    assert last["nll"] < first["nll"] and last["log_odds_ratio"] > first["log_odds_ratio"] + 0.1
    assert last["loss"] < first["loss"] and 0 <= last["accuracy"] <= 1
    assert first["loss"] == pytest.approx(first["nll"] + math.log(2) - first["log_odds_ratio"] / 2, abs=0.1)
    before = adapter_weights(parent)
    assert run.results == {"pairs": 7, "equal_dropped": 0, "replies_cut": 0, "premises_cut": 0}
    assert adapter_weights(run.path / "adapter").keys() == before.keys()


def test_several_passes_a_step_are_one_large_one(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    found = []
    for size, passes in ((6, 1), (2, 3)):
        _, run = learn(nano, renderer, parent, tmp_path / str(size), batch_size=size, orpo={"accumulation": passes})
        found.append((run.metrics()[0]["gradient_norm"], run.metrics()[0]["loss"]))
    assert found[0] == pytest.approx(found[1], rel=1e-3)


def test_stopped_practice_goes_on_to_the_same_weights(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SHORT | {"max_steps": 7, "checkpoint_every": 2, "batch_size": 2}
    _, whole = learn(nano, renderer, parent, tmp_path / "whole", **settings)

    def train(run: Run) -> Any:
        return train_orpo(nano, renderer, parent, TRIPLES, OrpoConfig(**settings), run, 0)[0]

    model = stopped_and_resumed(tmp_path / "stopped", "ORPO", train, monkeypatch, step=5)
    save_adapter(model, nano, tmp_path / "resumed")
    assert same_weights(tmp_path / "resumed", whole.path / "adapter")
