"""RLOO: a reply is pushed up by how far its reward lies above the mean of the *other* replies to the same premise.

Ahmadian et al. 2024 (arXiv:2402.14740), over TRL's trainer: plain REINFORCE with a leave-one-out baseline, a reply counting as one
action. The KL penalty is part of the reward and measured against the parent writer, of whose adapter TRL keeps a frozen copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suasion.config import Config
from suasion.models.base import Base
from suasion.models.loading import load_base, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.models.sampling import stop_ids
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, Reward, fit
from suasion.training.groups import NUMBERS, group_arguments, premise_table, reward_function
from suasion.training.monitors import watching
from suasion.training.replies import Rewards
from suasion.training.rollouts import sampler
from suasion.training.settings import OnlineConfig
from suasion.training.spent import spending
from suasion.training.timing import note_time
from suasion.training.vllm_rollouts import vllm_draws, vllm_peer


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
    """Practice from the parent writer's adapter.

    Args:
        parent: folder of the adapter to go on from.
        premises: what to reply to; gone through in a seeded order, again and again until the steps are done.
        reward: premises and replies in, one number a reply out.
        independent: likewise, of a judge that only looks on.

    Returns:
        The adapted model.
    """
    from transformers import set_seed
    from trl import RLOOConfig

    from suasion.training.group_trainers import LeaveOneOutTrainer

    table = premise_table(premises, config, renderer, seed)
    set_seed(seed)
    model = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=True)
    model.generation_config.eos_token_id = stop_ids(model, renderer)
    rewards = Rewards(reward, run, config, independent)
    vllm = vllm_draws(config, renderer)
    drawn: dict[str, Any] = {"num_generations": config.num_generations, "temperature": config.temperature, "top_p": config.top_p}
    arguments = RLOOConfig(**group_arguments(config, renderer, run, base, seed), normalize_advantages=config.rloo.scale)
    with vllm_peer(config):
        trainer = LeaveOneOutTrainer(
            renderer=renderer,
            draw=sampler(base, renderer, **drawn),
            vllm=vllm,
            practice_seed=seed,
            clock=rewards.clock,
            model=model,
            reward_funcs=[reward_function(rewards, stop_ids(model, renderer))],
            args=arguments,
            train_dataset=table,
            processing_class=renderer.tokenizer,
        )
    if vllm:
        vllm.attach(trainer)
    fit(trainer, run, "Practice", COMMON_NUMBERS | NUMBERS, watch=watching(config.limits, run), spent=spending(config, run))
    note_time(run, rewards.clock)
    return model
