"""LoRA on every attention and MLP projection, rank-stabilised: the same targets for 135M and for 8B."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError

if TYPE_CHECKING:
    from peft import LoraConfig as PeftLoraConfig

#: Attention and MLP projections by the names that Llama, Mistral, Qwen and Gemma (apart) and Phi (fused) give them.
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "qkv_proj", "gate_up_proj")


class LoraConfig(Config):
    """Low-rank adaptation (Hu et al. 2021, arXiv:2106.09685), rank-stabilised (Kalajdzievski 2023, arXiv:2312.03732)."""

    rank: int = Field(64, ge=1)
    alpha: int = Field(16, ge=1)
    """The update is scaled by ``alpha / sqrt(rank)``."""
    dropout: float = Field(0.0, ge=0, lt=1)


def projections_of(model: Any) -> list[str]:
    """Names of the projections that ``model`` has.

    Raises:
        SuasionError: none.
    """
    present = {name.rpartition(".")[2] for name, _ in model.named_modules()}
    targets = [name for name in PROJECTIONS if name in present]
    if not targets:
        raise SuasionError(f"LoRA finds nothing to sit on: {type(model).__name__} has none of {', '.join(PROJECTIONS)}.")
    return targets


def peft_config(lora: LoraConfig, model: Any, task: Literal["CAUSAL_LM", "SEQ_CLS"]) -> PeftLoraConfig:
    """PEFT's configuration for ``model``; for a judge (``SEQ_CLS``) the one-number head is trained and saved with the adapter.

    Raises:
        SuasionError: the model has none of the projections LoRA is put on.
    """
    from peft import LoraConfig as PeftLoraConfig

    return PeftLoraConfig(
        task_type=task,
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        use_rslora=True,
        target_modules=projections_of(model),
        modules_to_save=["score"] if task == "SEQ_CLS" else None,
    )
