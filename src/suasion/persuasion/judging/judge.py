"""What a judge is: text in, one float32 number a reply out.

Judges take text, never token ids: the ids of one model's tokenizer mean nothing to another's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suasion.errors import SuasionError
from suasion.models.reward_model import RewardModel, Scores


class Judge(Protocol):
    """Anything that scores replies. Only differences between replies to one premise mean anything."""

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """One number a reply, shape (n,), float32; the same for a reply whatever else is in the batch."""
        ...


@dataclass(frozen=True)
class RuleJudge:
    """A judge without parameters that looks at the reply alone: what every real judge must beat."""

    name: str
    rule: Callable[[str], float]

    def score(self, premises: Sequence[str], replies: Sequence[str]) -> Scores:
        """The rule's value of each reply."""
        return np.asarray([self.rule(reply) for reply in replies], dtype=np.float32)


def word_count(text: str) -> int:
    """White-space separated words: the length that matching, baselines and audit all use."""
    return len(text.split())


#: Judges that count words; can be named wherever a judge run can.
RULES: dict[str, RuleJudge] = {
    "longest": RuleJudge("longest", lambda reply: float(word_count(reply))),
    "shortest": RuleJudge("shortest", lambda reply: -float(word_count(reply))),
}


@dataclass(frozen=True)
class HeadProof:
    """How far scores differ where they must not: largest absolute differences."""

    reloaded: float
    batch: float
    padding: float


def prove_head(trained: RewardModel, reloaded: RewardModel, rows: Sequence[Sequence[int]], *, exact: bool) -> HeadProof:
    """Show that a saved judge is the judge that was trained, and that a score depends on the reply alone.

    Args:
        rows: rendered conversations to score.
        exact: in float32 all three differences must be below 1e-4; in bfloat16 (or 4 bit) batch and padding may move a score in its
            third digit, which is reported, but the reloaded judge must still agree.

    Raises:
        SuasionError: the head was lost, or a score depends on its neighbours.
    """
    rows = rows[:8]  # a handful proves it, and long replies are dear to score four times
    scores = trained.score_ids(rows)
    proof = HeadProof(
        reloaded=_largest_gap(scores, reloaded.score_ids(rows)),
        batch=_largest_gap(scores, np.concatenate([trained.score_ids([row]) for row in rows])),
        padding=_largest_gap(scores, trained.score_ids(rows, padding="left")),
    )
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
