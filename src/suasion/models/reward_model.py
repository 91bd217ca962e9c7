"""A base with a one-number head, as it is scored: text in, float32 out, the same number whatever else is in the batch."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from suasion.models.base import Base
from suasion.models.loading import load_base, merged, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.models.sampling import Side
from suasion.models.scoring import Scores, score_rows
from suasion.progress import track


class RewardModel:
    """Scores rendered conversations at their end token.

    Args:
        model: a sequence classifier with one label under an adapter, see :func:`suasion.models.loading.load_base`.
        renderer: the one rendering of premise and reply.
        token_budget: tokens held at once, see :func:`suasion.models.scoring.score_rows`.
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
        was_training = self.model.training
        self.model.eval()
        with track(self.label, len(rows), unit="replies") if self.label else nullcontext() as bar:
            scores = score_rows(
                self.model,
                rows,
                pad_id=int(self.renderer.tokenizer.pad_token_id),
                budget=self.token_budget,
                padding=padding,
                advance=bar.advance if bar is not None else lambda done: None,
            )
        self.model.train(was_training)
        return scores
