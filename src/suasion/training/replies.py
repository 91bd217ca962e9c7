"""What every practice method does with a step's replies: premises in order, scores checked, cut-off replies held down, samples kept."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from suasion.errors import SuasionError
from suasion.files import append_jsonl
from suasion.runs.run import Run
from suasion.training.common import Reward
from suasion.training.ngrams import distinct, repetition
from suasion.training.rewards import TERMS, taken_off
from suasion.training.timing import Clock

if TYPE_CHECKING:
    from suasion.training.settings import OnlineConfig

#: What rewards tell the log -> the name it has there.
NUMBERS = {name: name for name in ("judge_score", "dead_groups", "repetition", "distinct", "independent_score", *TERMS)} | {
    "within_group_spread": "spread"
}

#: Rewards of a group that differ by no more than this are equal: a judge's scores differ by as much from batch to batch.
_EQUAL = 1e-6


def dead(groups: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which groups of rewards, shape (groups, replies), have no difference to learn from."""
    return np.asarray(np.ptp(groups, axis=1) <= _EQUAL)


@dataclass(frozen=True)
class Rewards:
    """Turns a step's replies into rewards. Replies to one premise lie side by side, ``num_generations`` of them."""

    judge: Reward
    run: Run
    config: OnlineConfig
    independent: Reward | None = None
    """A judge that nothing is learned from: it scores the replies of every milestone (``sample_every``), so that it can be seen whether
    what the practice judge likes better is better."""
    clock: Clock = field(default_factory=Clock)

    def __call__(
        self, premises: list[str], replies: list[str], whole: Sequence[bool], step: int, log: Callable[[str, float], None]
    ) -> NDArray[np.float64]:
        """One reward a reply, shape (n,): the judge's score, less what the shaping terms take off; a reply that was cut off has the lowest
        reward of its group, if so configured.

        Args:
            whole: which replies came to their end.
            step: of practice, for the samples and for errors.
            log: told the numbers called :data:`NUMBERS`, of which ``within_group_spread`` is what there is to learn from.

        Raises:
            SuasionError: a score is not a number.
        """
        scores = self._scores(self.judge, "The judge", premises, replies, step)
        log("judge_score", float(scores.mean()))
        for name, values in taken_off(self.config.shaping, premises, replies, whole).items():
            scores = scores - values
            log(name, float(values.mean()))
        groups = scores.reshape(-1, self.config.num_generations)
        if self.config.cut_off == "worst":
            groups = np.where(np.asarray(whole).reshape(groups.shape), groups, groups.min(axis=1, keepdims=True))
        log("within_group_spread", float(groups.std(axis=1, ddof=1).mean()))
        log("dead_groups", float(dead(groups).mean()))
        log("repetition", float(np.mean([repetition(reply) for reply in replies])))
        log("distinct", distinct(replies))
        rewards = groups.ravel()
        if step % self.config.sample_every == 0:
            first = slice(0, self.config.num_generations)
            row = {"step": step, "premise": premises[0], "replies": replies[first], "rewards": rewards[first].tolist()}
            if self.independent is not None:
                others = self._scores(self.independent, "The independent judge", premises, replies, step)
                log("independent_score", float(others.mean()))
                row["independent"] = others[first].tolist()
            append_jsonl(self.run.path / "samples.jsonl", row)
        return rewards

    def _scores(self, judge: Reward, name: str, premises: list[str], replies: list[str], step: int) -> NDArray[np.float64]:
        with self.clock.part("judge"):
            scores = np.asarray(judge(premises, replies), dtype=np.float64)
        if not np.all(np.isfinite(scores)):
            raise SuasionError(f"{name} gave a score that is not a number.", where=f"step {step}", hint="Audit the judge: `suasion audit`.")
        return scores


def in_order(premises: Sequence[str], number: int, seed: int) -> list[str]:
    """``number`` premises: all of them, each pass in a new seeded order, again and again.

    All passes in one table, because TRL's sampler does not keep in a checkpoint which pass it was in: a run resumed in the second would
    go through it in the order of the first.
    """
    distinct, draw = list(dict.fromkeys(premises)), random.Random(seed)
    order: list[str] = []
    while len(order) < number:
        order += draw.sample(distinct, len(distinct))
    return order[:number]
