"""Plots in one house style. Figures are drawn without pyplot, so there is no global state; the same numbers give the same bytes."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from suasion.files import atomic_path
from suasion.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b6470")  # Okabe & Ito: told apart by colour-blind eyes too
_INK, _QUIET, _GRID = "#1b2430", "#55606d", "#e2e6ea"
_DPI = 144

Line = tuple[Sequence[float], Sequence[float]]
"""The x and the y of a line's points."""


def curves(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], title: str, x: str = "step") -> Figure:
    """One panel a key over the steps, each with its own scale: reward, length and KL share no unit.

    Args:
        rows: as ``Run.metrics()`` gives them; a row without a key (or with None) leaves a gap.
    """
    columns = min(3, max(1, len(keys)))
    figure, panels = _figure(title, rows=math.ceil(len(keys) / columns) or 1, columns=columns, size=(3.6, 2.5))
    for panel, key, number in zip(panels, keys, range(len(keys)), strict=False):
        points = [(row[x], row[key]) for row in rows if _is_number(row.get(x)) and _is_number(row.get(key))]
        panel.set_title(_literal(key.replace("_", " ")), fontsize=10, color=_INK, loc="left")
        panel.set_xlabel(x)
        if points:
            steps, values = zip(*points, strict=True)
            dots = "o" if len(points) < 25 else ""
            panel.plot(steps, values, color=PALETTE[number % len(PALETTE)], linewidth=1.8, marker=dots, markersize=3.5)
        else:
            _say_empty(panel)
    for panel in panels[len(keys) :]:
        panel.set_visible(False)
    return figure


def histogram(series: Mapping[str, ArrayLike], title: str, xlabel: str, bins: int | Sequence[float] = 30) -> Figure:
    """Histograms of several series over the same bins, as shares of each series, so that unequal sizes can be compared."""
    figure, (panel,) = _figure(title, size=(6.4, 3.6))
    numbers = {label: _finite(values) for label, values in series.items()}
    everything = np.concatenate([*numbers.values(), np.empty(0)])
    panel.set_xlabel(xlabel)
    panel.set_ylabel("share")
    if everything.size == 0:
        _say_empty(panel)
        return figure
    edges = np.histogram_bin_edges(everything, bins=bins)
    for (label, values), colour in zip(numbers.items(), _colours(len(numbers)), strict=True):
        if values.size:
            shares = np.histogram(values, edges)[0] / values.size
            panel.stairs(shares, edges, fill=True, color=colour, alpha=0.18)
            panel.stairs(shares, edges, color=colour, linewidth=1.8, label=f"{label} (n = {values.size})")
    panel.set_ylim(bottom=0)
    panel.legend(frameon=False, fontsize=9)
    return figure


def bars(labels: Sequence[str], estimates: Sequence[Estimate], title: str, reference: float | None = None, xlabel: str = "") -> Figure:
    """Horizontal bars from zero, each with its 95 % interval; ``reference`` (0.5 for a coin, say) is a dashed line.

    An interval without an end runs to the edge of the plot; a value that is not known is said to be so.
    """
    figure, (panel,) = _figure(title, size=(6.8, 1.3 + 0.42 * max(1, len(labels))))
    finite = [number for one in estimates for number in (one.value, one.low, one.high) if math.isfinite(number)]
    low, high = min([0.0, *finite]), max([0.0, *finite, reference or 0.0]) or 1.0
    edge = (high - low) * 0.06
    low, high = low - edge * (low < 0), high + edge
    for row, one in enumerate(estimates):
        if not math.isfinite(one.value):
            panel.text(0, row, " not known", va="center", color=_QUIET, fontsize=9)
            continue
        panel.barh(row, one.value, height=0.58, color=PALETTE[0], alpha=0.85)
        if not (math.isnan(one.low) or math.isnan(one.high)):
            panel.plot([max(one.low, low), min(one.high, high)], [row, row], color=_INK, linewidth=1.4, solid_capstyle="butt")
            ends = [number for number in (one.low, one.high) if math.isfinite(number)]
            panel.plot(ends, [row] * len(ends), color=_INK, linestyle="", marker="|", markersize=8)
    if reference is not None:
        panel.axvline(reference, color=PALETTE[1], linewidth=1.3, linestyle="--")
    panel.set_xlim(low, high)
    panel.set_yticks(range(len(labels)), [_fit(label) for label in labels])
    panel.set_ylim(len(labels) - 0.4, -0.6)
    panel.set_xlabel(xlabel)
    panel.grid(visible=False, axis="y")
    return figure


def overlaid(lines: Mapping[str, Sequence[Line]], title: str, xlabel: str, ylabel: str) -> Figure:
    """Several lines a name in one panel: thin ones, and where a name has more than one a thick one, their mean where all of them are.

    Args:
        lines: name -> lines, each the x and the y of its points, x rising.
    """
    figure, (panel,) = _figure(title, size=(6.8, 3.8))
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    for (label, several), colour in zip(lines.items(), _colours(len(lines)), strict=True):
        for x, y in several:
            width, faint = (1.8, 1.0) if len(several) == 1 else (0.9, 0.45)
            panel.plot(x, y, color=colour, linewidth=width, alpha=faint, label=label if len(several) == 1 else None)
        if len(several) > 1:
            first, last = max(x[0] for x, _ in several), min(x[-1] for x, _ in several)
            grid = np.linspace(first, last, 100) if last > first else np.asarray([first])
            mean = np.mean([np.interp(grid, x, y) for x, y in several], axis=0)
            panel.plot(grid, mean, color=colour, linewidth=2.4, label=f"{label} ({len(several)})")
    if lines:
        panel.legend(frameon=False, fontsize=9)
    else:
        _say_empty(panel)
    return figure


def stacked(
    labels: Sequence[str], series: Mapping[str, Sequence[Sequence[float]]], title: str, parts: Sequence[str], xlabel: str
) -> Figure:
    """A panel for each of ``series`` with a bar at each of ``labels``, in pieces that stand on one another: what a whole is made of, and
    how that changes.

    Args:
        series: panel's title -> for each label the size of each part, shape (labels, parts). All panels share one scale.
        parts: names of the pieces, from the bottom up; those that are nowhere are left out of the legend.
    """
    columns = min(3, max(1, len(series)))
    figure, panels = _figure(title, rows=math.ceil(len(series) / columns) or 1, columns=columns, size=(4.0, 2.6))
    places = np.arange(len(labels))
    tallest = max([sum(row) for rows in series.values() for row in rows], default=0.0) or 1.0
    sizes = {name: np.asarray(rows, dtype=np.float64).reshape(len(labels), len(parts)) for name, rows in series.items()}
    shown = [part for part in range(len(parts)) if any(table[:, part].any() for table in sizes.values())]
    for panel, (name, table) in zip(panels, sizes.items(), strict=False):
        bottom = np.zeros(len(labels))
        for number, part in enumerate(shown):
            colour, hatch = PALETTE[number % len(PALETTE)], "//" if number >= len(PALETTE) else None
            panel.bar(places, table[:, part], bottom=bottom, color=colour, hatch=hatch, width=0.7, label=_literal(parts[part]))
            bottom += table[:, part]
        panel.set_title(_literal(name), fontsize=10, color=_INK, loc="left")
        panel.set_xticks(places, [_fit(label) for label in labels])
        panel.set_ylim(0, tallest * 1.05)
        panel.set_xlabel(xlabel)
        panel.grid(visible=False, axis="x")
    for panel in panels[len(series) :]:
        panel.set_visible(False)
    if shown and len(parts) > 1:
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=min(4, len(names)), frameon=False, fontsize=9)
    return figure


def tracks(
    series: Mapping[str, Sequence[tuple[float, Estimate]]], title: str, xlabel: str, limits: Mapping[str, float] | None = None
) -> Figure:
    """A panel for each of ``series``: an estimate over ``x`` with its 95 % interval as a band; ``limits`` are dashed lines.

    Where an end of an interval is not known or infinite, there is no band.
    """
    columns = min(3, max(1, len(series)))
    figure, panels = _figure(title, rows=math.ceil(len(series) / columns) or 1, columns=columns, size=(3.6, 2.5))
    for panel, (name, points), number in zip(panels, series.items(), range(len(series)), strict=False):
        panel.set_title(_literal(name), fontsize=10, color=_INK, loc="left")
        panel.set_xlabel(xlabel)
        colour = PALETTE[number % len(PALETTE)]
        known = [(x, one) for x, one in points if math.isfinite(one.value)]
        banded = [(x, one.low, one.high) for x, one in known if math.isfinite(one.low) and math.isfinite(one.high)]
        if banded:
            x, low, high = zip(*banded, strict=True)
            panel.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        if known:
            panel.plot([x for x, _ in known], [one.value for _, one in known], color=colour, linewidth=1.8, marker="o", markersize=3.5)
            panel.set_xticks([x for x, _ in known])
        else:
            _say_empty(panel)
        if limits and name in limits:
            panel.axhline(limits[name], color=PALETTE[1] if number != 1 else _INK, linewidth=1.3, linestyle="--")
    for panel in panels[len(series) :]:
        panel.set_visible(False)
    return figure


def scatter(x: ArrayLike, y: ArrayLike, title: str, xlabel: str, ylabel: str) -> Figure:
    """Points, fainter the more there are; a point without a finite place is left out."""
    figure, (panel,) = _figure(title, size=(5.6, 4.0))
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    seen = np.isfinite(first) & np.isfinite(second)
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    if seen.any():
        faint = float(np.clip(8 / np.sqrt(seen.sum()), 0.15, 0.8))
        panel.scatter(first[seen], second[seen], s=16, color=PALETTE[0], alpha=faint, linewidths=0)
    else:
        _say_empty(panel)
    return figure


def save(figure: Figure, path: Path) -> Path:
    """Write the figure as PNG, whole or not at all; return the path."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(_png(figure))
    return path


def inline(figure: Figure) -> str:
    """The figure as a data URI (PNG), for a report that needs no other file."""
    return inlined(_png(figure))


def inlined(png: bytes) -> str:
    """A PNG file's bytes as a data URI."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI, metadata={"Software": None})  # the version in the file would change its bytes
    return buffer.getvalue()


def _figure(title: str, *, size: tuple[float, float], rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] * columns, size[1] * rows + 0.4), layout="constrained", facecolor="white")
    figure.suptitle(_literal(title), x=0.01, ha="left", fontsize=12, fontweight="bold", color=_INK)
    panels = list(np.atleast_1d(figure.subplots(rows, columns)).flat)
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.spines[["left", "bottom"]].set_color(_QUIET)
        panel.tick_params(colors=_QUIET, labelsize=9)
        panel.xaxis.label.set(color=_QUIET, fontsize=10)
        panel.yaxis.label.set(color=_QUIET, fontsize=10)
        panel.grid(color=_GRID, linewidth=0.8)
        panel.set_axisbelow(True)
    return figure, panels


def _colours(count: int) -> list[str]:
    return [PALETTE[index % len(PALETTE)] for index in range(count)]


def _say_empty(panel: Axes) -> None:
    panel.text(0.5, 0.5, "no data", transform=panel.transAxes, ha="center", va="center", color=_QUIET)


def _finite(values: ArrayLike) -> np.ndarray:
    numbers = np.asarray(values, dtype=np.float64).ravel()
    return numbers[np.isfinite(numbers)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _literal(text: str) -> str:
    """Text as it is: a dollar sign of a debate's title must not begin a formula."""
    return text.replace("$", r"\$")


def _fit(label: str) -> str:
    return _literal(label if len(label) <= 44 else label[:43] + "…")
