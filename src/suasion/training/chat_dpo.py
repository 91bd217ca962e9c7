"""DPO on chats of several turns, with rehearsal; of an adapter, or of all weights.

Rafailov et al. 2023 (arXiv:2305.18290), over TRL's trainer. The reference is a frozen copy of the model that training starts from, so at
the first step the loss is ln 2 and both rewards are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.rendering import Renderer
from suasion.training.chats import ChatPair, dataset, render_chat_pairs
from suasion.training.common import COMMON_NUMBERS, EpochsConfig, Place, epochs_arguments, fit
from suasion.training.dpo import NUMBERS
from suasion.training.rehearsed import NUMBERS as OF_REHEARSAL
from suasion.training.rehearsed import Rehearsal


class ChatDpoSettings(Config):
    """DPO's own."""

    beta: float = Field(0.1, gt=0)
    """How dear it is to move away from the start: an answer's reward is ``beta`` x log(probability / the start's)."""
    loss_type: Literal["sigmoid", "sigmoid_norm", "ipo"] = "sigmoid"
    """``sigmoid_norm`` takes log-probabilities a token (Lambert et al. 2024, arXiv:2411.15124); ``ipo`` aims at a fixed margin (Azar et
    al. 2023, arXiv:2310.12036)."""
    nll_weight: float = Field(0.0, ge=0)
    """Weight of plain imitation of the chosen answers beside the preference (Pang et al. 2024, arXiv:2404.19733)."""


def train_chat_dpo(
    model: Any,
    reference: Any | None,
    base: Base,
    renderer: Renderer,
    pairs: Sequence[ChatPair],
    config: EpochsConfig,
    own: ChatDpoSettings,
    rehearsal: Rehearsal,
    max_length: int,
    place: Place,
    seed: int,
    label: str,
) -> dict[str, int]:
    """Train ``model`` in place.

    Args:
        model: with a trainable adapter, or whole.
        reference: a frozen copy of a whole model; ``None`` with an adapter, of which TRL keeps a copy.
        max_length: tokens of a pair's prompt and longer answer; longer pairs are left out.
        label: on the progress line.

    Returns:
        ``pairs`` that were learned from, ``pairs_too_long`` and ``pairs_equal`` that were left out.

    Raises:
        SuasionError: there is no pair to learn from.
    """
    from transformers import set_seed
    from trl import DPOConfig

    from suasion.training.rehearsing_trainers import RehearsedPairsTrainer

    rendered = render_chat_pairs(renderer, pairs, max_length)
    if not rendered.rows:
        raise SuasionError(
            f"There is no pair to learn from: {len(pairs)} were made, {rendered.left_out['too_long']} are longer than {max_length} tokens.",
            hint="Raise training.max_length, or look at the kinds of pairs in the epoch's folder.",
        )
    set_seed(seed)
    arguments = DPOConfig(
        **epochs_arguments(config, place, base, seed),
        max_length=None,  # ours fit
        beta=own.beta,
        loss_type=[own.loss_type, "sft"] if own.nll_weight else [own.loss_type],
        loss_weights=[1.0, own.nll_weight] if own.nll_weight else None,
    )
    trainer = RehearsedPairsTrainer(
        model=model, ref_model=reference, args=arguments, train_dataset=dataset(rendered.rows), processing_class=renderer.tokenizer
    )
    trainer.rehearsal, trainer.rows_a_batch = rehearsal, config.batch_size
    fit(trainer, place, label, COMMON_NUMBERS | NUMBERS | OF_REHEARSAL)
    return {"pairs": len(rendered.rows)} | {f"pairs_{why}": number for why, number in rendered.left_out.items()}
