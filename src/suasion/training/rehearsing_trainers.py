"""TRL's DPO and GRPO trainers that rehearse: each batch imitates a few general chats besides.

Imported only where a writer is trained, for it imports TRL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from suasion.training.dpo_trainer import ReadyPairsTrainer
from suasion.training.group_trainers import GroupTrainer
from suasion.training.rehearsed import Rehearsal, chat_loss

if TYPE_CHECKING:
    import torch


class _Rehearses:
    """Adds the rehearsal's loss to a trainer's."""

    rehearsal: Rehearsal = Rehearsal()
    rows_a_batch: int = 1
    _counted_step = -1  # TRL has a ``_step`` of its own, by which it knows when to draw anew
    _counted_batches = 0
    state: Any
    args: Any
    accelerator: Any
    processing_class: Any
    _metrics: Any
    current_gradient_accumulation_steps: int

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
        found = super().compute_loss(  # type: ignore[misc]
            model, inputs, return_outputs=return_outputs, num_items_in_batch=num_items_in_batch
        )
        if not self.rehearsal.rows or not model.training:
            return found
        loss, *rest = found if return_outputs else (found,)
        self._metrics["train"]["own_loss"].append(float(loss.detach()) * self._batches_of(loss))
        batches = self.args.gradient_accumulation_steps
        if self.state.global_step != self._counted_step:
            self._counted_step, self._counted_batches = self.state.global_step, 0
        batch = self._counted_step * batches + self._counted_batches
        number = batch * self.accelerator.num_processes + self.accelerator.process_index
        self._counted_batches += 1
        rows = self.rehearsal.of_batch(number, self.rows_a_batch)
        if not rows:
            return found
        rehearsed = chat_loss(model, rows, self.processing_class.pad_token_id)
        self._metrics["train"]["rehearsal_loss"].append(float(rehearsed.detach()))
        loss = loss + rehearsed * self.rehearsal.weight / self._batches_of(loss)
        return (loss, *rest) if return_outputs else loss

    def _batches_of(self, loss: torch.Tensor) -> int:
        """Of how many batches a step's loss is divided among already, when it comes here."""
        return 1


class RehearsedPairsTrainer(_Rehearses, ReadyPairsTrainer):
    """DPO that rehearses. transformers divides the whole loss by the number of batches a step."""


class RehearsedGroupTrainer(_Rehearses, GroupTrainer):
    """GRPO that rehearses."""

    def _batches_of(self, loss: torch.Tensor) -> int:
        """TRL has divided by the number of batches a step itself."""
        return self.current_gradient_accumulation_steps
