"""DPO: the writer learns from pairs which reply won, measured against the writer it started as.

The pairs are people's, or the judge's among replies that the parent drew.
Rafailov et al. 2023 (arXiv:2305.18290), over TRL's trainer. The reference is the *parent* run's adapter, not the bare base: TRL keeps a
frozen copy of the adapter it is given. So at the first step the loss is ln 2 and both rewards are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.models.base import Base
from suasion.models.loading import writer_to_train
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, fit, trainer_arguments
from suasion.training.monitors import watching
from suasion.training.preference import Compared, render_preferences
from suasion.training.settings import PairsFrom, StepsConfig
from suasion.training.spent import NOTHING, Drawn, spent_before

#: TRL's names -> ours. Both log-probabilities are shown because the winners' often falls with the losers' (a reason for ``nll_weight``).
NUMBERS = COMMON_NUMBERS | {
    "rewards/margins": "margin",
    "rewards/accuracies": "accuracy",
    "rewards/chosen": "chosen_reward",
    "rewards/rejected": "rejected_reward",
    "logps/chosen": "chosen_logprob",
    "logps/rejected": "rejected_logprob",
    "entropy": "entropy",
}


class DpoSettings(Config):
    """DPO's own."""

    beta: float = Field(0.1, gt=0)
    """How dear it is to move away from the parent: a reply's reward is ``beta`` x log(probability / the parent's)."""
    loss_type: Literal["sigmoid", "sigmoid_norm", "ipo", "robust"] = "sigmoid"
    """``sigmoid_norm`` takes log-probabilities a token, so that a long reply is not pushed further than a short one (Lambert et al. 2024,
    arXiv:2411.15124); ``ipo`` aims at a fixed margin (Azar et al. 2023, arXiv:2310.12036); ``robust`` reckons with pairs that are
    labelled the wrong way round (Chowdhury et al. 2024, arXiv:2403.00409)."""
    label_smoothing: float = Field(0.0, ge=0, lt=0.5)
    """With ``robust``: the share of pairs that are taken to be labelled the wrong way round."""
    nll_weight: float = Field(0.0, ge=0)
    """Weight of plain imitation of the winners beside the preference (Pang et al. 2024, arXiv:2404.19733)."""
    accumulation: int = Field(1, ge=1)
    """Forward passes a step."""
    pairs: PairsFrom = "people"
    """``judged``: the parent draws ``num_generations`` replies to a premise, the judge's best stands against its worst."""

    @model_validator(mode="after")
    def _smoothing_has_an_effect(self) -> DpoSettings:
        if self.label_smoothing and self.loss_type != "robust":
            raise ValueError(f"label_smoothing has no effect with loss_type {self.loss_type}; it goes with robust")
        return self


class DpoConfig(StepsConfig):
    """Practice with DPO."""

    dpo: DpoSettings = DpoSettings()


def train_dpo(
    base: Base,
    renderer: Renderer,
    parent: Path,
    pairs: Sequence[Compared],
    config: DpoConfig,
    run: Run,
    seed: int,
    before: Drawn = NOTHING,
) -> tuple[Any, dict[str, int]]:
    """Learn from the parent writer's adapter on.

    Args:
        parent: folder of the adapter to go on from, and to be measured against.
        pairs: gone through in a seeded order, again and again until the steps are done.
        before: what drawing and judging the pairs has cost.

    Returns:
        The adapted model, and how many pairs there were and what the token limits did to them.

    Raises:
        SuasionError: there is no pair.
    """
    from transformers import set_seed
    from trl import DPOConfig

    from suasion.training.dpo_trainer import ReadyPairsTrainer

    preferences = render_preferences(renderer, pairs)
    set_seed(seed)
    model = writer_to_train(base, parent)
    own = config.dpo
    arguments = DPOConfig(
        **trainer_arguments(config, run, base, seed),
        max_steps=config.max_steps,
        per_device_train_batch_size=config.batch_size,
        gradient_accumulation_steps=own.accumulation,
        max_length=None,  # ours are cut already, and counted
        beta=own.beta,
        loss_type=[own.loss_type, "sft"] if own.nll_weight else [own.loss_type],
        loss_weights=[1.0, own.nll_weight] if own.nll_weight else None,
        label_smoothing=own.label_smoothing,
    )
    trainer = ReadyPairsTrainer(model=model, args=arguments, train_dataset=preferences.table(), processing_class=renderer.tokenizer)
    fit(trainer, run, "Practice", NUMBERS, watch=watching(config.limits, run), spent=spent_before(before, run))
    return model, preferences.results
