from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.models.base import Base
from suasion.models.loading import load_base
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.sft import Example, SftConfig, train_sft

EXAMPLES = [
    Example("CMV: tea is better than coffee.", "Coffee keeps you awake, and that is what it is for."),
    Example("CMV: cities are better than the country, always and for everybody who can choose.", "People sleep badly there."),
]


def train(base: Base, renderer: Renderer, root: Path, config: SftConfig, held_out: list[Example] | None = None) -> tuple[Any, Any, Run]:
    with Run.start(root, "SFT", config={}) as run:
        model, results = train_sft(base, renderer, EXAMPLES, held_out or [], LoraConfig(), config, run, 0)
    return model, results, run


def mean_loss(model: Any, renderer: Renderer, *, of_prompt_too: bool) -> float:
    """Cross-entropy a token, by hand."""
    total, tokens = 0.0, 0
    for example in EXAMPLES:
        ids = renderer.conversation(example.premise, example.reply).ids
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0]
        start = 1 if of_prompt_too else len(renderer.prompt(example.premise))
        for position in range(start, len(ids)):
            total -= float(torch.log_softmax(logits[position - 1].double(), -1)[ids[position]])
            tokens += 1
    return total / tokens


def test_the_loss_counts_the_reply_and_its_end_and_nothing_else(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    _, results, run = train(nano, renderer, tmp_path, SftConfig(max_steps=1, batch_size=2), held_out=EXAMPLES)
    base = load_base(nano, "CAUSAL_LM")
    expected = mean_loss(base, renderer, of_prompt_too=False)
    first = run.metrics()[0]
    assert first["step"] == 1
    assert first["loss"] == pytest.approx(expected, abs=2e-3)  # a fresh adapter changes nothing
    assert abs(mean_loss(base, renderer, of_prompt_too=True) - expected) > 0.02
    assert results["held_out_loss"] == pytest.approx(expected, abs=0.5)


def test_two_examples_are_learned_by_heart(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    model, results, run = train(nano, renderer, tmp_path, SftConfig(max_steps=60, batch_size=2, learning_rate=5e-3, checkpoint_every=0))
    losses = [row["loss"] for row in run.metrics() if "loss" in row]
    assert losses[-1] < 0.05 < losses[0]
    prompt = torch.tensor([renderer.prompt(EXAMPLES[0].premise)])
    output = model.eval().generate(prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=60)
    assert output[0].tolist() == renderer.conversation(EXAMPLES[0].premise, EXAMPLES[0].reply).ids  # the end was learned too
    assert results == {"replies": 2, "replies_cut": 0, "premises_cut": 0}


def test_what_did_not_fit_is_counted(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    examples = [*EXAMPLES, Example("short", "much too long " * 200), Example("a long view " * 200, "short")]
    with Run.start(tmp_path, "SFT", config={}) as run:
        _, results = train_sft(nano, renderer, examples, [], LoraConfig(), SftConfig(max_steps=1), run, 0)
    assert results == {"replies": 4, "replies_cut": 1, "premises_cut": 1}


def test_only_numbers_with_names_of_ours_are_logged(nano: Base, renderer: Renderer, tmp_path: Path) -> None:
    _, _, run = train(nano, renderer, tmp_path, SftConfig(max_steps=2, batch_size=2))
    assert [row["step"] for row in run.metrics()] == [1, 2]
    assert set(run.metrics()[0]) == {"step", "loss", "gradient_norm", "learning_rate", "token_accuracy"}
