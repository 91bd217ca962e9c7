"""Imitation of answers in chats: of an adapter, or of all weights. Only the answers are scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.rendering import Renderer
from suasion.training.chats import Chat, dataset, render_chats
from suasion.training.common import COMMON_NUMBERS, EpochsConfig, Place, epochs_arguments, fit


def train_chat_sft(
    model: Any,
    base: Base,
    renderer: Renderer,
    chats: Sequence[Chat],
    config: EpochsConfig,
    max_length: int,
    place: Place,
    seed: int,
    label: str,
) -> dict[str, int]:
    """Train ``model`` in place.

    Args:
        max_length: tokens of a chat; longer ones are left out.
        label: on the progress line.

    Returns:
        ``chats`` that were learned from, ``chats_too_long`` that were left out.

    Raises:
        SuasionError: there is no chat to learn from.
    """
    from transformers import set_seed
    from trl import SFTConfig, SFTTrainer

    rendered = render_chats(renderer, chats, max_length)
    if not rendered.rows:
        raise SuasionError(f"There is no chat to learn from: {len(chats)} were made, none fits into {max_length} tokens.")
    set_seed(seed)
    arguments = SFTConfig(**epochs_arguments(config, place, base, seed), max_length=None, packing=False, eval_strategy="no")
    trainer = SFTTrainer(model=model, args=arguments, train_dataset=dataset(rendered.rows), processing_class=renderer.tokenizer)
    fit(trainer, place, label, COMMON_NUMBERS | {"mean_token_accuracy": "token_accuracy"})
    return {"chats": len(rendered.rows), "chats_too_long": rendered.left_out["too_long"]}
