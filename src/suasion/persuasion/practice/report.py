"""What a practice's report says beyond its curves: where the time went, and whether what the judge came to like better is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from suasion.runs import plots
from suasion.runs.report import Section, Table, kept_picture
from suasion.runs.run import Run
from suasion.training.timing import PARTS


def practice_sections(run: Run) -> list[Section]:
    """The sections of a practice that drew replies as it learned, for ``Run.sections``."""
    return [*_time(run.results.get("seconds", {})), *_over_optimisation(run)]


def _time(seconds: Mapping[str, Mapping[str, float]]) -> list[Section]:
    if not seconds:
        return []
    names = PARTS | {"step": "all together"}
    rows = [(words, seconds[part]["total"], seconds[part]["per_step"], seconds[part]["share"]) for part, words in names.items()]
    table = Table(("part", "seconds", "seconds a step", "share"), rows, "Of the steps that count: what a kill destroyed is left out.")
    return [Section("Where the time went", tables=[table])]


def _over_optimisation(run: Run) -> list[Section]:
    """The judge's and the independent judge's mean scores of the same replies, against how far the writer had gone from its parent."""
    rows = [row for row in run.metrics() if isinstance(row.get("independent_score"), float) and isinstance(row.get("judge_score"), float)]
    if not rows:
        return []
    x = "kl" if all(isinstance(row.get("kl"), float) for row in rows) else "step"
    figure = plots.curves(
        sorted(rows, key=lambda row: float(row[x])), ("judge_score", "independent_score"), "Two judges, the same replies", x
    )
    along = "the divergence from the parent, in nats a token" if x == "kl" else "the steps"
    text = (
        f"Scores have no common unit: each panel has its own scale, over {along}. Where the left one goes on rising and the right one "
        "falls, practice has begun to fool its judge."
    )
    caption = "Mean scores of the replies of each milestone, by the judge practised against and by one that only looked on."
    return [
        Section(
            "Is what the judge likes better, better?",
            text=[text, _gain(rows)],
            pictures=[kept_picture(figure, run.path, "over-optimisation", caption)],
        )
    ]


def _gain(rows: Sequence[Mapping[str, Any]]) -> str:
    """How both scores moved between the first and the last third of the milestones."""
    third = max(1, len(rows) // 3)
    told = []
    for name, words in (("judge_score", "the judge"), ("independent_score", "the independent judge")):
        first, last = (sum(float(row[name]) for row in part) / third for part in (rows[:third], rows[-third:]))
        told.append(f"{words} {last - first:+.3g}")
    return f"From the first {third} to the last {third} of {len(rows)} milestones: {', '.join(told)}."
