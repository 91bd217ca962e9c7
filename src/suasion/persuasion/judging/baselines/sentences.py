"""The baseline "sentences": logistic regression on embeddings of the whole reply, such as the base's mean hidden state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from suasion.errors import SuasionError
from suasion.models.scoring import Scores
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.baselines.regression import Weights, learn
from suasion.persuasion.judging.baselines.store import ABOUT, read_baseline, vector, write_baseline
from suasion.persuasion.judging.baselines.vectors import check_as_many, products, rows_of
from suasion.statistics import Floats

Embed = Callable[[Sequence[str]], Scores]
"""Texts to vectors: n of them to float32, shape (n, d). :class:`suasion.models.embedding.Embedder` is one."""


@dataclass(frozen=True)
class Sentences:
    """A judge that sees a reply as one point. ``weights.values`` has shape (d,); ``embed`` must be the one it was fitted with."""

    embed: Embed
    weights: Weights
    kind: str = "sentences"

    @classmethod
    def fit(cls, pairs: Sequence[Pair], seed: int, embed: Embed) -> Sentences:
        """Learn from pairs. Raises as :func:`suasion.persuasion.judging.baselines.regression.learn`."""
        _, replies, winners, losers = rows_of(pairs)
        points = np.asarray(embed(replies), dtype=np.float64)
        debates = [pair.debate_id for pair in pairs]
        return cls(embed, learn(points[winners] - points[losers], debates, seed, standardise=True))

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32. The premise is not looked at.

        Raises:
            SuasionError: the embeddings are of another length than those it was fitted on.
        """
        check_as_many(premises, replies)
        if not replies:
            return np.zeros(0, dtype=np.float32)
        points: Floats = np.asarray(self.embed(replies), dtype=np.float64)
        if points.shape[1] != self.weights.values.size:
            raise SuasionError(
                f"The embeddings have {points.shape[1]} numbers, and this baseline was fitted on {self.weights.values.size}.",
                hint="Use the base it was fitted with.",
            )
        return products(points, self.weights.values)

    def save(self, folder: Path) -> Path:
        """Write it into a folder; the embedding itself stays where it is."""
        about = {"kind": self.kind, "strength": self.weights.strength, "width": self.weights.values.size}
        return write_baseline(folder, about, {"weights": self.weights.values})

    @classmethod
    def load(cls, folder: Path, embed: Embed) -> Sentences:
        """Read what :meth:`save` wrote.

        Raises:
            SuasionError: the files cannot be read or do not fit together.
        """
        about, numbers = read_baseline(folder)
        width = about.get("width")
        if not isinstance(width, int):
            raise SuasionError("This baseline does not say how long its embeddings are.", where=folder / ABOUT, hint="Train it again.")
        return cls(embed, Weights(vector(numbers, "weights", width, folder), float(about.get("strength") or np.nan)))
