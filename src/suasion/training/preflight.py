"""Before a long practice: are there replies that end, and does the reward tell them apart?

The commonest way to lose a night of computing is a reply limit at which 97 % of the replies are cut off, or a reward that is the same
for all four replies of a group: both give no gradient and no error (TRL issue 5697).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from suasion.config import Config
from suasion.errors import Refused
from suasion.models.rendering import Renderer
from suasion.models.sampling import SamplingConfig, sample
from suasion.training.common import Reward


class PreflightConfig(Config):
    """What is sampled before practice, and what stops it."""

    premises: int = Field(4, ge=1)
    max_cut_off: float = Field(0.75, ge=0, le=1)
    """Largest share of replies that may be cut off at the token limit."""
    min_spread: float = Field(1e-3, ge=0)
    """Smallest mean standard deviation of the reward within a group."""


@dataclass(frozen=True)
class Preflight:
    """What the sampled replies showed."""

    replies: int
    cut_off: float
    spread: float
    reply_tokens: float


def preflight(
    model: Any,
    renderer: Renderer,
    premises: Sequence[str],
    reward: Reward,
    *,
    num_generations: int,
    temperature: float,
    config: PreflightConfig,
    seed: int,
) -> Preflight:
    """Sample a few premises as practice will.

    Raises:
        Refused: nearly all replies are cut off, or the reward has no spread within groups.
    """
    chosen = list(dict.fromkeys(premises))[: config.premises]
    groups = sample(model, renderer, chosen, n=num_generations, seed=seed, config=SamplingConfig(temperature=temperature))
    replies = [reply for group in groups for reply in group]
    rewards = np.asarray(reward([premise for premise in chosen for _ in range(num_generations)], [reply.text for reply in replies]))
    found = Preflight(
        replies=len(replies),
        cut_off=float(np.mean([not reply.ended for reply in replies])),
        spread=float(rewards.reshape(len(chosen), num_generations).std(axis=1, ddof=1).mean()),
        reply_tokens=float(np.mean([reply.tokens for reply in replies])),
    )
    if found.cut_off > config.max_cut_off:
        raise Refused(
            f"Practice was not started: {found.cut_off:.0%} of {found.replies} sampled replies were cut off at "
            f"{renderer.config.reply_tokens} tokens (limit {config.max_cut_off:.0%}), so the judge would score beginnings.",
            hint="Raise rendering.reply_tokens, train the SFT writer longer (it learns to end), or raise practice.preflight.max_cut_off.",
        )
    if not found.spread >= config.min_spread:
        raise Refused(
            f"Practice was not started: within a group the rewards differ by {found.spread:.2g} on average "
            f"(limit {config.min_spread:.2g}), so nothing can be learned.",
            hint="Look at the judge's audit; raise practice.temperature; or lower practice.preflight.min_spread.",
        )
    return found
