"""The proof that a saved judge is the one that was trained, and that a score depends on the reply alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suasion.errors import SuasionError
from suasion.models.reward_model import RewardModel
from suasion.models.scoring import Scores
from suasion.persuasion.judging.judge import Judge

_ROWS = 8  # a handful proves it, and long replies are dear to score four times


@dataclass(frozen=True)
class HeadProof:
    """How far scores differ where they must not: largest absolute differences. ``padding`` is 0 where a judge knows no other side."""

    reloaded: float
    batch: float
    padding: float = 0.0


def prove_head(trained: RewardModel, reloaded: RewardModel, rows: Sequence[Sequence[int]], *, exact: bool) -> HeadProof:
    """Prove a reward model on rendered conversations, padded on either side.

    Args:
        exact: in float32 all three differences must be below 1e-4; in bfloat16 (or 4 bit) batch and padding may move a score in its
            third digit, which is reported, but the reloaded judge must still agree.

    Raises:
        SuasionError: the head was lost, or a score depends on its neighbours.
    """
    rows = rows[:_ROWS]
    scores = trained.score_ids(rows)
    proof = HeadProof(
        reloaded=_largest_gap(scores, reloaded.score_ids(rows)),
        batch=_largest_gap(scores, np.concatenate([trained.score_ids([row]) for row in rows])),
        padding=_largest_gap(scores, trained.score_ids(rows, padding="left")),
    )
    return _held(proof, scores, exact=exact)


def prove_judge(trained: Judge, reloaded: Judge, premises: Sequence[str], replies: Sequence[str]) -> HeadProof:
    """Prove any other judge, which scores in float32, on texts. Raises as :func:`prove_head`."""
    premises, replies = premises[:_ROWS], replies[:_ROWS]
    scores = trained.score(premises, replies)
    alone = [trained.score([premise], [reply]) for premise, reply in zip(premises, replies, strict=True)]
    proof = HeadProof(_largest_gap(scores, reloaded.score(premises, replies)), _largest_gap(scores, np.concatenate(alone)))
    return _held(proof, scores, exact=True)


def _held(proof: HeadProof, scores: Scores, *, exact: bool) -> HeadProof:
    spread = max(1.0, float(np.ptp(scores)))
    allowed = 1e-4 * spread if exact else 5e-2 * spread
    if not (proof.reloaded <= 1e-4 * spread and proof.batch <= allowed and proof.padding <= allowed):
        raise SuasionError(
            f"The judge does not score the same reply the same: reloaded {proof.reloaded:.2g}, batch of one {proof.batch:.2g}, "
            f"padded on the left {proof.padding:.2g} (largest differences, spread of scores {spread:.2g}).",
            hint="A lost head or a padding token that also ends replies does this; please report it with the base model's name.",
        )
    return proof


def _largest_gap(first: Scores, second: Scores) -> float:
    return float(np.max(np.abs(first - second), initial=0.0))
