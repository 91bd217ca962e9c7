"""Pairs by the judge instead of by people: the parent writer draws replies to each premise, the best stands against the worst.

So DPO and ORPO learn from the same premises, as many judge calls and the same sampling as the methods that draw while they learn;
what differs is the learning (and that the replies are all the parent's). Each step's draws follow from seed and step alone and are
stored once, a line a step: practice that was killed goes on behind the last whole line.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from suasion.errors import Refused
from suasion.files import append_jsonl, read_jsonl
from suasion.models.sampling import ended, stop_ids
from suasion.progress import track
from suasion.runs import ranks
from suasion.training.preference import Compared
from suasion.training.replies import dead, in_order
from suasion.training.rollouts import step_seed
from suasion.training.spent import Drawn

if TYPE_CHECKING:
    from suasion.models.rendering import Renderer
    from suasion.training.replies import Rewards
    from suasion.training.rollouts import Sampler
    from suasion.training.settings import OnlineConfig

#: Where the draws are stored in a run.
DRAWN_FILE = "drawn.jsonl"


@dataclass(frozen=True)
class JudgedPairs:
    """What was drawn, and what of it can be learned from."""

    pairs: list[Compared]
    groups: int
    """Premises replied to, counted as often as they came."""
    without_difference: int
    """Groups that give no pair: all rewards equal, or fewer than two replies that may teach."""
    spent: Drawn


def judged_pairs(
    policy: Any, renderer: Renderer, premises: Sequence[str], draw: Sampler, rewards: Rewards, config: OnlineConfig, seed: int
) -> JudgedPairs:
    """Draw and judge ``max_steps`` × ``premises_per_step`` groups of ``num_generations`` replies, in the order of the other methods.

    Args:
        policy: the parent writer.
        draw: as in practice (see :func:`suasion.training.rollouts.sampler`).
        rewards: as in practice; its run's folder keeps the draws.

    Raises:
        Refused: no group has a difference.
        SuasionError: a score is not a number.

    Of several processes one calls this.
    """
    store = rewards.run.path / DRAWN_FILE
    in_step = config.premises_per_step * ranks.size()  # what all processes of the other methods would draw, drawn by one
    order = in_order(premises, config.max_steps * in_step, seed)
    rows = {int(row["step"]): row for row in read_jsonl(store)}
    with track("Drawing pairs", config.max_steps, unit="steps", done=len(rows)) as bar:
        for step in range(config.max_steps):
            if step not in rows:
                start = step * in_step
                rows[step] = _drawn(policy, renderer, order[start : start + in_step], draw, rewards, step, seed)
                append_jsonl(store, rows[step])
                bar.advance(1)
    groups = [group for step in sorted(rows) for group in rows[step]["groups"]]
    pairs = [pair for group in groups if (pair := best_against_worst(group, mask=config.cut_off == "mask")) is not None]
    if not pairs:
        raise Refused(
            f"None of {len(groups)} groups of replies has a difference to learn from.",
            where=store,
            hint="Look at the judge's audit; raise practice.temperature.",
        )
    spent = Drawn(
        judge_calls=sum(len(group["replies"]) for group in groups),
        generated_tokens=sum(sum(group["tokens"]) for group in groups),
        elapsed=sum(float(row["elapsed"]) for row in rows.values()),
    )
    return JudgedPairs(pairs, len(groups), len(groups) - len(pairs), spent)


def best_against_worst(group: dict[str, Any], *, mask: bool) -> Compared | None:
    """The reply with the highest reward against that with the lowest (of equals the first); None where there is no difference.

    Args:
        group: ``premise``, and a list each of ``replies``, ``rewards`` and ``ended``.
        mask: replies that were cut off take no part.
    """
    taking_part = [index for index, whole in enumerate(group["ended"]) if whole or not mask]
    rewards = np.array([group["rewards"][index] for index in taking_part], dtype=np.float64)
    if len(rewards) < 2 or dead(rewards[None, :])[0]:
        return None
    best, worst = taking_part[int(rewards.argmax())], taking_part[int(rewards.argmin())]
    replies, whole = group["replies"], group["ended"]
    return Compared(group["premise"], replies[best], replies[worst], whole[best], whole[worst])


def _drawn(
    policy: Any, renderer: Renderer, premises: Sequence[str], draw: Sampler, rewards: Rewards, step: int, seed: int
) -> dict[str, Any]:
    """One step's row of the store."""
    began, n = time.monotonic(), rewards.config.num_generations
    ids = draw(policy, [renderer.prompt(premise) for premise in premises], step_seed(seed, step))
    stops = stop_ids(policy, renderer)
    whole = [ended(row, stops) for row in ids]
    texts = [
        str(renderer.tokenizer.decode(list(row[:-1] if end else row), skip_special_tokens=True)).strip()
        for row, end in zip(ids, whole, strict=True)
    ]
    given = rewards([premise for premise in premises for _ in range(n)], texts, whole, step, lambda name, value: None)
    groups = []
    for number, premise in enumerate(premises):
        part = slice(number * n, (number + 1) * n)
        tokens = [len(row) for row in ids[part]]
        groups.append({"premise": premise, "replies": texts[part], "rewards": given[part].tolist(), "ended": whole[part], "tokens": tokens})
    return {"step": step, "groups": groups, "elapsed": round(time.monotonic() - began, 3)}
