"""Supervised fine-tuning: the writer imitates winning replies. Only the reply is scored: the prompt's labels are ignored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suasion.models.base import Base
from suasion.models.loading import writer_to_train
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, EpochsConfig, epochs_arguments, fit


class SftConfig(EpochsConfig):
    """Imitation of the winners."""

    learning_rate: float = 2e-4


@dataclass(frozen=True)
class Example:
    """A premise and the reply to imitate."""

    premise: str
    reply: str


def train_sft(
    base: Base,
    renderer: Renderer,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    lora: LoraConfig,
    config: SftConfig,
    run: Run,
    seed: int,
) -> tuple[Any, dict[str, float]]:
    """Train a fresh adapter on ``examples``.

    Returns:
        The adapted model and its results: ``replies``, ``replies_cut``, ``premises_cut`` (by the token limits) and, where there are
        held-out examples, ``held_out_loss``, the mean loss on them (nats a token).
    """
    from transformers import set_seed
    from trl import SFTConfig, SFTTrainer

    set_seed(seed)  # before the adapter is drawn
    model = writer_to_train(base, lora)
    rows = [_row(renderer, example) for example in examples]
    arguments = SFTConfig(**epochs_arguments(config, run, base, seed), max_length=None, packing=False, eval_strategy="no")
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=_dataset(rows),
        eval_dataset=_dataset([_row(renderer, example) for example in held_out]) if held_out else None,
        processing_class=renderer.tokenizer,
    )
    fit(trainer, run, "SFT", COMMON_NUMBERS | {"mean_token_accuracy": "token_accuracy"})
    results: dict[str, float] = {
        "replies": len(rows),
        "replies_cut": sum(row["cut"] for row in rows),
        "premises_cut": sum(renderer.premise_was_cut(example.premise) for example in examples),
    }
    if held_out:
        results["held_out_loss"] = float(trainer.evaluate()["eval_loss"])
    return model, results


def _row(renderer: Renderer, example: Example) -> dict[str, Any]:
    conversation = renderer.conversation(example.premise, example.reply)
    return {"input_ids": conversation.ids, "labels": renderer.labels(conversation), "cut": conversation.cut}


def _dataset(rows: Sequence[dict[str, Any]]) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{key: row[key] for key in ("input_ids", "labels")} for row in rows])
