"""ORPO: imitation of the winner and preference over the loser in one loss, without a reference model.

Hong et al. 2024 (arXiv:2403.07691): ``L = NLL(winner) + weight * -log sigmoid(log odds(winner) - log odds(loser))``, where the odds of a
reply are ``p / (1 - p)`` and log p is its mean token log-probability. It can go on from a writer, or do without fine-tuning before it
and start from the base: the method's own idea, preference in one stage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.models.base import Base
from suasion.models.loading import writer_to_train
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, fit, trainer_arguments
from suasion.training.monitors import watching
from suasion.training.preference import Compared, render_preferences
from suasion.training.settings import PairsFrom, StepsConfig
from suasion.training.spent import NOTHING, Drawn, spent_before

if TYPE_CHECKING:
    from torch import Tensor

_OWN = ("nll", "log_odds_ratio", "accuracy", "chosen_logprob", "rejected_logprob")
_NUMBERS = COMMON_NUMBERS | {name: name for name in _OWN}
#: The nearest to 0 that a mean log-probability is taken to be: at 0 itself the odds are infinite.
_LARGEST = -1e-6


class OrpoSettings(Config):
    """ORPO's own."""

    weight: float = Field(0.1, ge=0)
    """Of the odds ratio beside imitation (the paper's lambda)."""
    start: Literal["parent", "fresh"] = "parent"
    """``fresh``: from a new adapter on the base, with no writer before it."""
    accumulation: int = Field(1, ge=1)
    """Forward passes a step."""
    pairs: PairsFrom = "people"
    """``judged``: the parent draws ``num_generations`` replies to a premise, the judge's best stands against its worst."""

    @model_validator(mode="after")
    def _somebody_draws(self) -> OrpoSettings:
        if self.pairs == "judged" and self.start == "fresh":
            raise ValueError("judged pairs are drawn by the parent, and start=fresh has none")
        return self


class OrpoConfig(StepsConfig):
    """Practice with ORPO."""

    orpo: OrpoSettings = OrpoSettings()


def log1mexp(values: Tensor) -> Tensor:
    """``log(1 - exp(x))`` for x < 0, exact at both ends (Mächler 2012); values above -1e-6 are taken for that."""
    import torch

    held = values.clamp(max=_LARGEST)
    near = held > -math.log(2)
    # each branch sees only values that it is finite for: a gradient of inf times 0 would be NaN
    return torch.where(near, (-torch.expm1(held.clamp(min=-1.0))).log(), torch.log1p(-held.clamp(max=-0.5).exp()))


def log_odds(logprobs: Tensor) -> Tensor:
    """``log(p / (1 - p))`` from log p < 0; values above -1e-6 are taken for that."""
    return logprobs.clamp(max=_LARGEST) - log1mexp(logprobs)


def orpo_losses(winners: Tensor, losers: Tensor) -> tuple[Tensor, Tensor]:
    """The two terms of each pair's loss, shape (pairs,): imitation of the winner, and its odds above the loser's.

    Args:
        winners: mean token log-probability of each winning reply, float32; ``losers`` likewise.
    """
    from torch.nn.functional import logsigmoid

    return -winners, -logsigmoid(log_odds(winners) - log_odds(losers))


def train_orpo(
    base: Base,
    renderer: Renderer,
    start: Path | LoraConfig,
    pairs: Sequence[Compared],
    config: OrpoConfig,
    run: Run,
    seed: int,
    before: Drawn = NOTHING,
) -> tuple[Any, dict[str, int]]:
    """Learn from pairs.

    Args:
        start: folder of the adapter to go on from, or what a fresh one is to be like.
        pairs: gone through in a seeded order, again and again until the steps are done.
        before: what drawing and judging the pairs has cost.

    Returns:
        The adapted model, and how many pairs there were and what the token limits did to them.

    Raises:
        SuasionError: there is no pair.
    """
    from transformers import TrainingArguments, set_seed

    from suasion.training.orpo_trainer import OrpoTrainer

    preferences = render_preferences(renderer, pairs)
    set_seed(seed)  # before a fresh adapter is drawn
    model = writer_to_train(base, start)
    model.config.use_cache = False
    if config.gradient_checkpointing:
        model.enable_input_require_grads()
    arguments = TrainingArguments(
        **trainer_arguments(config, run, base, seed)
        | {
            "max_steps": config.max_steps,
            "per_device_train_batch_size": config.batch_size,
            "gradient_accumulation_steps": config.orpo.accumulation,
            "remove_unused_columns": False,
        }
    )
    trainer = OrpoTrainer(model, arguments, preferences.table(), int(renderer.tokenizer.pad_token_id), config.orpo.weight)
    fit(trainer, run, "Practice", _NUMBERS, watch=watching(config.limits, run), spent=spent_before(before, run))
    return model, preferences.results
