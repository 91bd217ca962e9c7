"""What a practice has spent so far, as columns of its log: judge calls, generated tokens, seconds. It is by these that methods compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from suasion.runs import ranks

if TYPE_CHECKING:
    from suasion.runs.run import Run
    from suasion.training.settings import OnlineConfig


@dataclass(frozen=True)
class Drawn:
    """What drawing and judging replies cost before the first step of training: nothing, or that of judged pairs."""

    judge_calls: int = 0
    generated_tokens: int = 0
    elapsed: float = 0.0
    """Seconds."""


NOTHING = Drawn()


class Spent:
    """Adds up, from the numbers of each logged step.

    Args:
        replies: drawn and judged in a step, by all processes; 0 where nothing is drawn.
        begin: step at which training begins.
        past: rows logged already, of a practice that goes on.
        before: what was spent before the first step.
        clock: seconds, monotonic.

    ``judge_calls`` is exact. ``generated_tokens`` is each logged step's mean reply length times its replies: exact where every step is
    logged. ``elapsed`` leaves out the time between a kill and the practice that goes on, and what the kill destroyed.
    """

    def __init__(
        self,
        replies: int,
        begin: int = 0,
        past: Iterable[Mapping[str, Any]] = (),
        before: Drawn = NOTHING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.replies, self.before, self.clock = replies, before, clock
        self.step, self.tokens, self.seconds = 0, before.generated_tokens, before.elapsed
        for row in past:
            if row["step"] <= begin and "generated_tokens" in row:
                self.step, self.tokens, self.seconds = row["step"], row["generated_tokens"], row["elapsed"]
        self.started = clock() - self.seconds

    def measure(self, step: int, numbers: Mapping[str, float]) -> dict[str, float]:
        """The columns of a step: ``judge_calls``, ``generated_tokens`` and ``elapsed``, each since practice began.

        Args:
            numbers: with ``reply_tokens``, the mean length of the replies since the step logged before, where replies are drawn.
        """
        self.tokens += round(numbers.get("reply_tokens", 0.0) * self.replies * (step - self.step))
        self.step = step
        return {
            "judge_calls": self.before.judge_calls + self.replies * step,
            "generated_tokens": self.tokens,
            "elapsed": round(self.clock() - self.started, 3),
        }


def spending(config: OnlineConfig, run: Run) -> Callable[[int], Spent]:
    """What makes the account of a run's practice, given the step it goes on from."""
    return lambda begin: Spent(config.replies_per_step * ranks.size(), begin, run.metrics())


def spent_before(before: Drawn, run: Run) -> Callable[[int], Spent]:
    """The same where nothing is drawn any more once training has begun."""
    return lambda begin: Spent(0, begin, run.metrics(), before)
