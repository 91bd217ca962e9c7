"""What every method of practice is told: how many steps, how large, how fast; and, where replies are drawn, how."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from suasion.training.common import TrainConfig
from suasion.training.monitors import LimitsConfig
from suasion.training.rewards import ShapingConfig
from suasion.training.vllm_settings import VllmConfig

PairsFrom = Literal["people", "judged"]
"""Who says which reply won: people, in the debates; or the judge, of replies that the parent writer draws."""


class StepsConfig(TrainConfig):
    """Common to all methods."""

    max_steps: int = Field(100, ge=1)
    """Steps of practice: batches of replies drawn, or of pairs learned from."""
    learning_rate: float = Field(2e-5, gt=0)
    scheduler: Literal["linear", "cosine", "constant_with_warmup"] = "constant_with_warmup"
    batch_size: int = Field(8, ge=1)
    """Replies (with ``dpo`` and ``orpo``: pairs) a forward pass."""
    limits: LimitsConfig = LimitsConfig()


class OnlineConfig(StepsConfig):
    """Common to the methods that draw replies and have them judged."""

    num_generations: int = Field(4, ge=2)
    """Replies to a premise, compared with one another."""
    premises_per_step: int = Field(2, ge=1)
    beta: float = Field(0.02, ge=0)
    """Weight of the KL penalty against the parent writer."""
    temperature: float = Field(0.7, gt=0)
    top_p: float = Field(1.0, gt=0, le=1)
    cut_off: Literal["worst", "mask", "score"] = "worst"
    """A reply that was cut off at the token limit has no end to be judged. ``worst``: it gets the lowest score of its group, so the writer
    learns to end; ``mask``: it teaches nothing; ``score``: the judge scores it as if it had ended there."""
    shaping: ShapingConfig = ShapingConfig()
    sample_every: int = Field(5, ge=1)
    """Steps between the samples kept in samples.jsonl."""
    rollouts: Literal["transformers", "vllm"] = "transformers"
    """What draws the replies: the model that is trained, or (``grpo`` and ``rloo``, on a GPU) vLLM, which is sent its weights each step."""
    vllm: VllmConfig = VllmConfig()

    @property
    def draws_every_step(self) -> bool:
        """Whether each step draws replies and has them judged."""
        return True

    @property
    def replies_per_step(self) -> int:
        """In each process."""
        return self.premises_per_step * self.num_generations

    @model_validator(mode="after")
    def _vllm_is_used(self) -> OnlineConfig:
        if self.rollouts != "vllm" and self.vllm != VllmConfig():
            raise ValueError("vllm has no effect with rollouts=transformers; say rollouts=vllm")
        return self

    @model_validator(mode="after")
    def _whole_batches(self) -> OnlineConfig:
        if self.draws_every_step and self.replies_per_step % self.batch_size:
            raise ValueError(
                f"premises_per_step x num_generations ({self.premises_per_step} x {self.num_generations}) "
                f"must be a multiple of batch_size ({self.batch_size})"
            )
        return self
