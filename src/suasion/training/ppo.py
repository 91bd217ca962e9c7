"""PPO: the writer's replies are judged, a value head says what each token was worth, and clipped steps move the writer that way.

Schulman et al. 2017 (arXiv:1707.06347), for language models as in Ziegler et al. 2019 (arXiv:1909.08593). Policy and value head share one
adapted backbone; the KL penalty is measured against the parent writer, of whose adapter a frozen copy is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.models.sampling import stop_ids
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, Reward, fit, trainer_arguments
from suasion.training.monitors import watching
from suasion.training.replies import NUMBERS as OF_REWARDS
from suasion.training.replies import Rewards, in_order
from suasion.training.rollouts import sampler
from suasion.training.settings import OnlineConfig
from suasion.training.spent import spending
from suasion.training.timing import COLUMNS, note_time

#: What tells health, under the names that the other methods use.
_OWN = ("reward", "reply_tokens", "cut_off", "kl", "entropy", "value", "beta", "clipped", "policy_loss", "value_loss")
_NUMBERS = COMMON_NUMBERS | OF_REWARDS | {name: name for name in (*_OWN, *COLUMNS)}


class PpoSettings(Config):
    """PPO's own."""

    epochs: int = Field(2, ge=1)
    """Passes over a step's replies."""
    minibatches: int = Field(1, ge=1)
    """Updates a pass."""
    clip: float = Field(0.2, gt=0)
    """How far a token's probability may move, as a ratio, before it is pushed no further."""
    value_clip: float = Field(0.2, gt=0)
    value_weight: float = Field(0.1, ge=0)
    """Of the value head's loss beside the policy's."""
    gamma: float = Field(1.0, gt=0, le=1)
    lam: float = Field(0.95, ge=0, le=1)
    """Of generalised advantages: 1 takes the reward as it came, 0 trusts the value head."""
    kl_target: float | None = Field(None, gt=0)
    """Nats a reply; with it ``beta`` follows the divergence seen."""


class PpoConfig(OnlineConfig):
    """Practice with PPO."""

    ppo: PpoSettings = PpoSettings()

    @model_validator(mode="after")
    def _whole_minibatches(self) -> PpoConfig:
        if self.draws_every_step and self.replies_per_step % (self.ppo.minibatches * self.batch_size):
            raise ValueError(
                f"premises_per_step x num_generations ({self.replies_per_step}) must be a multiple of ppo.minibatches x batch_size "
                f"({self.ppo.minibatches} x {self.batch_size})"
            )
        return self


def train_ppo(
    base: Base,
    renderer: Renderer,
    parent: Path,
    premises: Sequence[str],
    reward: Reward,
    config: PpoConfig,
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
        The adapted model, without the value head.
    """
    from transformers import TrainingArguments, set_seed

    from suasion.training.policy_value import REFERENCE, PolicyAndValue
    from suasion.training.ppo_trainer import PpoTrainer

    if not premises:
        raise SuasionError("There is no premise to practise on.")
    set_seed(seed)
    policy = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=True)
    policy.load_adapter(str(parent), REFERENCE, is_trainable=False)
    policy.set_adapter("default")
    policy.config.use_cache = False
    updates = config.ppo.epochs * config.ppo.minibatches
    parts = config.replies_per_step // config.ppo.minibatches // config.batch_size
    arguments = TrainingArguments(
        **trainer_arguments(config, run, base, seed)
        | {
            "max_steps": config.max_steps * updates,
            "per_device_train_batch_size": 1,  # a row of the table is a forward pass
            "gradient_accumulation_steps": parts,
            "logging_steps": updates * config.log_every,
            "logging_first_step": False,
            "save_steps": updates * (config.checkpoint_every or 500),
            "remove_unused_columns": False,
            "gradient_checkpointing": False,
        }
    )
    if config.gradient_checkpointing:
        inner: Any = policy.get_base_model()
        inner.gradient_checkpointing_enable({"use_reentrant": False})
    rewards = Rewards(reward, run, config, independent)
    trainer = PpoTrainer(
        model=PolicyAndValue(policy),
        args=arguments,
        config=config,
        renderer=renderer,
        premises=in_order(premises, config.max_steps * config.premises_per_step * arguments.world_size, seed),
        rewards=rewards,
        draw=sampler(base, renderer, num_generations=config.num_generations, temperature=config.temperature, top_p=config.top_p),
        stops=stop_ids(policy, renderer),
        seed=seed,
    )
    fit(trainer, run, "Practice", _NUMBERS, updates, watching(config.limits, run), spending(config, run))
    note_time(run, rewards.clock)
    policy.delete_adapter(REFERENCE)
    return policy
