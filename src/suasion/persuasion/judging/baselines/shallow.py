"""The baseline "shallow": logistic regression on features that can be counted (length, punctuation, links, hedges, overlap …)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.models.scoring import Scores
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging.baselines.features import FEATURES, features_of
from suasion.persuasion.judging.baselines.regression import Weights, learn
from suasion.persuasion.judging.baselines.store import ABOUT, read_baseline, vector, write_baseline
from suasion.persuasion.judging.baselines.vectors import check_as_many, products, rows_of


@dataclass(frozen=True)
class Shallow:
    """A judge that counts. ``weights.values`` has one weight a feature of :data:`FEATURES`."""

    weights: Weights
    kind: str = "shallow"

    @classmethod
    def fit(cls, pairs: Sequence[Pair], seed: int) -> Shallow:
        """Learn from pairs. Raises as :func:`suasion.persuasion.judging.baselines.regression.learn`."""
        premises, replies, winners, losers = rows_of(pairs)
        features = features_of(premises, replies)
        debates = [pair.debate_id for pair in pairs]
        return cls(learn(features[winners] - features[losers], debates, seed, standardise=True))

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32."""
        check_as_many(premises, replies)
        return products(features_of(premises, replies), self.weights.values)

    def save(self, folder: Path) -> Path:
        """Write it into a folder."""
        about: dict[str, Any] = {"kind": self.kind, "strength": self.weights.strength, "features": [one.name for one in FEATURES]}
        return write_baseline(folder, about, {"weights": self.weights.values})

    @classmethod
    def load(cls, folder: Path) -> Shallow:
        """Read what :meth:`save` wrote.

        Raises:
            SuasionError: the files cannot be read, or were made with other features.
        """
        about, numbers = read_baseline(folder)
        if about.get("features") != [one.name for one in FEATURES]:
            raise SuasionError(
                "This baseline was made with other features than this version counts.", where=folder / ABOUT, hint="Train it again."
            )
        return cls(Weights(vector(numbers, "weights", len(FEATURES), folder), float(about.get("strength") or np.nan)))
