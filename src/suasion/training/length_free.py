"""A length-free judge by ODIN: two heads are trained, one of them takes up length and is thrown away.

Chen et al. 2024, arXiv:2402.07319. The pairwise loss is that of the heads' sum; |corr(quality, reply tokens)| and
1 - corr(length, reply tokens), over the replies of a batch, push length out of the first head and into the second; the heads are kept
orthogonal. (Here by the cosine of their weights, so that the term does not depend on their size.) What is left when the second head is
dropped is an ordinary reward model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from suasion.config import Config
from suasion.models.base import Base
from suasion.models.loading import load_base, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.training.common import Place, fit
from suasion.training.reward import SHOWN, RenderedPair, RewardConfig, pair_table, reward_arguments

if TYPE_CHECKING:
    import torch


class OdinConfig(Config):
    """How strongly the two heads are kept apart. The defaults are the paper's."""

    length_weight: float = Field(1.0, ge=0)
    """Of |corr(quality, length)| + 1 - corr(length head, length)."""
    orthogonality_weight: float = Field(1.0, ge=0)
    """Of the heads' absolute cosine."""


def train_odin(
    base: Base,
    renderer: Renderer,
    pairs: Sequence[RenderedPair],
    lora: LoraConfig,
    config: RewardConfig,
    odin: OdinConfig,
    place: Place,
    seed: int,
) -> Any:
    """Train a fresh adapter and two heads on rendered pairs; return the adapted classifier with the quality head alone.

    The correlations are taken over one forward pass, so ``config.batch_size`` should not be small.
    """
    from transformers import set_seed

    from suasion.training.pairwise import OdinTrainer, WithReplyTokens

    table = pair_table(pairs, config)
    set_seed(seed)  # before the heads and the adapter are drawn
    model = load_base(base, "SEQ_CLS")
    model.score = _two_heads(model)
    model = with_new_adapter(model, base, lora, "SEQ_CLS")
    trainer = OdinTrainer(
        model=model,
        args=reward_arguments(config, place, base, seed),
        data_collator=WithReplyTokens(int(renderer.tokenizer.pad_token_id)),
        train_dataset=table,
        processing_class=renderer.tokenizer,
    )
    trainer.smoothing, trainer.odin = config.label_smoothing, odin
    own = ("quality_accuracy", "quality_follows_length", "length_head_follows_length")
    fit(trainer, place, "Judge (ODIN)", SHOWN | {name: name for name in own})
    _drop_length_head(model)
    return model


def correlation(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Pearson's correlation of two vectors; 0, with a gradient that is a number, where one of them does not vary."""
    one, other = first - first.mean(), second - second.mean()
    return (one * other).sum() / ((one * one).sum() * (other * other).sum() + 1e-12).sqrt()


def trained_head(model: Any) -> Any:
    """The head under an adapter that is trained; PEFT keeps the untouched original beside it."""
    return model.get_base_model().score.modules_to_save["default"]


def _two_heads(model: Any) -> Any:
    """A fresh head with two outputs, quality and length, drawn as the model draws its own."""
    import torch

    old = model.score
    head = torch.nn.Linear(old.in_features, 2, bias=False, device=old.weight.device, dtype=old.weight.dtype)
    torch.nn.init.normal_(head.weight, std=model.config.get_text_config().initializer_range)
    return head


def _drop_length_head(model: Any) -> None:
    import torch

    wrapper = model.get_base_model().score
    for head in (wrapper.original_module, wrapper.modules_to_save["default"]):
        head.weight = torch.nn.Parameter(head.weight.detach()[:1].clone(), requires_grad=head.weight.requires_grad)
        head.out_features = 1
