"""A base with a one-number head, as it is scored: text in, float32 out, the same number whatever else is in the batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.models.base import Base
from suasion.models.loading import load_base, merged, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.models.sampling import Side, padded
from suasion.progress import track

Scores = NDArray[np.float32]


class RewardModel:
    """Scores rendered conversations at their end token.

    Args:
        model: a sequence classifier with one label under an adapter, see :func:`suasion.models.loading.load_base`.
        renderer: the one rendering of premise and reply.
        token_budget: padded tokens scored at once. Replies are sorted by length first, so little of it is padding.
        label: of a progress line, for long work; none is shown without.
    """

    def __init__(self, model: Any, renderer: Renderer, *, token_budget: int = 8192, label: str = "") -> None:
        self.model = model
        self.renderer = renderer
        self.token_budget = token_budget
        self.label = label

    @classmethod
    def load(cls, folder: Path, base: Base, renderer: Renderer, *, label: str = "") -> RewardModel:
        """Load a saved adapter with its head onto its base. Raises as :func:`suasion.models.loading.with_saved_adapter`."""
        model = merged(with_saved_adapter(load_base(base, "SEQ_CLS"), base, folder, trainable=False), base)
        model.eval()
        return cls(model, renderer, label=label)

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32. Only differences between replies to one premise mean anything."""
        if len(premises) != len(replies):
            raise ValueError(f"{len(premises)} premises but {len(replies)} replies")
        rows = [self.renderer.conversation(premise, reply).ids for premise, reply in zip(premises, replies, strict=True)]
        return self.score_ids(rows)

    def score_ids(self, rows: Sequence[Sequence[int]], *, padding: Side = "right") -> Scores:
        """Scores of rendered conversations. ``padding`` exists to prove that it makes no difference."""
        import torch

        scores = np.empty(len(rows), dtype=np.float32)
        was_training = self.model.training
        self.model.eval()
        with torch.inference_mode(), track(self.label, len(rows), unit="replies") if self.label else nullcontext() as bar:
            for batch in self._batches(rows):
                scores[batch] = self._forward([rows[i] for i in batch], padding)
                if bar is not None:
                    bar.advance(len(batch))
        self.model.train(was_training)
        return scores

    def _batches(self, rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Indices of rows, longest first, packed so that rows x longest stays within the token budget."""
        batch: list[int] = []
        for index in sorted(range(len(rows)), key=lambda i: -len(rows[i])):
            if batch and (len(batch) + 1) * len(rows[batch[0]]) > self.token_budget:
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch

    def _forward(self, rows: Sequence[Sequence[int]], padding: Side) -> Scores:
        import torch

        classifier = self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model
        ids, mask = padded(rows, int(self.renderer.tokenizer.pad_token_id), self.model.device, padding)
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        backbone = getattr(classifier, classifier.base_model_prefix)
        hidden = backbone(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False).last_hidden_state
        last = (mask * torch.arange(mask.shape[1], device=mask.device)).argmax(-1)
        at_end = hidden[torch.arange(len(rows), device=hidden.device), last]
        # the last product in float32: bfloat16 has 8 bits of mantissa and makes spurious ties (sentence-transformers issue 3894)
        head = _active_head(classifier.score)
        return np.asarray((at_end.float() @ head.weight.float().T)[:, 0].cpu().numpy(), dtype=np.float32)


def _active_head(score: Any) -> Any:
    """The trained head: PEFT wraps it and keeps the untouched original beside it."""
    wrapped = getattr(score, "modules_to_save", None)
    return score if wrapped is None else wrapped[score.active_adapters[0]]
