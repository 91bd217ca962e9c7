"""TRL's DPO trainer for pairs that are token ids already: a prompt is rendered once, here and in practice alike.

Imported only where a writer is trained, for it imports TRL.
"""

from __future__ import annotations

from typing import Any

from trl import DPOTrainer

from suasion.training.shared_pairs import share_prompts

#: TRL's name of the frozen copy of the parent's adapter.
_REFERENCE = "ref"


class ReadyPairsTrainer(DPOTrainer):
    """Takes rows of ``prompt_ids``, ``chosen_ids`` and ``rejected_ids`` as they are."""

    def __init__(self, model: Any, **named: Any) -> None:
        super().__init__(model=model, **named)
        # On a base in 4 bit TRL has just rounded the adapter to bfloat16, but not its copy: the writer would start a little away from the
        # parent, and be saved coarser than it came.
        if getattr(model, "is_loaded_in_4bit", False):
            for name, parameter in model.named_parameters():
                if parameter.requires_grad:
                    parameter.data = model.get_parameter(name.replace(".default.", f".{_REFERENCE}.")).data.clone()
        share_prompts(model.get_base_model() if hasattr(model, "get_base_model") else model)
        if self.ref_model is not None:
            share_prompts(self.accelerator.unwrap_model(self.ref_model))

    def _prepare_dataset(self, dataset: Any, *_: Any) -> Any:
        return dataset
