"""ORPO's loss in the usual trainer. Imported only where a writer is trained, for it imports transformers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch
from transformers import Trainer

from suasion.models.sampling import padded
from suasion.training.orpo import log_odds, orpo_losses


class SideBySide:
    """Collates rows of ``prompt_ids``, ``chosen_ids`` and ``rejected_ids``: winners first, then losers, padded on the right."""

    def __init__(self, pad: int) -> None:
        self.pad = pad

    def __call__(self, rows: Sequence[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        pairs = [(row["prompt_ids"], row[side]) for side in ("chosen_ids", "rejected_ids") for row in rows]
        ids, mask = padded([prompt + reply for prompt, reply in pairs], self.pad, "cpu", "right")
        replies = mask.clone()
        for row, (prompt, _) in enumerate(pairs):
            replies[row, : len(prompt)] = 0
        return {"ids": ids, "mask": mask, "replies": replies}


def mean_logprobs(model: Any, ids: torch.Tensor, mask: torch.Tensor, replies: torch.Tensor) -> torch.Tensor:
    """Mean log-probability of a reply's tokens, float32, one a row.

    Args:
        ids: shape (rows, tokens); ``mask`` is 1 where they hold a token, ``replies`` where it is the reply's.
    """
    logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1].float()  # a place predicts the token behind it
    of_tokens = logits.gather(-1, ids[:, 1:, None])[..., 0] - logits.logsumexp(dim=-1)
    means: torch.Tensor = (of_tokens * replies[:, 1:]).sum(dim=1) / replies[:, 1:].sum(dim=1).clamp(min=1)
    return means


class OrpoTrainer(Trainer):
    """Imitation of winners plus ``weight`` times the odds ratio."""

    def __init__(self, model: Any, arguments: Any, table: Any, pad: int, weight: float) -> None:
        super().__init__(model=model, args=arguments, train_dataset=table, data_collator=SideBySide(pad))
        self.weight = weight
        self.numbers: dict[str, list[float]] = defaultdict(list)
        # the loss is a mean over a pass's pairs, so several passes a step are to be averaged; the model's signature says otherwise
        self.model_accepts_loss_kwargs = False

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
        """See :mod:`suasion.training.orpo`."""
        winners, losers = mean_logprobs(model, inputs["ids"], inputs["mask"], inputs["replies"]).chunk(2)
        imitation, preference = orpo_losses(winners, losers)
        found = {
            "nll": imitation,
            "log_odds_ratio": log_odds(winners) - log_odds(losers),
            "accuracy": (winners > losers).float(),
            "chosen_logprob": winners,
            "rejected_logprob": losers,
        }
        for name, values in found.items():
            self.numbers[name].append(float(values.detach().mean()))
        return (imitation + self.weight * preference).mean()

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """The step's own numbers beside the trainer's."""
        means = {name: sum(values) / len(values) for name, values in self.numbers.items()}
        self.numbers.clear()
        super().log(logs | means, start_time)
