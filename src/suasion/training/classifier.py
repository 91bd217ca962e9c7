"""An encoder's training: which replies earned an award (one at a time), or which of two did.

One at a time the loss is the cross-entropy of sigmoid(score), in pairs it is ``-log sigmoid(score(winner) - score(loser))``. All of the
encoder is trained: it is small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suasion.errors import SuasionError
from suasion.models.encoder import Encoder, load_classifier
from suasion.training.common import COMMON_NUMBERS, EpochsConfig, Place, epochs_arguments, fit


@dataclass(frozen=True)
class LabelledRow:
    """A premise and reply as the encoder reads them, and whether the reply earned an award."""

    ids: list[int]
    earned: bool


@dataclass(frozen=True)
class PairRow:
    """Winner and loser as the encoder reads them."""

    winner: list[int]
    loser: list[int]


def train_classifier(
    encoder: Encoder, rows: Sequence[LabelledRow] | Sequence[PairRow], config: EpochsConfig, place: Place, seed: int
) -> Any:
    """Train an encoder with a fresh head; return the classifier.

    Raises:
        SuasionError: there is nothing to learn from, or all replies have one label.
    """
    from transformers import TrainingArguments, set_seed

    if not rows:
        raise SuasionError(
            "There is no reply to train the judge on.", hint="Look at the pairs' data card: every drop has its reason there."
        )
    labels = {row.earned for row in rows if isinstance(row, LabelledRow)}
    if len(labels) == 1:
        raise SuasionError(f"All replies to train on {'earned an award' if labels.pop() else 'earned none'}: nothing can be learned.")
    set_seed(seed)  # before the head is drawn
    model = load_classifier(encoder.folder, new_head=True)
    arguments = TrainingArguments(**epochs_arguments(config, place, None, seed), remove_unused_columns=False)
    trainer = _trainer()(
        model=model,
        args=arguments,
        train_dataset=list(rows),
        data_collator=lambda batch: _collated(batch, int(encoder.tokenizer.pad_token_id)),
    )
    fit(trainer, place, "Judge (encoder)", COMMON_NUMBERS | {"accuracy": "accuracy", "mean_score": "mean_score"})
    return model


def loss_of(scores: Any, labels: Any) -> tuple[Any, Any]:
    """Loss and share of right answers of a batch: float labels for single replies, ``None`` for winners followed by their losers."""
    import torch
    from torch.nn import functional

    if labels is None:
        winners, losers = torch.chunk(scores, 2)
        return -functional.logsigmoid(winners - losers).mean(), (winners > losers).float().mean()
    right = (scores > 0) == (labels > 0.5)
    return functional.binary_cross_entropy_with_logits(scores, labels), right.float().mean()


def _collated(rows: Sequence[Any], pad_id: int) -> dict[str, Any]:
    import torch

    from suasion.models.sampling import padded

    if isinstance(rows[0], PairRow):
        ids, mask = padded([row.winner for row in rows] + [row.loser for row in rows], pad_id, "cpu", "right")
        return {"input_ids": ids, "attention_mask": mask}
    ids, mask = padded([row.ids for row in rows], pad_id, "cpu", "right")
    return {"input_ids": ids, "attention_mask": mask, "earned": torch.tensor([float(row.earned) for row in rows])}


def _trainer() -> Any:
    """The trainer's class, made here so that importing this file does not import transformers."""
    from transformers import Trainer

    class ClassifierTrainer(Trainer):
        loss_is_scaled_for_ga = False

        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None) -> Any:
            labels = inputs.pop("earned", None)
            outputs = model(**inputs)
            scores = outputs.logits[:, 0].float()
            loss, right = loss_of(scores, labels)
            for name, value in (("accuracy", right), ("mean_score", scores.mean())):
                self.seen.setdefault(name, []).append(float(value))
            return (loss, outputs) if return_outputs else loss

        @property
        def seen(self) -> dict[str, list[float]]:
            if not hasattr(self, "_seen"):
                self._seen: dict[str, list[float]] = {}
            return self._seen

        def log(self, logs: Mapping[str, float], *arguments: Any, **named: Any) -> None:
            means = {name: sum(values) / len(values) for name, values in self.seen.items() if values}
            self.seen.clear()
            super().log({**logs, **means}, *arguments, **named)

    return ClassifierTrainer
