"""The run in pictures, as the published report shows them: loss, accuracy, the curriculum at work, kinds of pairs, retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from suasion.analysis.hirpo.pairs import KINDS
from suasion.analysis.hirpo.records import estimate
from suasion.analysis.hirpo.retention import RetentionLimits
from suasion.runs import plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METER = {
    "chat_loss_rise": "chat loss over the base's (nats)",
    "divergence": "divergence from the base (nats)",
    "instructions": "instructions kept",
    "spilled": "answers with an unasked block",
    "length": "length, as a multiple of the base's",
}


def loss_picture(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Numbers of the training over the steps of all epochs. ``rows``: of the run's metrics."""
    loss = "own_loss" if any("own_loss" in row for row in rows) else "loss"
    named = (loss, "margin", "accuracy", "chosen_logprob", "rejected_logprob", "rehearsal_loss", "reward", "kl")
    return plots.curves(rows, [name for name in named if any(row.get(name) is not None for row in rows)], "Training")


def accuracy_picture(start: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]]) -> Figure:
    """Accuracy of each entry at the start (epoch 0) and after each epoch, with intervals."""
    series = {}
    for entry, found in start["start"]["evaluation"].items():
        later = [(float(record["epoch"]), estimate(record["evaluation"][entry]["accuracy"])) for record in epochs]
        series[entry] = [(0.0, estimate(found["accuracy"])), *later]
    return plots.tracks(series, "Accuracy on evaluation texts", "epoch")


def curriculum_picture(epochs: Sequence[Mapping[str, Any]]) -> Figure:
    """Problems of each entry in each epoch."""
    labels = [str(record["epoch"]) for record in epochs]
    entries = list(epochs[0]["plan"]["counts"]) if epochs else []
    series = {entry: [[float(record["plan"]["counts"][entry])] for record in epochs] for entry in entries}
    return plots.stacked(labels, series, "Problems that the curriculum chose", ["problems"], "epoch")


def pairs_picture(epochs: Sequence[Mapping[str, Any]]) -> Figure:
    """Pairs of each kind, of each entry, in each epoch."""
    labels = [str(record["epoch"]) for record in epochs]
    entries = list(epochs[0]["plan"]["counts"]) if epochs else []
    series = {
        entry: [[float(record.get("mix", {}).get(entry, {}).get(kind, 0)) for kind in KINDS] for record in epochs] for entry in entries
    }
    return plots.stacked(labels, series, "Pairs that were learned from, by kind", list(KINDS), "epoch")


def retention_picture(start: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]], limits: RetentionLimits) -> Figure:
    """The meter at the start and after each epoch; dashed: the limits."""
    series = {}
    for name, told in _METER.items():
        found = [(0.0, start["start"]["retention"]), *((float(record["epoch"]), record["retention"]) for record in epochs)]
        series[told] = [(epoch, estimate(one[name])) for epoch, one in found]
    dashed = {_METER[name]: limit for name in ("chat_loss_rise", "divergence", "spilled") if (limit := getattr(limits, name)) is not None}
    if limits.instructions_kept is not None:
        dashed[_METER["instructions"]] = limits.instructions_kept * float(start["start"]["retention"]["instructions_base"]["value"] or 0)
    return plots.tracks(series, "What is left of what the base could do", "epoch", dashed)
