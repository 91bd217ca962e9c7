"""The pictures of the length trap: practice step by step, what came of it, and dose and response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suasion.persuasion.evaluation.contest import Contest
from suasion.persuasion.evaluation.length_trap.numbers import PARENT, ArmNumbers
from suasion.runs import plots
from suasion.runs.plots import Line
from suasion.runs.report import Picture, kept_picture
from suasion.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WINDOW = 5
_FEWEST_DOSES = 3


def practice_pictures(contest: Contest) -> list[Picture]:
    """Length, reward and the other judges' scores over the steps, smoothed over five of them."""
    folder = contest.run.path
    length = plots.overlaid(_lines(contest, "reply_tokens"), "Length of the replies in practice", "step", "tokens, mean of 5 steps")
    reward = plots.overlaid(
        _lines(contest, "reward"), "What each writer was rewarded for", "step", "its own judge's score, mean of 5 steps"
    )
    drawn = [
        kept_picture(length, folder, "length", "Mean length of the replies drawn in practice; one line a seed."),
        kept_picture(reward, folder, "reward", "Each judge has a scale of its own: only the direction of a curve can be compared."),
    ]
    for seat in contest.judges:
        lines = {arm: found for arm in contest.arms if (found := _kept(contest, arm, seat.label))}
        if lines:
            title = f"The same practice as {seat.label} sees it"
            figure = plots.overlaid(lines, title, "step", "score, mean of 5 samples")
            by = f"the judge of {', '.join(seat.practised_by)}" if seat.practised_by else "a judge that nobody practised against"
            drawn.append(kept_picture(figure, folder, f"seen-by-{seat.label}", f"Kept samples of practice, scored afterwards by {by}."))
    return drawn


def outcome_pictures(contest: Contest, arms: Sequence[ArmNumbers]) -> list[Picture]:
    """Lengths on held-out premises, and growth with its intervals."""
    folder = contest.run.path
    (parent,) = contest.of(PARENT)
    words = {"before practice": parent.words.ravel()}
    words |= {arm.name: np.concatenate([one.words.ravel() for one in contest.of(arm.name)]) for arm in arms}
    heights = plots.histogram(words, "Words a reply, on held-out premises", "words", bins=20)
    growth = plots.bars([arm.name for arm in arms], [arm.growth for arm in arms], "Growth by practice", 0.0, "words a reply")
    labels = [f"{arm.name} by {label}" for arm in arms for label in arm.gains]
    gains = plots.bars(labels, [one for arm in arms for one in arm.gains.values()], "Gained by practice", 0.0, "spreads of that judge")
    return [
        kept_picture(heights, folder, "words", "All replies of all seeds."),
        kept_picture(growth, folder, "growth", "Against the writer before practice, within a premise; 95 % intervals."),
        kept_picture(gains, folder, "gains", "What each judge thinks of each writer, against the writer before practice; 95 % intervals."),
    ]


def dose_picture(contest: Contest, arms: Sequence[ArmNumbers]) -> list[Picture]:
    """Degree of bias against what the audit measured and against growth; only where there are several degrees."""
    known = [(arm.longer_wins.value, arm) for arm in arms if arm.longer_wins]
    if len({dose for dose, _ in known}) < _FEWEST_DOSES:
        return []
    known.sort(key=lambda one: one[0])
    figure = _panels([dose for dose, _ in known], [arm for _, arm in known])
    return [kept_picture(figure, contest.run.path, "dose", "Left: known before practice. Right: what practice did. 95 % intervals.")]


def _panels(doses: Sequence[float], arms: Sequence[ArmNumbers]) -> Figure:
    figure, panels = plots._figure("Degree of bias, audit, and rambling", size=(3.8, 3.2), columns=2)
    nothing = Estimate(float("nan"), float("nan"), float("nan"), 0, 0)
    for panel, title, found in (
        (panels[0], "audit: score follows length", [arm.correlation or nothing for arm in arms]),
        (panels[1], "practice: growth in words", [arm.growth for arm in arms]),
    ):
        panel.set_title(title, fontsize=10, loc="left")
        panel.set_xlabel("share of pairs in which the longer one wins")
        panel.axhline(0, color=plots.PALETTE[-1], linewidth=0.9)
        for place, (dose, one) in enumerate(zip(doses, found, strict=True)):
            if np.isfinite([one.low, one.high]).all():
                panel.plot([dose, dose], [one.low, one.high], color=plots.PALETTE[place % len(plots.PALETTE)], linewidth=1.6)
            panel.plot(
                [dose], [one.value], color=plots.PALETTE[place % len(plots.PALETTE)], marker="o", linestyle="", label=arms[place].name
            )
    panels[1].legend(frameon=False, fontsize=8)
    return figure


def _lines(contest: Contest, key: str) -> dict[str, list[Line]]:
    """By arm, a line a seed."""
    found: dict[str, list[Line]] = {}
    for one in contest.contenders:
        rows = [(row["step"], row[key]) for row in one.run.metrics() if isinstance(row.get(key), float)]
        if rows:
            found.setdefault(one.arm, []).append(_smoothed(rows))
    return found


def _kept(contest: Contest, arm: str, judge: str) -> list[Line]:
    """What a judge says of the samples of practice."""
    found = []
    for one in contest.contenders:
        rows = [(row.step, row.scores[judge]) for row in contest.milestones.get(one.name, ()) if judge in row.scores]
        if one.arm == arm and rows:
            found.append(_smoothed(rows))
    return found


def _smoothed(rows: Sequence[tuple[Any, Any]]) -> Line:
    """Mean over the last :data:`_WINDOW` points, of fewer where there are not yet so many."""
    values = np.asarray([value for _, value in rows], dtype=np.float64)
    means = [float(values[max(0, end - _WINDOW) : end].mean()) for end in range(1, len(values) + 1)]
    return [float(step) for step, _ in rows], means
