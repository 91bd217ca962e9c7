"""General chats that are imitated beside what is learned, so that they are not unlearned; and their loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from suasion.models.sampling import padded

if TYPE_CHECKING:
    import torch


#: What a trainer that rehearses logs: the chats' loss, and the method's own without it.
NUMBERS = {"rehearsal_loss": "rehearsal_loss", "own_loss": "own_loss"}


@dataclass(frozen=True)
class Rehearsal:
    """General chats to imitate meanwhile.

    Attributes:
        rows: of ``input_ids`` and ``labels``, gone through in their order, again and again.
        per_row: chats to each row of a batch (a pair, a reply): a share, or more than 1.
        weight: of their mean loss a token beside the method's own loss.
    """

    rows: Sequence[dict[str, list[int]]] = field(default_factory=tuple)
    per_row: float = 0.0
    weight: float = 1.0

    def of_batch(self, number: int, size: int) -> list[dict[str, list[int]]]:
        """The chats that go with the batch of this number (from 0) of ``size`` rows: they follow from the number alone, so a resumed
        training rehearses what it would have rehearsed."""
        if not self.rows:
            return []
        first, last = int(number * size * self.per_row), int((number + 1) * size * self.per_row)
        return [self.rows[index % len(self.rows)] for index in range(first, last)]


def chat_loss(model: Any, rows: Sequence[dict[str, list[int]]], pad: int) -> torch.Tensor:
    """Mean negative log-probability (nats) a token of the chats' answers."""
    import torch

    ids, mask = padded([row["input_ids"] for row in rows], pad, model.device, "right")
    labels, _ = padded([row["labels"] for row in rows], -100, model.device, "right")
    logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1]
    return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)
