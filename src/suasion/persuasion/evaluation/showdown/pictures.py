"""The showdown's pictures: reward over tokens and over time with every seed, what the judges say at the end, and win rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from suasion.persuasion.evaluation.showdown.duels import Duel
from suasion.persuasion.evaluation.showdown.practice_curves import Curve
from suasion.runs import plots
from suasion.runs.report import Picture, kept_picture
from suasion.statistics import Estimate


def reward_pictures(curves: Sequence[Curve], window: int, folder: Path) -> list[Picture]:
    """Smoothed reward over generated tokens and over seconds, a line a seed; none where no contender draws while it learns."""
    found = []
    for key, unit, what in (("tokens", "generated tokens", "generated token"), ("seconds", "seconds of practice", "second")):
        lines: dict[str, list[plots.Line]] = {}
        for one in curves:
            values = one.smoothed(window)
            if values:
                lines.setdefault(one.arm, []).append((getattr(one, key)[window - 1 :], values))
        if lines:
            figure = plots.overlaid(lines, f"Reward by {what}", unit, "practice judge's score")
            caption = f"Mean score of the replies drawn, over the last {window} steps. One line a seed; the thick one is their mean."
            found.append(kept_picture(figure, folder, f"reward-by-{key}", caption))
    return found


def means_picture(label: str, means: Mapping[str, Estimate], folder: Path) -> Picture:
    """What one judge gives each system on the held-out premises."""
    figure = plots.bars(list(means), list(means.values()), f"Scores by {label}", xlabel="mean score, 95 % interval over premises and seeds")
    return kept_picture(
        figure, folder, f"scores-{label}", f"Mean score of the held-out replies by {label}. Only differences mean anything."
    )


def duels_picture(label: str, title: str, name: str, duels: Sequence[Duel], folder: Path) -> Picture:
    """Win rates with length taken out."""
    figure = plots.bars(
        [f"{one.one} against {one.other}" for one in duels],
        [one.controlled for one in duels],
        f"{title}, by {label}",
        reference=0.5,
        xlabel="win rate at equal length, 95 % interval over premises and seeds",
    )
    return kept_picture(figure, folder, f"{name}-{label}", "The dashed line is a coin.")
