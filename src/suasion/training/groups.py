"""What GRPO and RLOO have in common over TRL: groups of replies to a premise, our rewards behind TRL's call, and the same arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.models.sampling import ended, stop_ids
from suasion.runs import ranks
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, Reward, fit, trainer_arguments
from suasion.training.monitors import watching
from suasion.training.replies import NUMBERS as OF_REWARDS
from suasion.training.replies import Rewards, in_order
from suasion.training.settings import OnlineConfig
from suasion.training.spent import spending
from suasion.training.timing import COLUMNS, note_time
from suasion.training.vllm_rollouts import VllmDraws, vllm_arguments, vllm_draws, vllm_peer

#: TRL's names of what tells health -> ours.
NUMBERS = OF_REWARDS | {
    "reward": "reward",
    "completions/mean_length": "reply_tokens",
    "completions/clipped_ratio": "cut_off",
    "kl": "kl",
    "entropy": "entropy",
    "sampling/sampling_logp_difference/mean": "vllm_gap",  # GRPO's, where vLLM draws: nats a token between its probabilities and ours
    **{name: name for name in COLUMNS},
}


def practise(
    base: Base,
    renderer: Renderer,
    parent: Path,
    premises: Sequence[str],
    reward: Reward,
    config: OnlineConfig,
    run: Run,
    seed: int,
    independent: Reward | None,
    make: Callable[[dict[str, Any], VllmDraws | None], Any],
    updates: int = 1,
) -> Any:
    """Practice from the parent writer's adapter; return the adapted model.

    Args:
        parent: folder of the adapter to go on from.
        premises: what to reply to; gone through in a seeded order, again and again until the steps are done.
        reward: premises and replies in, one number a reply out.
        independent: likewise, of a judge that only looks on.
        make: the method's trainer, from keyword arguments that both methods share, and what draws where vLLM does.
        updates: that learn from a step's replies.
    """
    from transformers import set_seed

    table = premise_table(premises, config, renderer, seed)
    set_seed(seed)
    model = with_saved_adapter(load_base(base, "CAUSAL_LM"), base, parent, trainable=True)
    model.generation_config.eos_token_id = stop_ids(model, renderer)
    rewards = Rewards(reward, run, config, independent)
    vllm = vllm_draws(config, renderer)
    shared = {
        "clock": rewards.clock,
        "model": model,
        "reward_funcs": [reward_function(rewards, stop_ids(model, renderer), updates)],
        "train_dataset": table,
        "processing_class": renderer.tokenizer,
    }
    with vllm_peer(config):
        trainer = make(shared, vllm)
    if vllm:
        vllm.attach(trainer)
    fit(trainer, run, "Practice", COMMON_NUMBERS | NUMBERS, updates, watching(config.limits, run), spending(config, run))
    note_time(run, rewards.clock)
    return model


def group_arguments(config: OnlineConfig, renderer: Renderer, run: Run, base: Base, seed: int, updates: int = 1) -> dict[str, Any]:
    """Keyword arguments that TRL's GRPO and RLOO understand. ``updates``: that learn from a step's replies."""
    common = trainer_arguments(config, run, base, seed)
    drawn = vllm_arguments(config.vllm, base, renderer) if config.rollouts == "vllm" else {}
    return common | {
        "max_steps": config.max_steps * updates,
        # A checkpoint between two updates would have to hold the replies: TRL does not save them, and a resumed run would go another way.
        "save_steps": common["save_steps"] * updates,
        "logging_steps": common["logging_steps"] * updates,
        "logging_first_step": updates == 1,
        "per_device_train_batch_size": config.batch_size,
        "gradient_accumulation_steps": config.replies_per_step // config.batch_size,
        "num_iterations": updates,
        "num_generations": config.num_generations,
        "max_completion_length": renderer.config.reply_tokens,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "top_k": 0,
        "beta": config.beta,
        "mask_truncated_completions": config.cut_off == "mask",
        "remove_unused_columns": False,
        "shuffle_dataset": False,  # the premises come in order already
        **drawn,
    }


def premise_table(premises: Sequence[str], config: OnlineConfig, renderer: Renderer, seed: int) -> Any:
    """The premises of all steps and processes, in order.

    Raises:
        SuasionError: there is none.
    """
    from datasets import Dataset

    if not premises:
        raise SuasionError("There is no premise to practise on.")
    order = in_order(premises, config.max_steps * config.premises_per_step * ranks.size(), seed)
    return Dataset.from_list([{"prompt": renderer.messages(premise), "premise": premise} for premise in order])


def reward_function(rewards: Rewards, stops: Sequence[int], updates: int = 1) -> Callable[..., list[float | None]]:
    """TRL's call turned into ours; ``updates``: of the trainer, a step of practice."""

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
        whole = [ended(ids, stops) for ids in completion_ids]
        return [float(value) for value in rewards(premise, replies, whole, trainer_state.global_step // updates, log_metric)]

    return judge
