from __future__ import annotations

import pytest

from suasion.persuasion.mining.card.pictures import forest
from suasion.runs import plots
from suasion.statistics import Estimate

NAN = float("nan")
NOTHING = Estimate(NAN, 0.0, 1.0, 0, 0)


def test_a_forest_has_a_point_and_an_interval_for_each_number() -> None:
    rows = [
        ("links", {"train": Estimate(0.6, 0.55, 0.65, 90, 80), "test": Estimate(0.5, 0.1, 0.9, 3, 3)}),
        ("time", {"train": NOTHING, "test": NOTHING}),
    ]
    figure = forest("t", rows, 0.5, "share", faint=[("links", "test")])
    (panel,) = figure.axes
    assert panel.texts[0].get_text() == " not known"
    points = [line.get_xdata().tolist() for line in panel.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]  # type: ignore[union-attr, arg-type]
    assert points == [[0.6], [0.5]]
    low, high = panel.get_xlim()
    assert low < 0.5 < high and 0.5 - low == pytest.approx(high - 0.5)  # both ways alike
    assert 0.65 < high < 0.7  # what is too little to be read does not stretch the axis ...
    assert forest("t", [rows[0]], 0.5, "share").axes[0].get_xlim()[1] > 0.9  # ... unless it is all there is, or not faint
    assert [label.get_text() for label in panel.get_yticklabels()] == ["links", "time"]
    plots.inline(figure)


@pytest.mark.parametrize("rows", [[], [("a", {})], [("a", {"train": NOTHING})]])
def test_nothing_can_be_drawn(rows: list[tuple[str, dict[str, Estimate]]]) -> None:
    assert plots.inline(forest("t", rows, 0.5, "share")).startswith("data:image/png")
