"""The data card's pictures, one for each thing that it claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from suasion.persuasion.mining.card.giveaways import UNKNOWN, Measured
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from suasion.persuasion.mining.pairs.balance import Measure
    from suasion.persuasion.mining.pairs.matching import Pair

Row = tuple[str, Mapping[str, Estimate]]


@dataclass(frozen=True)
class Material:
    """What is drawn. An empty part has no picture."""

    kept: Mapping[str, tuple[int, int]]
    """Step → how many were kept of how many."""
    stages: Mapping[str, Estimate]
    """Stage → how often the longer reply is the winner."""
    any_loser: Sequence[float]
    """ln(length of a winner / length of any loser of its debate)."""
    pairs: Mapping[str, Sequence[Pair]]
    length_auc: Mapping[str, Mapping[Measure, Estimate]]
    """Split → words, tokens."""
    giveaways: Mapping[str, Mapping[str, Measured]]
    """Split → giveaway."""
    matching_cost: Mapping[str, Mapping[str, int]]
    """Way of matching → stage → pairs."""
    created: Mapping[str, Sequence[int]]
    """Split → seconds since 1970 of its debates."""
    best_of_four: Mapping[str, Estimate]
    """Rule and split → how often it finds the winner."""
    cleaning: Mapping[str, int]


def draw(folder: Path, material: Material) -> dict[str, str]:
    """Write the pictures into ``folder``; return the title of each by its name (the file is ``name.png``)."""
    from suasion.runs import plots

    titles = {}
    for name, (title, figure) in _figures(material).items():
        plots.save(figure, folder / f"{name}.png")
        titles[name] = title
    return titles


def forest(title: str, rows: Sequence[Row], reference: float, xlabel: str, faint: Sequence[tuple[str, str]] = ()) -> Figure:
    """One row a label, in it a point and its 95 % interval for each series; ``reference`` is a dashed line.

    Args:
        title: of the picture.
        rows: label, and series → estimate. A series without a number is left out; a label without any is said to be unknown.
        reference: where nothing would be told; the axis reaches equally far on both sides of it.
        xlabel: what the numbers are.
        faint: (label, series) of estimates that nothing should be read out of: drawn pale, and the axis does not stretch for them.
    """
    from suasion.runs.plots import PALETTE, _figure

    series = list(dict.fromkeys(name for _, estimates in rows for name in estimates))
    figure, (panel,) = _figure(title, size=(7.2, 1.2 + 0.13 * max(1, len(rows)) * (1 + len(series))))
    known = {(label, name): one for label, estimates in rows for name, one in estimates.items() if one.n}
    firm = {place: one for place, one in known.items() if place not in faint} or known
    reach = max([0.05, *(abs(end - reference) for one in firm.values() for end in (one.low, one.high, one.value))]) * 1.08
    for row, (label, estimates) in enumerate(rows):
        if not any(one.n for one in estimates.values()):
            panel.text(reference, row, " not known", va="center", color=PALETTE[-1], fontsize=9)
        for place, (name, one) in enumerate(estimates.items()):
            if one.n:
                y = row + (place - (len(series) - 1) / 2) * 0.24
                look: dict[str, Any] = {"color": PALETTE[series.index(name)], "alpha": 0.35 if (label, name) in faint else 1.0}
                ends = np.clip([one.low, one.high], reference - reach, reference + reach)
                panel.plot(ends, [y, y], linewidth=1.6, solid_capstyle="butt", **look)
                panel.plot([one.value], [y], marker="o", markersize=4.5, linestyle="", **look)
    for index, name in enumerate(series):
        panel.plot([], [], marker="o", markersize=4.5, linewidth=1.6, color=PALETTE[index], label=name)
    panel.axvline(reference, color="#1b2430", linewidth=1.1, linestyle="--", zorder=0.5)
    panel.set_xlim(reference - reach, reference + reach)
    panel.set_yticks(range(len(rows)), [label for label, _ in rows])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.set_xlabel(xlabel)
    panel.grid(visible=False, axis="y")
    figure.legend(frameon=False, fontsize=9, ncols=max(1, len(series)), loc="outside lower right")
    return figure


def _figures(material: Material) -> dict[str, tuple[str, Figure]]:
    from suasion.runs import plots

    pairs = [pair for split in SPLITS for pair in material.pairs[split]]
    counts = {f"{step}: {kept} of {given}": kept for step, (kept, given) in material.kept.items()}
    shown: dict[str, tuple[str, Figure]] = {}

    def bars(name: str, title: str, numbers: Mapping[str, Estimate], reference: float | None = None, xlabel: str = "") -> None:
        shown[name] = title, plots.bars(list(numbers), list(numbers.values()), title, reference, xlabel)

    def histogram(name: str, title: str, series: Mapping[str, Sequence[float]], xlabel: str, bins: int = 30) -> None:
        shown[name] = title, plots.histogram(series, title, xlabel, bins)

    bars("funnel", "Kept at each step", _plain(counts))
    bars("longer-wins", "How often the longer reply is the winner", material.stages, 0.5, "share of winners that are longer, ties half")
    ratios = {"any loser of the debate": material.any_loser, "pairs": [pair.log_ratio for pair in pairs]}
    histogram("length-ratio", "Length of winner against loser", ratios, "ln(length of winner / length of loser)")
    for measure in ("words", "tokens"):
        sides = {
            f"{side}s": [number for pair in pairs if (number := getattr(getattr(pair, side), measure)) is not None]
            for side in ("winner", "loser")
        }
        if any(sides.values()):
            histogram(measure, f"Length of the replies in pairs, in {measure}", sides, measure)
    kinds: tuple[Measure, ...] = ("words", "tokens")
    lengths: list[Row] = [(kind, {split: material.length_auc[split][kind] for split in SPLITS}) for kind in kinds]
    title = "Does length tell winners from losers?"
    shown["length-auc"] = title, forest(title, lengths, 0.5, "chance that any winner is longer than any loser (AUC)")
    names = list(dict.fromkeys(name for measured in material.giveaways.values() for name in measured))
    table: list[Row] = [(name, {split: material.giveaways[split][name].share for split in SPLITS}) for name in names]
    faint = [(name, split) for name in names for split in SPLITS if material.giveaways[split][name].verdict == UNKNOWN]
    title = "What else could give the winner away?"
    shown["giveaways"] = title, forest(title, table, 0.5, "share of pairs whose winner has more of it, ties half", faint)
    if cost := {f"{way}, {stage}": n for way, stages in material.matching_cost.items() for stage, n in stages.items()}:
        bars("matching-cost", "Pairs that each way of matching keeps", _plain(cost), xlabel="pairs")
    if any(material.created.values()):
        years = {split: [_year(seconds) for seconds in times] for split, times in material.created.items()}
        histogram("time", "When the debates of each split began", years, "year", bins=15)
    if material.best_of_four:
        bars("best-of-four", "Does length find the winner among four?", material.best_of_four, 0.25, "how often the rule finds the winner")
    if material.cleaning:
        bars("cleaning", "Texts that each rule of cleaning changed", _plain(material.cleaning), xlabel="texts")
    return shown


def _plain(counts: Mapping[str, int]) -> dict[str, Estimate]:
    """Counts as bars: they have no interval."""
    nan = float("nan")
    return {label: Estimate(n, nan, nan, n, 0) for label, n in counts.items()}


def _year(seconds: int) -> float:
    return 1970 + seconds / 31_556_952  # a Gregorian year, on average; no time is too far off for a division
