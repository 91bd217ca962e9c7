"""The pictures of a study's report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from suasion.persuasion.arena.anytime import Sequence95
from suasion.persuasion.arena.ballots import Ballot
from suasion.persuasion.arena.clustering import Clustered
from suasion.persuasion.arena.judges import SPLITS, JudgeAgreement
from suasion.persuasion.arena.power import Plan, detectable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK = "#1b2430"
#: Colour and marker of the series, told apart without colours too.
_LOOKS = ((0, "o"), (1, "D"), (2, "s"), (3, "^"))
_MOST_PANELS = 6


def forest(
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[Clustered]]],
    title: str,
    xlabel: str,
    reference: float,
    truth: Sequence[float] = (),
) -> Figure:
    """One row a label, in it a dot and a 95 % interval a series; ``truth`` (of a simulation) is a short upright line."""
    from suasion.runs.plots import PALETTE, _figure, _fit

    figure, (panel,) = _figure(title, size=(7.2, 1.2 + max(0.46, 0.2 * len(series)) * max(1, len(labels))))
    panel.axvline(reference, color="#55606d", linewidth=1.0, linestyle="--", zorder=0.5)
    for number, (name, estimates) in enumerate(series):
        colour, marker = _LOOKS[number % len(_LOOKS)]
        shift = 0.22 * (number - (len(series) - 1) / 2)
        for row, one in enumerate(estimates):
            if not math.isfinite(one.value):
                continue
            if math.isfinite(one.low) and math.isfinite(one.high):
                panel.plot([one.low, one.high], [row + shift] * 2, color=PALETTE[colour], linewidth=1.8, solid_capstyle="butt")
            panel.plot([one.value], [row + shift], marker=marker, markersize=5.5, linestyle="", color=PALETTE[colour])
        panel.plot([], [], marker=marker, color=PALETTE[colour], linewidth=1.8, label=name)
    for row, value in enumerate(truth):
        panel.plot([value, value], [row - 0.36, row + 0.36], color=_INK, linewidth=1.6)
    if len(truth):
        panel.plot([], [], marker="|", markersize=10, linestyle="", color=_INK, label="what was simulated")
    panel.set_yticks(range(len(labels)), [_fit(label) for label in labels])
    panel.set_ylim(len(labels) - 0.4, -0.6)
    panel.set_xlabel(xlabel)
    panel.grid(visible=False, axis="y")
    figure.legend(frameon=False, fontsize=9, ncols=4, loc="outside lower right")
    return figure


def sequences(found: Sequence[Sequence95], title: str, middle: float) -> Figure:
    """The mean over raters and its anytime-valid interval after each rater, a panel a pair of systems (the first six)."""
    from suasion.runs.plots import PALETTE, _figure, _fit, _say_empty

    shown = found[:_MOST_PANELS]
    columns = min(3, max(1, len(shown)))
    figure, panels = _figure(title, rows=math.ceil(len(shown) / columns) or 1, columns=columns, size=(3.6, 2.6))
    for panel, one in zip(panels, shown, strict=False):
        panel.set_title(_fit(f"{one.system} over {one.other}"), fontsize=10, color=_INK, loc="left")
        panel.axhline(middle, color=PALETTE[1], linewidth=1.2, linestyle="--")
        raters = np.arange(1, len(one.means) + 1)
        panel.fill_between(raters, one.lows, one.highs, color=PALETTE[0], alpha=0.18, step="post", linewidth=0)
        panel.plot(raters, one.means, color=PALETTE[0], linewidth=1.8)
        if middle == 0.5:
            panel.set_ylim(0, 1)
        panel.set_xlabel("raters")
        if not len(raters):
            _say_empty(panel)
    for panel in panels[len(shown) :]:
        panel.set_visible(False)
    return figure


def judges(found: Sequence[JudgeAgreement], title: str) -> Figure:
    """How often each judge agrees with people: in total, and where people took the longer, the shorter, or one about as long."""
    series = [(split, [one.shares[split] for one in found]) for split in SPLITS]
    return forest([one.judge for one in found], series, title, "share of people's verdicts that the judge shares", 0.5)


def times(ballots: Sequence[Ballot], title: str) -> Figure:
    """Seconds a ballot; the slowest twentieth is left out, so that one who went for lunch does not hide the rest."""
    from suasion.runs.plots import histogram

    seconds = np.array([ballot.seconds for ballot in ballots if ballot.kind == "ballot"])
    if seconds.size:
        seconds = seconds[seconds <= np.quantile(seconds, 0.95)]
    return histogram({"ballots": seconds}, title, "seconds")


def reach(plan: Plan, title: str) -> Figure:
    """The smallest win rate that is probably found by many raters, against ballots a pair; the study's own place is marked."""
    from suasion.runs.plots import PALETTE, _figure

    figure, (panel,) = _figure(title, size=(5.6, 3.2))
    numbers = np.geomspace(20, max(2000.0, 2 * plan.ballots), 200)
    panel.plot(numbers, [detectable(number / plan.design_effect) for number in numbers], color=PALETTE[0], linewidth=1.8)
    panel.plot([plan.ballots], [plan.detectable], marker="o", markersize=7, color=PALETTE[1], linestyle="", label="this study")
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(lambda number, _: f"{number:,.0f}")
    panel.set_xlabel("ballots for one pair of systems")
    panel.set_ylabel("win rate that is found")
    panel.legend(frameon=False, fontsize=9)
    return figure
