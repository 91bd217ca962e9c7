"""Replies to one premise learned from in one row: their prompt stands there once, and each reply sees the prompt and itself only.

Side by side, every reply would bring the prompt along, which is most of what a pass computes. In one row each reply begins with a copy of
the prompt's last token, so that its first token is predicted at a place of its own; positions and mask make everything the same
function of the same ids. What differs are the last bits: other shapes, other orders of summing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Shared:
    """Rows of a premise each: prompts (without their last token) padded on the left, replies padded on the right.

    Attributes:
        ids: shape (premises, before + behind).
        positions: of the same shape.
        mask: what each place may attend to, added to attention; shape (premises, 1, before + behind, before + behind).
        behind: how many columns the replies have.
        row, column: where among the last ``behind`` columns each reply's tokens are predicted, shape (replies, reply tokens); 0 at padding.
        targets: the tokens themselves, of the same shape.
        real: which of them are real, of the same shape, bool.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    behind: int
    row: torch.Tensor
    column: torch.Tensor
    targets: torch.Tensor
    real: torch.Tensor

    def inputs(self) -> dict[str, Any]:
        """What a causal model is called with, to give the logits of the last ``behind`` columns."""
        return {
            "input_ids": self.ids,
            "attention_mask": self.mask,
            "position_ids": self.positions,
            "use_cache": False,
            "logits_to_keep": self.behind,
        }

    def of_replies(self, values: torch.Tensor) -> torch.Tensor:
        """Values of the last ``behind`` columns, shape (premises, behind), as shape (replies, reply tokens): 0 at padding."""
        return values[self.row, self.column].masked_fill(~self.real, 0.0)


def shared(ids: torch.Tensor, mask: torch.Tensor, replies: int, dtype: torch.dtype) -> Shared:
    """Lay replies to the same prompt into one row.

    Args:
        ids: shape (n, prompt + reply tokens), prompts padded on the left and replies on the right.
        mask: 1 where ``ids`` holds a token. A reply without any (it is not learned from) is left out, but for one where there is no other.
        replies: how many columns at the end are the replies'.
        dtype: of the model, for the mask.
    """
    lengths = mask[:, -replies:].sum(dim=1).tolist()
    if not any(lengths):
        lengths[0] = 1
    families: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        if length:
            families[tuple(ids[index, :-replies][mask[index, :-replies].bool()].tolist())].append(index)
    before = max(len(prompt) for prompt in families) - 1
    behind = max(sum(lengths[index] for index in members) for members in families.values())
    width = before + behind
    packed = torch.zeros(len(families), width, dtype=ids.dtype)
    positions = torch.zeros_like(packed)
    part = torch.full_like(packed, -1)  # -1: padding, 0: the prompt, 1 …: a reply
    row, column = torch.zeros(len(ids), replies, dtype=torch.long), torch.zeros(len(ids), replies, dtype=torch.long)
    given = ids.cpu()
    for number, (prompt, members) in enumerate(families.items()):
        start = before - len(prompt) + 1
        packed[number, start:before] = torch.tensor(prompt[:-1], dtype=ids.dtype)
        positions[number, start:before] = torch.arange(len(prompt) - 1)
        part[number, start:before] = 0
        at = before
        for member, index in enumerate(members, start=1):
            length = lengths[index]
            packed[number, at] = prompt[-1]
            packed[number, at + 1 : at + length] = given[index, -replies:][: length - 1]
            positions[number, at : at + length] = len(prompt) - 1 + torch.arange(length)
            part[number, at : at + length] = member
            row[index, :length] = number
            column[index, :length] = at - before + torch.arange(length)
            at += length
    seen = _seen(part)
    real = torch.arange(replies) < torch.tensor(lengths)[:, None]
    hidden = torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)[:, None]
    laid = (packed, positions, hidden, row, column, given[:, -replies:], real)
    packed, positions, hidden, row, column, targets, real = (one.to(ids.device) for one in laid)
    return Shared(packed, positions, hidden, behind, row, column, targets, real)


def _seen(part: torch.Tensor) -> torch.Tensor:
    """Which places each place attends to, shape (rows, width, width): earlier ones of the prompt and of its own reply."""
    earlier = torch.ones(part.shape[1], part.shape[1], dtype=torch.bool).tril()
    same = part[:, :, None] == part[:, None, :]
    return earlier & (same | (part[:, None, :] == 0))


def logprobs(logits: torch.Tensor, layout: Shared, temperature: float, *, entropy: bool) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Log-probabilities of the replies' tokens and, if asked for, the entropy where each was drawn; both shape (replies, reply tokens),
    float32, 0 at padding.

    Args:
        logits: of the layout's last ``behind`` columns, shape (premises, behind, vocabulary).
        temperature: the replies were drawn at.
    """
    place = layout.real.nonzero(as_tuple=True)
    chosen = logits[layout.row[place], layout.column[place]].float() / temperature
    everything = chosen.log_softmax(dim=-1)
    blank = everything.new_zeros(layout.real.shape)
    found = blank.index_put(place, everything.gather(-1, layout.targets[place][:, None])[:, 0])
    with torch.no_grad():
        spread = blank.index_put(place, -(everything.exp() * everything).sum(dim=-1)) if entropy else None
    return found, spread


def can_share(model: Any) -> bool:
    """Whether a model's passes are shared: on a CPU, where they were measured to be faster, and where each token sees all before it."""
    from suasion.models.decoding import sees_everything

    return bool(next(model.parameters()).device.type == "cpu") and sees_everything(model)
