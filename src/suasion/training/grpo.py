"""GRPO: the writer samples a group of replies to a premise; those above their group's average are pushed up, the others down.

Shao et al. 2024 (DeepSeekMath, arXiv:2402.03300), over TRL's trainer. The adapter goes on from the parent writer's; with ``beta`` > 0
the KL penalty is measured against that parent (TRL keeps a frozen copy of its adapter), not against the bare base.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

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
from suasion.training.rollouts import rollouts
from suasion.training.settings import OnlineConfig
from suasion.training.spent import spending
from suasion.training.timing import note_time
from suasion.training.vllm_rollouts import vllm_draws, vllm_peer


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
    from trl import GRPOConfig

    from suasion.training.group_trainers import GroupTrainer

    table = premise_table(premises, config, renderer, seed)
    set_seed(seed)
    model = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=True)
    model.generation_config.eos_token_id = stop_ids(model, renderer)
    own = config.grpo
    vllm = vllm_draws(config, renderer)
    arguments = GRPOConfig(**group_arguments(config, renderer, run, base, seed, own.updates), **losses(own))
    rewards = Rewards(reward, run, config, independent)
    drawn: dict[str, Any] = {"num_generations": config.num_generations, "temperature": config.temperature, "top_p": config.top_p}
    with vllm_peer(config):
        trainer = GroupTrainer(
            clock=rewards.clock,
            model=model,
            reward_funcs=[reward_function(rewards, stop_ids(model, renderer), own.updates)],
            rollout_func=vllm.rollouts(seed) if vllm else rollouts(base, renderer, **drawn, seed=seed),
            args=arguments,
            train_dataset=table,
            processing_class=renderer.tokenizer,
        )
    if vllm:
        vllm.attach(trainer)
    fit(trainer, run, "Practice", COMMON_NUMBERS | NUMBERS, own.updates, watching(config.limits, run), spending(config, run))
    note_time(run, rewards.clock)
    return model
