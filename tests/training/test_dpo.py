from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.dpo import DpoConfig, DpoSettings, train_dpo
from suasion.training.preference import Compared, render_preferences
from tests.nano import adapter_weights, nano_base, same_weights, small_renderer
from tests.training.writers import TRIPLES, make_parent, stopped_and_resumed

SHORT: dict[str, Any] = {"max_steps": 1, "batch_size": 3, "checkpoint_every": 0, "learning_rate": 5e-3, "warmup": 0}


@pytest.fixture(scope="module")
def parent(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_parent(nano, tmp_path_factory.mktemp("parent") / "adapter")


def learn(base: Base, renderer: Renderer, parent: Path, root: Path, **config: Any) -> tuple[Any, Run]:
    with Run.start(root, "DPO", config={}) as run:
        model, run.results = train_dpo(base, renderer, parent, TRIPLES, DpoConfig(**(SHORT | config)), run, 0)
        save_adapter(model, base, run.path / "adapter")
    return model, run


@pytest.mark.parametrize("quantization", ["none", "nf4"])
@pytest.mark.parametrize("loss", ["sigmoid", "sigmoid_norm", "robust"])
def test_at_the_first_step_nothing_is_preferred_yet(
    nano_folder: Path, tmp_path: Path, loss: str, quantization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parent differs from the base: a reference without its adapter would give other numbers."""
    if quantization == "nf4":
        pytest.importorskip("bitsandbytes")
    base = nano_base(nano_folder, quantization=quantization)
    parent = make_parent(base, tmp_path / "parent")
    own = {"loss_type": loss} | ({"label_smoothing": 0.1} if loss == "robust" else {})
    _, run = learn(base, small_renderer(base), parent, tmp_path / "runs", dpo=own)
    row = run.metrics()[0]
    assert row["loss"] == pytest.approx(math.log(2), abs=1e-5)
    assert (row["margin"], row["chosen_reward"], row["rejected_reward"]) == pytest.approx((0, 0, 0), abs=1e-5)
    assert row["chosen_logprob"] < 0 and row["rejected_logprob"] < 0


SIDES = ("chosen_ids", "rejected_ids")


def test_the_reference_is_the_parent_to_the_end(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    """The margin logged at the sixth step is what the model of five steps and the parent give, worked out anew."""
    settings: dict[str, Any] = {"batch_size": len(TRIPLES), "learning_rate": 2e-4, "dpo": {"beta": 0.5}}
    rows = learn(nano, renderer, parent, tmp_path / "six", max_steps=6, **settings)[1].metrics()
    model, run = learn(nano, renderer, parent, tmp_path / "five", max_steps=5, **settings)
    after, before = model.eval(), with_saved_adapter(load_base(nano, "CAUSAL_LM"), nano, parent, trainable=False).eval()
    margins = [row["margin"] for row in rows]
    assert margins == sorted(margins) and margins[-1] > 0.1
    assert rows[-1]["accuracy"] == 1.0 and rows[-1]["loss"] < rows[0]["loss"]

    def logprob(writer: Any, prompt: list[int], reply: list[int]) -> float:
        with torch.inference_mode():
            logits = writer(input_ids=torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1].float()
        return float(logits.log_softmax(-1).gather(-1, torch.tensor(reply)[:, None]).sum())

    found = []
    for row in render_preferences(renderer, TRIPLES).rows:
        moved = [logprob(after, row["prompt_ids"], row[side]) - logprob(before, row["prompt_ids"], row[side]) for side in SIDES]
        found.append(0.5 * (moved[0] - moved[1]))
    assert margins[-1] == pytest.approx(sum(found) / len(found), rel=1e-3)
    saved = adapter_weights(run.path / "adapter")
    assert saved.keys() == adapter_weights(parent).keys()
    assert [path.name for path in (run.path / "adapter").iterdir() if path.is_dir()] == []


def test_imitation_beside_it_holds_the_winners_up(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    settings = {"max_steps": 8, "batch_size": len(TRIPLES)}
    winners = []
    for weight in (0.0, 1.0):
        _, run = learn(nano, renderer, parent, tmp_path / str(weight), **settings, dpo={"nll_weight": weight})
        winners.append(run.metrics()[-1]["chosen_logprob"])
    assert winners[1] > winners[0] + 1


def test_stopped_practice_goes_on_to_the_same_weights(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SHORT | {"max_steps": 7, "checkpoint_every": 2, "batch_size": 2, "dpo": {"nll_weight": 0.1}}
    _, whole = learn(nano, renderer, parent, tmp_path / "whole", **settings)

    def train(run: Run) -> Any:
        return train_dpo(nano, renderer, parent, TRIPLES, DpoConfig(**settings), run, 0)[0]

    model = stopped_and_resumed(tmp_path / "stopped", "DPO", train, monkeypatch, step=5)
    save_adapter(model, nano, tmp_path / "resumed")
    assert same_weights(tmp_path / "resumed", whole.path / "adapter")


def test_pairs_are_rendered_as_the_writer_writes(renderer: Renderer) -> None:
    long = "evidence " * 300
    found = render_preferences(
        renderer, [Compared("CMV: tea.", *replies) for replies in (("yes", "no"), (long, long + "more"), (long, "no"))]
    )
    assert found.results == {"pairs": 2, "equal_dropped": 1, "replies_cut": 3, "premises_cut": 0}
    first, cut = found.rows
    assert first["prompt_ids"] == renderer.prompt("CMV: tea.")
    assert first["prompt_ids"] + first["chosen_ids"] == renderer.conversation("CMV: tea.", "yes").ids
    assert first["chosen_ids"][-1] == renderer.end_id
    assert renderer.end_id not in cut["chosen_ids"]  # what was cut did not end there
    assert cut["rejected_ids"][-1] == renderer.end_id


def test_the_end_of_a_reply_that_did_not_end_is_neither_learned_nor_unlearned(renderer: Renderer) -> None:
    (row,) = render_preferences(renderer, [Compared("CMV: tea.", "yes", "no", winner_ended=False)]).rows
    assert row["chosen_ids"][-1] != renderer.end_id and row["rejected_ids"][-1] == renderer.end_id


def test_what_cannot_be_learned_from_is_refused(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="no pair"), Run.start(tmp_path, "DPO", config={}) as run:
        train_dpo(nano, renderer, parent, [Compared("CMV: tea.", "same", "same")], DpoConfig(**SHORT), run, 0)
    with pytest.raises(ValueError, match="no effect with loss_type sigmoid"):
        DpoSettings(label_smoothing=0.1)
