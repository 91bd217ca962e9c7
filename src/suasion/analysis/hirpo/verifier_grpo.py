"""GRPO on verdicts: an answer that is valid is worth 1, one that is not 0, and one that is undecided what its group is worth on average.

The alternative to pairs (Shao et al. 2024, arXiv:2402.03300), with the same curriculum and the same rehearsal. It has nothing to learn from
a problem at which all answers fail, which pairs have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suasion.analysis.hirpo.pipeline import Verifier
from suasion.analysis.hirpo.stage import Journey
from suasion.analysis.hirpo.tries import Assignment
from suasion.analysis.hirpo.writer import Writer
from suasion.analysis.verification.rows import Row, clean_text
from suasion.errors import SuasionError
from suasion.files import append_jsonl
from suasion.models.rendering import Renderer, RenderingConfig
from suasion.models.sampling import ended, stop_ids
from suasion.training.chats import dataset, prompt_ids
from suasion.training.common import COMMON_NUMBERS, fit
from suasion.training.groups import NUMBERS, group_arguments
from suasion.training.grpo import GrpoConfig, losses
from suasion.training.rehearsed import NUMBERS as OF_REHEARSAL
from suasion.training.rehearsed import Rehearsal
from suasion.training.rollouts import rollouts
from suasion.training.timing import Clock

REWARDS_FILE = "rewards.jsonl"


def train_verifier_grpo(
    journey: Journey, writer: Writer, assignments: Sequence[Assignment], verifier: Verifier, rehearsed: Rehearsal, place: Any
) -> tuple[Any, dict[str, Any]]:
    """Practice on each assignment once, in their seeded order; ``rewards.jsonl`` in the epoch's folder keeps each step's rewards.

    Returns:
        The adapted model, and how many problems there were and were too long.

    Raises:
        SuasionError: no prompt fits.
    """
    from transformers import set_seed
    from trl import GRPOConfig

    from suasion.training.rehearsing_trainers import RehearsedGroupTrainer

    config = journey.config.training
    own, seed = config.grpo, journey.config.seed * 1000 + place.epoch
    most = max((one.sampling.max_tokens for one in assignments), default=1)
    sizes = {one.key: len(prompt_ids(journey.renderer, _turns(one))) for one in assignments}
    fitting = [one for one in assignments if sizes[one.key] + most <= config.max_length]
    usable = len(fitting) // own.problems_per_step * own.problems_per_step
    if not usable:
        raise SuasionError(
            f"There is nothing to practise on: {len(assignments)} problems, of which {len(fitting)} fit into {config.max_length} tokens.",
            hint="Raise training.max_length or curriculum.problems_per_epoch.",
        )
    order = [fitting[place_] for place_ in np.random.default_rng(seed).permutation(len(fitting))[:usable]]
    temperature = order[0].sampling.temperature or 1.0
    practice = GrpoConfig(
        **{name: getattr(config, name) for name in _SHARED},
        max_steps=usable // own.problems_per_step,
        num_generations=own.num_generations,
        premises_per_step=own.problems_per_step,
        beta=own.beta,
        temperature=temperature,
        top_p=order[0].sampling.top_p,
        grpo=own.settings,
    )
    renderer = Renderer(
        journey.base.tokenizer, RenderingConfig(prompt_tokens=config.max_length, reply_tokens=most, total_tokens=config.max_length + most)
    )
    set_seed(seed)
    model, _ = writer.to_learn()
    stops = stop_ids(model, renderer)
    model.generation_config.eos_token_id = stops
    updates = own.settings.updates
    arguments = GRPOConfig(**group_arguments(practice, renderer, place, journey.base, seed, updates), **losses(own.settings))
    trainer = RehearsedGroupTrainer(
        clock=Clock(),
        model=model,
        reward_funcs=[_reward({one.key: one for one in order}, verifier, place, stops, own.num_generations, updates)],
        rollout_func=rollouts(
            journey.base,
            renderer,
            num_generations=own.num_generations,
            temperature=temperature,
            top_p=order[0].sampling.top_p,
            seed=seed,
        ),
        args=arguments,
        train_dataset=dataset([{"prompt": _harmless(renderer, one), "premise": one.key} for one in order]),
        processing_class=renderer.tokenizer,
    )
    trainer.rehearsal, trainer.rows_a_batch = rehearsed, config.batch_size
    fit(trainer, place, f"HIRPO {place.epoch}: practice", COMMON_NUMBERS | NUMBERS | OF_REHEARSAL, updates)
    return model, {"problems": usable, "problems_too_long": len(assignments) - len(fitting)}


_SHARED = (
    "learning_rate",
    "warmup",
    "scheduler",
    "max_grad_norm",
    "gradient_checkpointing",
    "checkpoint_every",
    "log_every",
    "batch_size",
)


def worth(verdicts: Sequence[str], whole: Sequence[bool], group: int) -> list[float]:
    """Rewards of answers, ``group`` to a problem side by side: ``valid`` 1, ``invalid`` 0, cut off 0 whatever was read out of it, and
    ``undecided`` the mean of the decided ones of its group (0 if there is none), so that it is neither praised nor blamed."""
    values = np.array([1.0 if name == "valid" and end else 0.0 for name, end in zip(verdicts, whole, strict=True)]).reshape(-1, group)
    open_ = np.array([name == "undecided" and end for name, end in zip(verdicts, whole, strict=True)]).reshape(-1, group)
    decided = np.maximum(1, (~open_).sum(axis=1, keepdims=True))
    means = np.where(open_, 0.0, values).sum(axis=1, keepdims=True) / decided
    return [float(value) for value in np.where(open_, means, values).ravel()]


def _reward(assignments: dict[str, Assignment], verifier: Verifier, place: Any, stops: Sequence[int], group: int, updates: int) -> Any:
    def verdicts(
        *, completions: list[Any], completion_ids: list[list[int]], premise: list[str], trainer_state: Any, log_metric: Any, **_: Any
    ) -> list[float]:
        said = [clean_text(completion[0]["content"]) for completion in completions]
        rows = []
        for key, text in zip(premise, said, strict=True):
            one = assignments[key]
            rows.append(Row(key, one.task, one.problem.source, text, one.problem.reference))
        names = [verdict.name for verdict in verifier.submit(rows).result()]
        whole = [ended(ids, stops) for ids in completion_ids]
        rewards = worth(names, whole, group)
        groups = np.asarray(rewards).reshape(-1, group)
        log_metric("dead_groups", float((np.ptp(groups, axis=1) == 0).mean()))
        log_metric("within_group_spread", float(groups.std(axis=1, ddof=1).mean()))
        row = {"step": trainer_state.global_step // updates, "keys": premise, "verdicts": names, "rewards": rewards}
        append_jsonl(place.path / REWARDS_FILE, row)
        return rewards

    return verdicts


def _turns(one: Assignment) -> list[dict[str, str]]:
    return [{"role": "user", "content": one.prompt}]


def _harmless(renderer: Renderer, one: Assignment) -> list[dict[str, str]]:
    return [{"role": "user", "content": renderer.harmless(one.prompt)}]
