"""Both sides of a preference pair read in one row, behind TRL's fused head: their prompt is computed once, not twice.

See :mod:`suasion.training.shared_prompts`. A prompt of an analysis task is longer than both answers together, so this spares a good third.
Imported only where a writer is trained, for it imports TRL.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

import torch
from trl.trainer.utils import FusedCausalLMOutput

from suasion.models.sampling import padded
from suasion.training.shared_prompts import can_share, shared

_UNDERSTOOD = {"input_ids", "attention_mask", "use_cache"}


def share_prompts(model: Any) -> None:
    """Change a causal model that has TRL's fused head: asked for log-probabilities of answers, it reads equal prompts once where it can.

    What it gives has the shapes and, but for the last bits, the numbers that it had.
    """
    usual = model.forward

    @functools.wraps(type(model).forward)
    def forward(self: Any, *args: Any, fused_lm_head: bool = False, labels: Any = None, **named: Any) -> Any:
        told = {name for name, value in named.items() if value is not None}  # PEFT names what it has not got
        shares = fused_lm_head and not args and not told - _UNDERSTOOD and can_share(self)
        begins = (labels != -100).int().argmax(dim=1) if shares else None  # where a row's answer begins; 0: it has none
        if begins is None or not bool(begins.all()):
            return usual(*args, fused_lm_head=fused_lm_head, labels=labels, **named)
        return _in_rows(usual, named["input_ids"], named["attention_mask"], begins, self.dtype)

    model.forward = MethodType(forward, model)


def _in_rows(read: Callable[..., Any], ids: torch.Tensor, mask: torch.Tensor, begins: torch.Tensor, dtype: torch.dtype) -> Any:
    """What ``read`` gives for prompts and answers padded on the right, shape (rows, tokens); its fields have shape (rows, tokens - 1)."""
    whole = [row[:length] for row, length in zip(ids.tolist(), mask.sum(dim=1).tolist(), strict=True)]
    prompts, before = padded([row[:begin] for row, begin in zip(whole, begins.tolist(), strict=True)], 0, ids.device, "left")
    answers, behind = padded([row[begin:] for row, begin in zip(whole, begins.tolist(), strict=True)], 0, ids.device, "right")
    layout = shared(torch.cat([prompts, answers], dim=1), torch.cat([before, behind], dim=1), answers.shape[1], dtype)
    number, token = layout.real.nonzero(as_tuple=True)
    there = layout.row[number, token], layout.column[number, token] + layout.ids.shape[1] - layout.behind
    here = number, begins[number] - 1 + token
    wanted = torch.full_like(layout.ids, -100)
    wanted[there] = layout.targets[number, token]
    told = read(input_ids=layout.ids, attention_mask=layout.mask, position_ids=layout.positions, shift_labels=wanted, fused_lm_head=True)

    def of_rows(values: torch.Tensor | None) -> torch.Tensor | None:
        return None if values is None else values.new_zeros(len(ids), ids.shape[1] - 1).index_put(here, values[there])

    fields = ("log_probs", "entropy", "log_sum_sq_probs", "mean_logits", "is_top1", "label_mask")
    return FusedCausalLMOutput(loss=told.loss, **{name: of_rows(getattr(told, name)) for name in fields})
