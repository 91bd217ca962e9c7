"""A writer loaded for training by Unsloth, whose kernels make LoRA on one GPU faster and smaller (``base.backend=unsloth``).

It serves the trainings that read whole rows (``sft``, ``dpo``, ``orpo``). Adapters are the same either way: same base, same lock, same
targets. Unsloth rewrites transformers' own classes in the process that imports it; so it is imported here only, and nothing else is loaded
behind it in the same process. Its package is Apache-2.0 with parts under AGPL-3.0: none of it is copied here.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suasion.errors import SuasionError
from suasion.models.lora import LoraConfig, projections_of

if TYPE_CHECKING:
    from suasion.models.base import Base

_TOKENS = 4096  # a reader's limit that Unsloth wants to be told; rows are cut by rendering.total_tokens long before


def load_for_training(base: Base, dtype: Any) -> Any:
    """The base as Unsloth loads it, without an adapter.

    Raises:
        SuasionError: Unsloth or a GPU is missing, or it cannot load the model.
    """
    _require()
    from unsloth import FastLanguageModel

    try:
        model, _ = FastLanguageModel.from_pretrained(
            model_name=str(base.folder),
            use_exact_model_name=True,  # else it may fetch another copy of the weights, and the lock would not be theirs
            max_seq_length=_TOKENS,
            dtype=dtype,
            load_in_4bit=base.config.quantization == "nf4",
            fix_tokenizer=False,
            trust_remote_code=False,
            use_gradient_checkpointing=False,  # the trainer's own, if wanted
        )
    except (OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise SuasionError(
            f"Unsloth cannot load the model: {error!s:.400}", where=base.folder, hint="base.backend=transformers."
        ) from error
    model.config.pad_token_id = base.tokenizer.pad_token_id
    return model


def with_new_adapter(model: Any, lora: LoraConfig) -> Any:
    """A fresh adapter on the same projections, drawn from torch's seed."""
    import torch
    from unsloth import FastLanguageModel

    return FastLanguageModel.get_peft_model(
        model,
        r=lora.rank,
        target_modules=projections_of(model),
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        bias="none",
        use_rslora=True,
        use_gradient_checkpointing=False,
        random_state=torch.initial_seed() % (1 << 31),
    )


def with_saved_adapter(model: Any, folder: Path) -> Any:
    """A saved adapter, to be trained on."""
    from peft import PeftModel
    from unsloth import FastLanguageModel

    return FastLanguageModel.patch_peft_model(PeftModel.from_pretrained(model, folder, is_trainable=True), use_gradient_checkpointing=False)


def require_untouched() -> None:
    """Refuse to load another model where Unsloth has rewritten transformers.

    Raises:
        SuasionError: it has.
    """
    if "unsloth" in sys.modules:
        raise SuasionError(
            "Unsloth has rewritten transformers in this process, and what comes next is not to depend on that.",
            hint="Start the same command again: stages that are done are skipped, and the next begins in a fresh process.",
        )


def _require() -> None:
    import torch

    if importlib.util.find_spec("unsloth") is None:
        raise SuasionError(
            "base.backend=unsloth needs Unsloth, which is not installed.",
            hint="pip install 'suasion[unsloth]' in an environment of its own, or base.backend=transformers.",
        )
    if not torch.cuda.is_available():
        raise SuasionError("base.backend=unsloth needs a GPU, and there is none here.", hint="base.backend=transformers runs anywhere.")
