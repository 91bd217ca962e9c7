"""The judge's training: the base with a one-number head learns to score the winner above the loser of the same debate.

The pairwise loss is ``-log sigmoid(score(winner) - score(loser))`` (Bradley and Terry 1952; Ouyang et al. 2022, arXiv:2203.02155),
with an optional pull of the scores towards zero (Eisenstein et al. 2023, arXiv:2312.09244), an optional margin by which the winner must be
ahead (Touvron et al. 2023, arXiv:2307.09288) and optional label smoothing (Wang et al. 2024, arXiv:2401.06080).
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
from suasion.training.common import COMMON_NUMBERS, EpochsConfig, Place, epochs_arguments, fit

#: TRL's names of what is logged -> ours.
SHOWN = COMMON_NUMBERS | {"accuracy": "accuracy", "margin": "margin", "mean_reward": "mean_score"}


class RewardConfig(EpochsConfig):
    """Pairwise training of the one-number head."""

    center_rewards: float = Field(0.01, ge=0)
    """Weight of (score(winner) + score(loser))²; 0 leaves the scores' level free."""
    margin: float = Field(0.0, ge=0)
    """How far (in log-odds) a winner must be ahead before the loss begins to rest: -log sigmoid(winner - loser - margin)."""
    label_smoothing: float = Field(0.0, ge=0, lt=0.5)
    """The share of pairs that are taken to be labelled the wrong way round; keeps scores from running apart on noisy awards."""


@dataclass(frozen=True)
class RenderedPair:
    """A pair as the judge reads it: ids of both conversations, which begin with the same ``prompt_length`` ids."""

    chosen: list[int]
    rejected: list[int]
    prompt_length: int


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
            kept.append(RenderedPair(chosen.ids, rejected.ids, chosen.prompt_length))
    truncation = Truncation(len(triples), len(kept), len(triples) - len(kept), chosen_cut, rejected_cut, premises_cut)
    return kept, truncation


def train_reward(
    base: Base, renderer: Renderer, pairs: Sequence[RenderedPair], lora: LoraConfig, config: RewardConfig, place: Place, seed: int
) -> Any:
    """Train a fresh adapter and head on rendered pairs; return the adapted classifier."""
    from transformers import set_seed

    from suasion.training.pairwise import PairTrainer

    table = pair_table(pairs, config)
    set_seed(seed)  # before the head and the adapter are drawn
    model = with_new_adapter(load_base(base, "SEQ_CLS"), base, lora, "SEQ_CLS")
    trainer = PairTrainer(
        model=model,
        args=reward_arguments(config, place, base, seed),
        train_dataset=table,
        processing_class=renderer.tokenizer,
    )
    trainer.smoothing = config.label_smoothing
    fit(trainer, place, "Judge", SHOWN)
    return model


def reward_arguments(config: RewardConfig, place: Place, base: Base, seed: int) -> Any:
    """TRL's arguments. Long pairs are not left to TRL, which would filter them out without a word; ours are cut, and counted."""
    from trl import RewardConfig as TrlRewardConfig

    return TrlRewardConfig(
        **epochs_arguments(config, place, base, seed),
        max_length=None,
        center_rewards_coefficient=config.center_rewards or None,
        remove_unused_columns=False,
    )


def pair_table(pairs: Sequence[RenderedPair], config: RewardConfig) -> Any:
    """Rendered pairs as a data set for TRL.

    Raises:
        SuasionError: there is none.
    """
    from datasets import Dataset

    if not pairs:
        raise SuasionError("There is no pair to train the judge on.", hint="Look at the pairs' data card: every drop has its reason there.")
    rows = [{"chosen_ids": pair.chosen, "rejected_ids": pair.rejected, "prompt_length": pair.prompt_length} for pair in pairs]
    return Dataset.from_list([row | {"margin": config.margin} for row in rows] if config.margin else rows)
