"""What a judge is audited on: held-out pairs, and whatever else is at hand to hold it against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.dataset import BestOfFour, Pair
from suasion.persuasion.judging.judge import Judge


@dataclass(frozen=True)
class Material:
    """Only ``pairs`` are needed; a probe whose material is missing is left out."""

    pairs: Sequence[Pair]
    """Held out from the judge's training."""
    train: Sequence[Pair] = ()
    """What it was trained on: the learned baselines are fitted on the same."""
    fours: Sequence[BestOfFour] = ()
    """Winners among three losers of their debates; without them they are made from ``pairs``."""
    transfer: Mapping[str, Sequence[Pair]] = field(default_factory=dict)
    """Pairs from elsewhere, by name."""
    others: tuple[Judge, ...] = ()
    """The same judge trained from other seeds: an ensemble's members, say."""
    rewriter: Callable[[str], str] | None = None
    """A text in other words: with it, paraphrase is one of the tricks."""
    embed: Callable[[Sequence[str]], NDArray[np.float32]] | None = None
    """Texts to vectors, shape (n, d): with it, sentence embeddings with logistic regression are a baseline too."""
