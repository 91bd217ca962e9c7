"""TRL's reward trainer with what it has no option for: label smoothing, and a second head that takes up length.

Imported only where a judge is trained, for it imports TRL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from trl import RewardTrainer
from trl.trainer.reward_trainer import DataCollatorForPreference

from suasion.training.length_free import OdinConfig, correlation, trained_head


class PairTrainer(RewardTrainer):
    """The pairwise loss with smoothed labels."""

    smoothing: float = 0.0
    """The share of pairs that are taken to be labelled the wrong way round."""

    def __init__(self, model: Any, **named: Any) -> None:
        super().__init__(model=model, **named)
        # On a base in 4 bit TRL has just put adapter and head into bfloat16. Its 8 bits of mantissa make coarse scores, the judge as it is
        # loaded again (in float32) would give other ones, and a CPU does not multiply the two.
        if getattr(model, "is_loaded_in_4bit", False):
            for parameter in model.parameters():
                if parameter.requires_grad:
                    parameter.data = parameter.data.float()

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
        """TRL's loss plus ``smoothing`` times the mean gap.

        The smoothed loss of a gap d (winner - loser - margin) is (1 - s) l(d) + s l(-d) with l(d) = -log sigmoid(d), and
        l(-d) = l(d) + d, so it is l(d) + s d.
        """
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True, num_items_in_batch=num_items_in_batch)
        if self.smoothing:
            winners, losers = torch.chunk(outputs.logits.squeeze(-1), 2)
            loss = loss + self.smoothing * (winners - losers - inputs.get("margin", 0.0)).mean()
        return (loss, outputs) if return_outputs else loss


class OdinTrainer(PairTrainer):
    """ODIN's loss (see :mod:`suasion.training.length_free`) for a model whose head has two outputs: quality and length."""

    odin: OdinConfig = OdinConfig()

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
        """The pairwise loss of the heads' sum, and what keeps length out of the first head and in the second."""
        tokens = inputs.pop("reply_tokens").float()
        seen: dict[str, Any] = {}

        def sum_of_heads(**named: Any) -> Any:
            output = model(**named)
            seen["heads"] = output.logits.float()
            output.logits = seen["heads"].sum(-1, keepdim=True)
            return output

        loss, outputs = super().compute_loss(sum_of_heads, inputs, return_outputs=True, num_items_in_batch=num_items_in_batch)
        quality, length = seen["heads"].unbind(-1)
        in_quality, in_length = correlation(quality, tokens), correlation(length, tokens)
        first, second = trained_head(self.model).weight.float()
        overlap = torch.nn.functional.cosine_similarity(first, second, dim=0)
        loss = loss + self.odin.length_weight * (in_quality.abs() + 1 - in_length) + self.odin.orthogonality_weight * overlap.abs()
        winners, losers = torch.chunk(quality.detach(), 2)
        numbers = {
            "quality_accuracy": (winners > losers).float().mean(),
            "quality_follows_length": in_quality,
            "length_head_follows_length": in_length,
        }
        for name, value in numbers.items():
            self._metrics["train"][name].append(float(value.detach()))
        return (loss, outputs) if return_outputs else loss


class WithReplyTokens:
    """Collates rendered pairs as TRL does and adds how many tokens each reply has: shape (2 x pairs,), winners first."""

    def __init__(self, pad_id: int) -> None:
        self.collate = DataCollatorForPreference(pad_token_id=pad_id)

    def __call__(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        replies = [len(row[side]) - row["prompt_length"] for side in ("chosen_ids", "rejected_ids") for row in rows]
        return {**self.collate(list(rows)), "reply_tokens": torch.tensor(replies)}
