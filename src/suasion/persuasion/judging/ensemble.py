"""Several judges of one kind, trained from different seeds, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from suasion.models.scoring import Scores
from suasion.persuasion.judging.judge import Judge

Combine = Literal["mean", "mean_minus_spread"]


@dataclass(frozen=True)
class Ensemble:
    """Scores by the mean of its members, or by the mean less their standard deviation (Coste et al. 2023, arXiv:2310.02743).

    Members are trained to give log-odds, so their unit is one and the same; their level is arbitrary (only differences are learned) and is
    taken out first, or it would pass for disagreement.
    """

    members: tuple[Judge, ...]
    levels: tuple[float, ...]
    """Each member's mean score over the same replies."""
    combine: Combine

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32."""
        each = [judge.score(premises, replies).astype(np.float64) - level for judge, level in zip(self.members, self.levels, strict=True)]
        together = np.stack(each)
        scores = together.mean(0) if self.combine == "mean" else together.mean(0) - together.std(0)
        return np.asarray(scores, dtype=np.float32)


def level_of(judge: Judge, premises: Sequence[str], replies: Sequence[str]) -> float:
    """A judge's mean score, to be given to :class:`Ensemble`."""
    return float(np.mean(judge.score(premises, replies), dtype=np.float64))
