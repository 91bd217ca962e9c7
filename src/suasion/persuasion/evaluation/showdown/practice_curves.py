"""Practice as it went: what each contender spent, how soon it came to a given reward, how smoothly, and where it stood at equal tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from suasion.persuasion.evaluation.contest import Contest
from suasion.persuasion.evaluation.showdown.crossed import between, combined
from suasion.statistics import Estimate


@dataclass(frozen=True)
class Curve:
    """One contender's practice, by step. Lists of equal length; no steps for a method that draws nothing while it learns."""

    name: str
    arm: str
    rewards: list[float]
    """The judge's mean score of the replies drawn at each step, before shaping."""
    tokens: list[int]
    """Generated up to and with that step."""
    seconds: list[float]
    judge_calls: int
    """In all; likewise the next two."""
    generated_tokens: int
    elapsed: float

    def smoothed(self, window: int) -> list[float]:
        """Means over the last ``window`` steps; the first is that of step ``window``."""
        return [fmean(self.rewards[end - window : end]) for end in range(window, len(self.rewards) + 1)]

    def roughness(self) -> float | None:
        """Standard deviation of the differences from step to step."""
        return float(np.diff(self.rewards).std(ddof=1)) if len(self.rewards) > 2 else None


@dataclass(frozen=True)
class Reached:
    """When a contender's smoothed reward first came to the target; None: it did not."""

    name: str
    step: int | None
    tokens: int | None
    seconds: float | None


def curve(name: str, arm: str, rows: Sequence[Mapping[str, Any]]) -> Curve:
    """From a run's metrics."""
    drawn = [row for row in rows if isinstance(row.get("judge_score"), float) and "generated_tokens" in row]
    last: Mapping[str, Any] = next((row for row in reversed(rows) if "generated_tokens" in row), {})
    return Curve(
        name,
        arm,
        [row["judge_score"] for row in drawn],
        [int(row["generated_tokens"]) for row in drawn],
        [float(row["elapsed"]) for row in drawn],
        int(last.get("judge_calls", 0)),
        int(last.get("generated_tokens", 0)),
        float(last.get("elapsed", 0.0)),
    )


def curves_of(contest: Contest) -> list[Curve]:
    """Of every contender."""
    return [curve(one.name, one.arm, one.run.metrics()) for one in contest.contenders]


def target_of(curves: Sequence[Curve], window: int, given: float | None) -> float | None:
    """The reward to reach: the one given, or halfway from where the contenders started (on average) to the best that any came to. None
    where nobody rose, or nobody has as many steps as the window."""
    if given is not None:
        return given
    smoothed = [values for one in curves if (values := one.smoothed(window))]
    if not smoothed:
        return None
    start, best = fmean(values[0] for values in smoothed), max(max(values) for values in smoothed)
    return start + (best - start) / 2 if best > start else None


def reached(one: Curve, target: float, window: int) -> Reached:
    """When the mean over the last ``window`` steps came to the target."""
    for place, value in enumerate(one.smoothed(window)):
        if value >= target:
            at = place + window - 1
            return Reached(one.name, at + 1, one.tokens[at], one.seconds[at])
    return Reached(one.name, None, None, None)


def at_tokens(one: Curve, tokens: int, window: int) -> float | None:
    """The smoothed reward when the contender had generated ``tokens``; None before its first window, or without steps."""
    within = [place for place, spent in enumerate(one.tokens) if spent <= tokens]
    if not within or within[-1] + 1 < window:
        return None
    return one.smoothed(window)[within[-1] + 1 - window]


def over_seeds(values: Sequence[float]) -> Estimate:
    """Mean over seeds with a 95 % interval by the t distribution; unbounded for a single seed."""
    if not values:
        return Estimate(float("nan"), float("nan"), float("nan"), 0, 0)
    mean, part = fmean(values), between(list(values))
    if part.freedom == 0:
        return Estimate(mean, float("-inf"), float("inf"), len(values), len(values))
    half = combined([part]).half_width
    return Estimate(mean, mean - half, mean + half, len(values), len(values))
