"""GRPO: the writer samples a group of replies to a premise; those above their group's average are pushed up, the others down.

Shao et al. 2024 (DeepSeekMath, arXiv:2402.03300), over TRL's trainer. The adapter goes on from the parent writer's; with ``beta`` > 0
the KL penalty is measured against that parent (TRL keeps a frozen copy of its adapter), not against the bare base.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from suasion.errors import SuasionError
from suasion.files import append_jsonl
from suasion.models.base import Base
from suasion.models.loading import load_base, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.models.sampling import ended, stop_ids
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, Reward, TrainConfig, fit, trainer_arguments
from suasion.training.rollouts import rollouts

#: TRL's names of what tells health -> ours.
_NUMBERS = COMMON_NUMBERS | {
    "reward": "reward",
    "judge_score": "judge_score",
    "within_group_spread": "spread",
    "completions/mean_length": "reply_tokens",
    "completions/clipped_ratio": "cut_off",
    "frac_reward_zero_std": "dead_groups",
    "kl": "kl",
    "entropy": "entropy",
}


class GrpoConfig(TrainConfig):
    """Practice with GRPO."""

    max_steps: int = Field(100, ge=1)
    learning_rate: float = 2e-5
    scheduler: Literal["linear", "cosine", "constant_with_warmup"] = "constant_with_warmup"
    num_generations: int = Field(4, ge=2)
    """Replies to a premise, compared with one another."""
    premises_per_step: int = Field(2, ge=1)
    batch_size: int = Field(8, ge=1)
    """Replies a forward pass."""
    beta: float = Field(0.02, ge=0)
    """Weight of the KL penalty against the parent writer."""
    temperature: float = Field(0.7, gt=0)
    top_p: float = Field(1.0, gt=0, le=1)
    loss_type: Literal["grpo", "dapo", "dr_grpo", "bnpo"] = "dr_grpo"
    """``dr_grpo`` divides by a constant, so that a long reply is not favoured by its length (Liu et al. 2025, arXiv:2503.20783)."""
    cut_off: Literal["worst", "mask", "score"] = "worst"
    """A reply that was cut off at the token limit has no end to be judged. ``worst``: it gets the lowest score of its group, so the writer
    learns to end; ``mask``: it teaches nothing; ``score``: the judge scores it as if it had ended there."""
    sample_every: int = Field(5, ge=1)
    """Steps between the samples kept in samples.jsonl."""

    @model_validator(mode="after")
    def _whole_batches(self) -> GrpoConfig:
        if (self.premises_per_step * self.num_generations) % self.batch_size:
            raise ValueError(
                f"premises_per_step x num_generations ({self.premises_per_step} x {self.num_generations}) "
                f"must be a multiple of batch_size ({self.batch_size})"
            )
        return self


def train_grpo(
    base: Base, renderer: Renderer, parent: Path, premises: Sequence[str], reward: Reward, config: GrpoConfig, run: Run, seed: int
) -> Any:
    """Practice from the parent writer's adapter.

    Args:
        parent: folder of the adapter to go on from.
        premises: what to reply to; gone through in a seeded order, again and again until the steps are done.
        reward: premises and replies in, one number a reply out.

    Returns:
        The adapted model.
    """
    from datasets import Dataset
    from transformers import set_seed
    from trl import GRPOConfig, GRPOTrainer

    if not premises:
        raise SuasionError("There is no premise to practise on.")
    set_seed(seed)
    model = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=True)
    model.generation_config.eos_token_id = stop_ids(model, renderer)
    replies_a_step = config.premises_per_step * config.num_generations
    settings = trainer_arguments(config, run, base, seed) | {
        "max_steps": config.max_steps,
        "per_device_train_batch_size": config.batch_size,
        "gradient_accumulation_steps": replies_a_step // config.batch_size,
        "num_generations": config.num_generations,
        "max_completion_length": renderer.config.reply_tokens,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "top_k": 0,
        "beta": config.beta,
        "loss_type": config.loss_type,
        "mask_truncated_completions": config.cut_off == "mask",
        "remove_unused_columns": False,
        "shuffle_dataset": False,  # the premises come in order already
    }
    # A batch is generated for every optimiser step, so that each checkpoint lies on a generation boundary: TRL does not save
    # buffered replies, and a run resumed between two generations would go another way.
    arguments = GRPOConfig(**settings)
    order = _in_order(premises, config.max_steps * config.premises_per_step, seed)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[_reward_function(reward, run, config, stop_ids(model, renderer))],
        rollout_func=rollouts(
            base, renderer, num_generations=config.num_generations, temperature=config.temperature, top_p=config.top_p, seed=seed
        ),
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": renderer.messages(premise), "premise": premise} for premise in order]),
        processing_class=renderer.tokenizer,
    )
    fit(trainer, run, "Practice", _NUMBERS)
    return model


def _in_order(premises: Sequence[str], number: int, seed: int) -> list[str]:
    """``number`` premises: all of them, each pass in a new seeded order, again and again.

    All passes in one table, because TRL's sampler does not keep in a checkpoint which pass it was in: a run resumed in the second would
    go through it in the order of the first.
    """
    distinct, draw = list(dict.fromkeys(premises)), random.Random(seed)
    order: list[str] = []
    while len(order) < number:
        order += draw.sample(distinct, len(distinct))
    return order[:number]


def _reward_function(reward: Reward, run: Run, config: GrpoConfig, stops: Sequence[int]) -> Callable[..., list[float | None]]:
    """TRL's call turned into ours; keeps samples and the spread within groups, without which nothing is learned."""

    def judge(
        *,
        completions: list[Any],
        completion_ids: list[list[int]],
        premise: list[str],
        trainer_state: Any,
        log_metric: Callable[[str, float], None],
        **_: Any,
    ) -> list[float | None]:
        replies = [completion[0]["content"] for completion in completions]
        scores = np.asarray(reward(premise, replies), dtype=np.float64)
        if not np.all(np.isfinite(scores)):
            raise SuasionError(
                "The judge gave a score that is not a number.",
                where=f"step {trainer_state.global_step}",
                hint="Audit the judge: `suasion audit`.",
            )
        groups = scores.reshape(-1, config.num_generations)
        log_metric("judge_score", float(scores.mean()))
        if config.cut_off == "worst":
            whole = np.asarray([ended(ids, stops) for ids in completion_ids]).reshape(groups.shape)
            groups = np.where(whole, groups, groups.min(axis=1, keepdims=True))
        log_metric("within_group_spread", float(groups.std(axis=1, ddof=1).mean()))
        rewards = [float(value) for value in groups.ravel()]
        if trainer_state.global_step % config.sample_every == 0:
            first = slice(0, config.num_generations)
            row = {"step": trainer_state.global_step, "premise": premise[0], "replies": replies[first], "rewards": rewards[first]}
            append_jsonl(run.path / "samples.jsonl", row)
        return list(rewards)

    return judge
