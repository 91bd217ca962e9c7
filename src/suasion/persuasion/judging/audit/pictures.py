"""The pictures of an audit, each drawn from what ``audit.json`` holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suasion.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDE = 5.0  # gaps beyond which an axis of gains turns logarithmic
#: Colour, sign and name of a verdict: told apart without colours too.
_LOOKS = {True: (0, "o", "passed"), False: (1, "X", "failed"), None: (6, "s", "undecided")}


def estimate_of(told: Mapping[str, Any]) -> Estimate:
    """An estimate out of its JSON; what was not known is NaN."""
    value, low, high = (float("nan") if told[key] is None else float(told[key]) for key in ("value", "low", "high"))
    return Estimate(value, low, high, int(told["n"]), int(told["clusters"]))


def forest(findings: Sequence[Mapping[str, Any]], labels: Sequence[str], title: str, xlabel: str) -> Figure:
    """One row a finding: value, 95 % interval, and a short upright line at its limit; what lies beyond the limit is drawn as failed.

    Args:
        findings: as ``audit.json`` holds them, all in one unit; the limit is ``details["bound"]``.
        labels: of the rows.
    """
    from suasion.runs.plots import PALETTE, _figure, _fit

    figure, (panel,) = _figure(title, size=(7.2, 1.2 + 0.3 * max(1, len(findings))))
    rows = [(estimate_of(one), one["passed"], one.get("details", {}).get("bound")) for one in findings]
    numbers = [number for one, _, bound in rows for number in (one.value, one.low, one.high, bound) if number is not None]
    ends = [0.0, *(number for number in numbers if math.isfinite(number))]
    if max(map(abs, ends)) > _WIDE:
        panel.set_xscale("symlog", linthresh=1.0)
        panel.xaxis.set_major_formatter(lambda number, _: f"{number:g}")
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low) or 1.0
    panel.set_xlim(low - room * (low < 0), high * 1.3 + room if max(map(abs, ends)) > _WIDE else high + room)
    for row, (one, passed, bound) in enumerate(rows):
        colour, marker, _ = _LOOKS[passed]
        if not math.isfinite(one.value):
            panel.text(0, row, " not known", va="center", color=PALETTE[-1], fontsize=9)
            continue
        if math.isfinite(one.low) and math.isfinite(one.high):
            panel.plot([one.low, one.high], [row, row], color=PALETTE[colour], linewidth=1.8, solid_capstyle="butt")
        panel.plot([one.value], [row], marker=marker, markersize=6, linestyle="", color=PALETTE[colour])
        if bound is not None:
            panel.plot([bound, bound], [row - 0.34, row + 0.34], color="#1b2430", linewidth=1.4)
    panel.axvline(0, color="#55606d", linewidth=0.8, zorder=0.5)
    panel.set_yticks(range(len(rows)), [_fit(label) for label in labels])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.set_xlabel(xlabel)
    panel.grid(visible=False, axis="y")
    for colour, marker, name in _LOOKS.values():
        panel.plot([], [], marker=marker, linestyle="", color=PALETTE[colour], label=name)
    panel.plot([], [], marker="|", markersize=10, linestyle="", color="#1b2430", label="limit")
    figure.legend(frameon=False, fontsize=9, ncols=4, loc="outside lower right")
    return figure


def reliability(bins: Sequence[Mapping[str, Any]], title: str) -> Figure:
    """How often the judge is right against how sure it is; on the diagonal it is as sure as it may be. A dot's size tells its pairs.

    Args:
        bins: ``predicted`` (mean certainty) and an estimate of the accuracy, each.
    """
    from suasion.runs.plots import PALETTE, _figure

    figure, (panel,) = _figure(title, size=(5.2, 4.2))
    panel.plot([0.5, 1.0], [0.5, 1.0], color="#1b2430", linewidth=1.1, linestyle="--", zorder=0.5)
    known = [(float(one["predicted"]), estimate_of(one)) for one in bins if one.get("predicted") is not None and one["n"]]
    total = sum(one.n for _, one in known) or 1
    for predicted, one in known:
        ends = np.clip([one.low, one.high], 0, 1)
        panel.plot([predicted, predicted], ends, color=PALETTE[0], linewidth=1.6, solid_capstyle="butt")
        panel.scatter([predicted], [one.value], s=30 + 220 * one.n / total, color=PALETTE[0], alpha=0.85, linewidths=0)
    panel.set_xlim(0.48, 1.02)
    panel.set_ylim(-0.02, 1.02)
    panel.set_xlabel("certainty: sigmoid of the score difference")
    panel.set_ylabel("share it is right")
    return figure
