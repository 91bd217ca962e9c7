from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suasion.runs import plots
from suasion.statistics import Estimate

NAN, INF = float("nan"), float("inf")


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"step": step, "loss": 1 / (step + 1), "reward": None if step % 2 else step} for step in range(9)]
    first, second = (plots.save(plots.curves(rows, ["loss", "reward"], "t"), tmp_path / name).read_bytes() for name in ("a.png", "b.png"))
    assert first == second and first.startswith(b"\x89PNG") and b"Software" not in first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "b.png"]


def test_curves_leave_gaps_out_and_give_each_key_its_panel() -> None:
    rows: list[dict[str, Any]] = [
        {"step": 1, "loss": 2.0},
        {"step": 2, "loss": NAN},
        {"step": 3, "loss": None},
        {"step": 4, "loss": 1.0, "note": "x"},
    ]
    figure = plots.curves(rows, ["loss", "kl"], "$ costs $")
    loss, kl = figure.axes
    assert loss.lines[0].get_xydata().tolist() == [[1, 2], [4, 1]]  # type: ignore[union-attr]
    assert not kl.lines and kl.texts[0].get_text() == "no data"
    plots.inline(figure)


def test_bars_begin_at_zero_and_show_what_is_not_known() -> None:
    figure = plots.bars(
        ["a", "b", "c"], [Estimate(0.5, 0.4, 0.6, 9, 3), Estimate(0.7, -INF, INF, 9, 1), Estimate(NAN, 0, 1, 0, 0)], "t", 0.5
    )
    (panel,) = figure.axes
    assert [(bar.get_x(), bar.get_width()) for bar in panel.patches] == [(0, 0.5), (0, 0.7)]  # type: ignore[attr-defined]
    assert panel.texts[0].get_text() == " not known"
    assert panel.get_xlim()[0] <= 0 < 0.6 < panel.get_xlim()[1]
    plots.inline(figure)


def test_histograms_share_their_bins_and_are_shares() -> None:
    figure = plots.histogram({"few": [1, 2, NAN], "many": np.arange(100), "none": []}, "t", "words", bins=10)
    filled = [patch.get_data() for patch in figure.axes[0].patches[::2]]  # type: ignore[attr-defined]
    assert len(filled) == 2
    assert all(data.values.sum() == pytest.approx(1) for data in filled)
    assert filled[0].edges.tolist() == filled[1].edges.tolist()


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0], [NAN, INF]])
def test_nothing_and_next_to_nothing_can_be_drawn(values: list[float]) -> None:
    for figure in (
        plots.histogram({"a": values}, "t", "x"),
        plots.scatter(values, values, "t", "x", "y"),
        plots.bars(["a"] * len(values), [Estimate(value, value, value, 1, 1) for value in values], "t"),
        plots.curves([{"step": index, "a": value} for index, value in enumerate(values)], ["a"], "t"),
        plots.curves([], [], "t"),
    ):
        assert plots.inline(figure).startswith("data:image/png;base64,")
