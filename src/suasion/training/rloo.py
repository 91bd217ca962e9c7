"""RLOO: a reply is pushed up by how far its reward lies above the mean of the *other* replies to the same premise.

Ahmadian et al. 2024 (arXiv:2402.14740), over TRL's trainer: plain REINFORCE with a leave-one-out baseline, a reply counting as one
action. The KL penalty is part of the reward and measured against the parent writer, of whose adapter TRL keeps a frozen copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suasion.config import Config
from suasion.models.base import Base
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import Reward
from suasion.training.groups import group_arguments, practise
from suasion.training.rollouts import sampler
from suasion.training.settings import OnlineConfig

if TYPE_CHECKING:
    from suasion.training.group_trainers import LeaveOneOutTrainer
    from suasion.training.vllm_rollouts import VllmDraws


class RlooSettings(Config):
    """RLOO's own."""

    scale: bool = False
    """Divide a step's advantages by their standard deviation, so that the judge's unit does not matter."""


class RlooConfig(OnlineConfig):
    """Practice with RLOO."""

    rloo: RlooSettings = RlooSettings()


def train_rloo(
    base: Base,
    renderer: Renderer,
    parent: Path,
    premises: Sequence[str],
    reward: Reward,
    config: RlooConfig,
    run: Run,
    seed: int,
    independent: Reward | None = None,
) -> Any:
    """Practice from the parent writer's adapter; arguments and what is returned as in :func:`suasion.training.groups.practise`."""
    from trl import RLOOConfig

    from suasion.training.group_trainers import LeaveOneOutTrainer

    drawn: dict[str, Any] = {"num_generations": config.num_generations, "temperature": config.temperature, "top_p": config.top_p}

    def trainer(shared: dict[str, Any], vllm: VllmDraws | None) -> LeaveOneOutTrainer:
        arguments = RLOOConfig(**group_arguments(config, renderer, run, base, seed), normalize_advantages=config.rloo.scale)
        draw = sampler(base, renderer, **drawn)
        return LeaveOneOutTrainer(renderer=renderer, draw=draw, vllm=vllm, practice_seed=seed, args=arguments, **shared)

    return practise(base, renderer, parent, premises, reward, config, run, seed, independent, trainer)
