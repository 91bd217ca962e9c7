"""How an epoch's pairs, or its problems, are learned from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.training.chat_dpo import ChatDpoSettings
from suasion.training.common import EpochsConfig
from suasion.training.grpo import GrpoSettings


class VerifierGrpoConfig(Config):
    """GRPO on the verifiers' verdicts, for ``trainer: grpo``: an answer that is valid is worth 1, one that is not 0."""

    num_generations: int = Field(8, ge=2)
    """Answers to a problem, compared with one another."""
    problems_per_step: int = Field(1, ge=1)
    beta: float = Field(0.02, ge=0)
    """Weight of the KL penalty against the model that the epoch starts from."""
    settings: GrpoSettings = GrpoSettings()


class TrainingConfig(EpochsConfig):
    """The training of one epoch. ``epochs`` are passes over its pairs; the published recipe's numbers are the defaults."""

    trainer: Literal["dpo", "grpo"] = "dpo"
    """``dpo`` learns from pairs made in hindsight; ``grpo`` draws its own answers to the problems that the curriculum chose."""
    weights: Literal["lora", "full"] = "lora"
    """What is trained: an adapter (which wants a learning rate of 1e-5 and more), or everything."""
    epochs: float = Field(2.0, gt=0)
    learning_rate: float = Field(5e-7, gt=0)
    scheduler: Literal["linear", "cosine", "constant_with_warmup"] = "linear"
    warmup: float = Field(0.5, ge=0, lt=1)
    batch_size: int = Field(1, ge=1)
    accumulation: int = Field(8, ge=1)
    max_length: int = Field(8192, ge=2)
    """Tokens of a prompt with its longer answer. Longer pairs are left out and counted."""
    dpo: ChatDpoSettings = ChatDpoSettings()
    grpo: VerifierGrpoConfig = VerifierGrpoConfig()

    @model_validator(mode="after")
    def _whole_batches(self) -> TrainingConfig:
        if self.trainer == "grpo" and self.weights == "full":
            raise ValueError("trainer grpo trains an adapter; weights must be lora")
        if self.trainer == "grpo" and (self.grpo.num_generations * self.grpo.problems_per_step) % self.batch_size:
            raise ValueError("grpo.problems_per_step x grpo.num_generations must be a multiple of batch_size")
        return self
