"""GRPO: the writer samples a group of replies to a premise; those above their group's average are pushed up, the others down.

Shao et al. 2024 (DeepSeekMath, arXiv:2402.03300), over TRL's trainer. The adapter goes on from the parent writer's; with ``beta`` > 0
the KL penalty is measured against that parent (TRL keeps a frozen copy of its adapter), not against the bare base.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.models.base import Base
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import Reward
from suasion.training.groups import group_arguments, practise
from suasion.training.rollouts import rollouts
from suasion.training.settings import OnlineConfig

if TYPE_CHECKING:
    from suasion.training.group_trainers import GroupTrainer
    from suasion.training.vllm_rollouts import VllmDraws


class GrpoSettings(Config):
    """GRPO's own."""

    loss_type: Literal["dr_grpo", "grpo", "bnpo", "dapo", "gspo", "cispo", "sapo"] = "dr_grpo"
    """``dr_grpo`` divides by a constant, so that a long reply is not favoured by its length (Liu et al. 2025, arXiv:2503.20783); ``grpo``
    takes each reply's mean over its tokens, ``bnpo`` that over a forward pass's tokens, ``dapo`` that over a step's (Yu et al. 2025,
    arXiv:2503.14476). ``gspo`` weighs whole replies rather than tokens (Zheng et al. 2025, arXiv:2507.18071), ``cispo`` clips the weight
    and not the gradient (MiniMax 2025, arXiv:2506.13585), ``sapo`` has a soft gate for a clip (Gao et al. 2025, arXiv:2511.20347)."""
    updates: int = Field(1, ge=1)
    """Updates that learn from a step's replies. With one, a probability has not moved yet when its gradient is taken, and no clip acts."""
    epsilon: float | None = Field(None, gt=0)
    """How far a ratio of probabilities may fall before it is pushed no further. Default: 0.2, with ``gspo`` 3e-4."""
    epsilon_high: float | None = Field(None, gt=0)
    """How far it may rise: a higher one keeps rare tokens alive (DAPO's 0.28). Default: as ``epsilon``, with ``gspo`` 4e-4; with ``cispo``
    the largest weight itself, 5."""
    scale: Literal["group", "batch", "none"] = "group"
    """What advantages are divided by: the standard deviation of their group's rewards, or of the whole step's, or nothing."""

    @model_validator(mode="after")
    def _clips_that_act(self) -> GrpoSettings:
        if self.loss_type == "sapo" and (self.epsilon or self.epsilon_high):
            raise ValueError("epsilon and epsilon_high have no effect with loss_type sapo")
        if self.loss_type == "cispo" and self.epsilon:
            raise ValueError("epsilon has no effect with loss_type cispo; epsilon_high has")
        if self.updates == 1 and (self.epsilon or self.epsilon_high):
            raise ValueError("epsilon and epsilon_high have no effect with one update a step; raise updates")
        return self


#: TRL's words for a loss: its type, the level of its ratios, and both clips.
_LOSSES: dict[str, tuple[str, str, float, float | None]] = {
    "gspo": ("grpo", "sequence", 3e-4, 4e-4),
    "cispo": ("cispo", "token", 0.2, 5.0),
}


def losses(own: GrpoSettings) -> dict[str, Any]:
    """The settings in TRL's words."""
    loss, level, low, high = _LOSSES.get(own.loss_type, (own.loss_type, "token", 0.2, None))
    return {
        "loss_type": loss,
        "importance_sampling_level": level,
        "epsilon": own.epsilon or low,
        "epsilon_high": own.epsilon_high or (high if own.epsilon is None else None),
        "scale_rewards": own.scale,
    }


class GrpoConfig(OnlineConfig):
    """Practice with GRPO."""

    grpo: GrpoSettings = GrpoSettings()


def train_grpo(
    base: Base,
    renderer: Renderer,
    parent: Path,
    premises: Sequence[str],
    reward: Reward,
    config: GrpoConfig,
    run: Run,
    seed: int,
    independent: Reward | None = None,
) -> Any:
    """Practice from the parent writer's adapter; arguments and what is returned as in :func:`suasion.training.groups.practise`."""
    from trl import GRPOConfig

    from suasion.training.group_trainers import GroupTrainer

    own = config.grpo
    drawn: dict[str, Any] = {"num_generations": config.num_generations, "temperature": config.temperature, "top_p": config.top_p}

    def trainer(shared: dict[str, Any], vllm: VllmDraws | None) -> GroupTrainer:
        arguments = GRPOConfig(**group_arguments(config, renderer, run, base, seed, own.updates), **losses(own))
        draw = vllm.rollouts(seed) if vllm else rollouts(base, renderer, **drawn, seed=seed)
        return GroupTrainer(rollout_func=draw, args=arguments, **shared)

    return practise(base, renderer, parent, premises, reward, config, run, seed, independent, trainer, own.updates)
