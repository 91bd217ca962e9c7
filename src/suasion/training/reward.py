"""The judge's training: the base with a one-number head learns to score the winner above the loser of the same debate.

The pairwise loss is ``-log sigmoid(score(winner) - score(loser))`` (Bradley and Terry 1952; Ouyang et al. 2022, arXiv:2203.02155),
with an optional pull of the scores towards zero (Eisenstein et al. 2023, arXiv:2312.09244).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.common import COMMON_NUMBERS, EpochsConfig, epochs_arguments, fit


class RewardConfig(EpochsConfig):
    """Pairwise training of the one-number head."""

    center_rewards: float = Field(0.01, ge=0)
    """Weight of (score(winner) + score(loser))²; 0 leaves the scores' level free."""


@dataclass(frozen=True)
class RenderedPair:
    """A pair as the judge reads it."""

    chosen: list[int]
    rejected: list[int]


@dataclass(frozen=True)
class Truncation:
    """What the token limits did to the pairs, for the report."""

    pairs: int
    kept: int
    equal_dropped: int
    chosen_cut: int
    rejected_cut: int
    premises_cut: int


def render_pairs(renderer: Renderer, triples: Sequence[tuple[str, str, str]]) -> tuple[list[RenderedPair], Truncation]:
    """Render (premise, winner, loser) triples; pairs that the limits make equal are dropped: their loss would be ln 2 for ever."""
    kept: list[RenderedPair] = []
    chosen_cut = rejected_cut = premises_cut = 0
    for premise, winner, loser in triples:
        chosen, rejected = renderer.conversation(premise, winner), renderer.conversation(premise, loser)
        chosen_cut += chosen.cut
        rejected_cut += rejected.cut
        premises_cut += renderer.premise_was_cut(premise)
        if chosen.ids != rejected.ids:
            kept.append(RenderedPair(chosen.ids, rejected.ids))
    truncation = Truncation(len(triples), len(kept), len(triples) - len(kept), chosen_cut, rejected_cut, premises_cut)
    return kept, truncation


def train_reward(
    base: Base, renderer: Renderer, pairs: Sequence[RenderedPair], lora: LoraConfig, config: RewardConfig, run: Run, seed: int
) -> Any:
    """Train a fresh adapter and head on rendered pairs; return the adapted classifier."""
    from datasets import Dataset
    from transformers import set_seed
    from trl import RewardConfig as TrlRewardConfig
    from trl import RewardTrainer

    if not pairs:
        raise SuasionError("There is no pair to train the judge on.", hint="Look at the pairs' data card: every drop has its reason there.")
    set_seed(seed)  # before the head and the adapter are drawn
    model = with_new_adapter(load_base(base, "SEQ_CLS"), base, lora, "SEQ_CLS")
    arguments = TrlRewardConfig(
        **epochs_arguments(config, run, base, seed),
        max_length=None,  # TRL would filter long pairs out without a word; ours are cut, and counted
        center_rewards_coefficient=config.center_rewards or None,
    )
    trainer = RewardTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list([{"chosen_ids": pair.chosen, "rejected_ids": pair.rejected} for pair in pairs]),
        processing_class=renderer.tokenizer,
    )
    fit(trainer, run, "Judge", COMMON_NUMBERS | {"accuracy": "accuracy", "margin": "margin", "mean_reward": "mean_score"})
    return model
