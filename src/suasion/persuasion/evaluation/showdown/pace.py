"""How soon each contender came to a given reward, by tokens and by seconds, and how smooth its way was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from suasion.persuasion.evaluation.showdown.practice_curves import Curve, Reached, over_seeds, reached, target_of
from suasion.runs.report import Table
from suasion.statistics import Estimate


@dataclass(frozen=True)
class Pace:
    """By arm; arms that draw before they learn have no curve and are not in it."""

    target: float | None
    """None: nobody's reward rose, or there were fewer steps than the window."""
    reached: Mapping[str, Sequence[Reached]]
    """Arm -> each seed."""
    roughness: Mapping[str, Estimate]
    """Arm -> standard deviation of the reward's differences from step to step, over seeds."""

    def told(self, window: int) -> list[str]:
        """In sentences."""
        if not self.roughness:
            return ["No contender has enough steps that draw replies, so there are no curves."]
        rough = (
            "Smoothness is the standard deviation of the reward's differences from step to step: less is smoother. The premises of a step "
            "are the same for all methods with the same seed, so that they make nobody's curve rougher."
        )
        if self.target is None:
            return [f"No contender's reward rose over {window} steps, so there is no level of which to say how soon it was reached.", rough]
        return [
            f"The level is a reward of {self.target:.3g} (mean of the last {window} steps), by default halfway from where the contenders "
            "started to the best that any of them came to.",
            rough,
        ]

    def tables(self) -> list[Table]:
        """Of arms."""
        rows = []
        for arm, rough in self.roughness.items():
            seeds = self.reached.get(arm, ())
            came = [one for one in seeds if one.tokens is not None and one.seconds is not None]
            rows.append(
                (
                    arm,
                    f"{len(came)} of {len(seeds)}" if seeds else None,
                    median(one.tokens or 0 for one in came) if came else None,
                    median(one.seconds or 0.0 for one in came) if came else None,
                    rough.value,
                    rough.interval() if rough.n > 1 else "unknown (one seed)",
                )
            )
        if not rows:
            return []
        columns = ("contender", "seeds that reached it", "tokens (median)", "seconds (median)", "roughness", "95 % interval over seeds")
        return [Table(columns, rows, "Medians over the seeds that reached the level.")]

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "target": self.target,
            "reached": {
                arm: [{"contender": one.name, "step": one.step, "tokens": one.tokens, "seconds": one.seconds} for one in seeds]
                for arm, seeds in self.reached.items()
            },
            "roughness": {arm: one.as_dict() for arm, one in self.roughness.items()},
        }


def pace_of(curves: Sequence[Curve], arms: Sequence[str], window: int, target: float | None) -> Pace:
    """Of all contenders.

    Args:
        target: the reward to be reached; None chooses one (see :func:`target_of`).
    """
    level = target_of(curves, window, target)
    came: dict[str, list[Reached]] = {}
    rough: dict[str, Estimate] = {}
    for arm in arms:
        own = [one for one in curves if one.arm == arm]
        values = [value for one in own if (value := one.roughness()) is not None]
        if values:
            rough[arm] = over_seeds(values)
            came[arm] = [] if level is None else [reached(one, level, window) for one in own]
    return Pace(level, came, rough)
