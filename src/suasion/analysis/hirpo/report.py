"""The report of a run: one self-contained page with figures, pictures and sample answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.pictures import accuracy_picture, curriculum_picture, loss_picture, pairs_picture, retention_picture
from suasion.analysis.hirpo.records import estimate, read_records
from suasion.analysis.hirpo.settings import HirpoConfig
from suasion.config import to_yaml
from suasion.runs.report import Badge, Card, Column, Report, Section, Table, kept_picture, write_report
from suasion.runs.run import Run

_MOST_ERRORS, _MOST_SHOWN = 6, 1500


def write_hirpo_report(run: Run, config: HirpoConfig) -> Path:
    """Write ``report.html`` and ``plots/`` into the run's folder; return the report's path."""
    start, epochs = read_records(run.path)
    sections = [
        _answer(run),
        _accuracy(run, start, epochs),
        _training(run, epochs),
        _curriculum(run, epochs),
        _pairs(run, epochs),
        _retention(run, start, epochs, config),
        _errors(start, epochs),
        _samples(start, epochs),
        Section("Recipe", code=to_yaml(config), folded=True),
    ]
    subtitle = config.description or "A model that learns formal argument analysis from verifiers."
    return write_report(Report(f"{config.name}: {run.name}", subtitle, sections), run.path / "report.html")


def _answer(run: Run) -> Section:
    badges, text = [], []
    for entry, found in run.results["tasks"].items():
        gain = estimate(found["gain"])
        tone = "pass" if gain.low > 0 else ("fail" if gain.high < 0 else "neutral")
        word = {"pass": "rose", "fail": "fell", "neutral": "no clear change"}[tone]
        badges.append(Badge(f"{entry}: {word}", tone))  # type: ignore[arg-type]
        start, last = estimate(found["start"]), estimate(found["last"])
        text.append(
            f"{entry}: {start.value:.0%} at the start ({start.interval(percent=True)}), {last.value:.0%} at the end "
            f"({last.interval(percent=True)}); paired difference {gain.value:+.0%} ({gain.interval(percent=True)}, {gain.n} problems)."
        )
    if run.results.get("stopped"):
        badges.append(Badge("stopped before its end", "warning"))
        text.append(f"Stopped: {run.results['stopped']}.")
    if run.results["epochs_given_up"]:
        badges.append(Badge(f"{run.results['epochs_given_up']} epoch(s) given up", "warning"))
    text.append("All intervals are of 95 %; answers to one problem count together.")
    return Section("What was learned", text, badges)


def _accuracy(run: Run, start: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]]) -> Section:
    states = [*([("base", start["base"])] if "base" in start else []), ("start", start["start"]), *((_name(one), one) for one in epochs)]
    entries = list(start["start"]["evaluation"])
    rows = []
    for name, state in states:
        found = [estimate(state["evaluation"][entry]["accuracy"]) for entry in entries]
        undecided = max(estimate(state["evaluation"][entry]["undecided"]).value for entry in entries)
        rows.append([name, *(f"{one.value:.0%} ({one.interval(percent=True)})" for one in found), f"{undecided:.0%}"])
    n = [estimate(start["start"]["evaluation"][entry]["accuracy"]) for entry in entries]
    caption = "Share of valid answers; " + ", ".join(f"{entry}: n = {one.n}" for entry, one in zip(entries, n, strict=True))
    picture = kept_picture(accuracy_picture(start, epochs), run.path, "accuracy", "Accuracy on evaluation texts over epochs")
    return Section(
        "Accuracy",
        ["An answer that the prover gave up on is neither valid nor invalid; it does not count as valid."],
        pictures=[picture],
        tables=[Table(["state", *entries, "most undecided"], rows, caption), _virtues(entries, states)],
    )


def _virtues(entries: Sequence[str], states: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    """Mean scores at the start and at the end; those that rose most first."""
    first = next(state for name, state in states if name == "start")
    last = states[-1][1]
    rows: list[list[Any]] = []
    for entry in entries:
        before, after = first["evaluation"][entry]["virtues"], last["evaluation"][entry]["virtues"]
        rows += [[entry, name, before.get(name), after.get(name)] for name in sorted(before.keys() | after.keys())]
    return Table(["entry", "virtue", "start", "last epoch"], rows, "Mean scores of valid answers; their scales differ")


def _training(run: Run, epochs: Sequence[Mapping[str, Any]]) -> Section:
    picture = kept_picture(loss_picture(run.metrics()), run.path, "training", "Loss and rewards over the steps of all epochs")
    rows = []
    for record in epochs:
        told = record.get("training", {})
        loss = record.get("loss", {})
        seconds = record["seconds"]
        rows.append(
            [
                _name(record),
                told.get("pairs", told.get("problems", 0)),
                told.get("pairs_too_long", told.get("problems_too_long", 0)),
                loss.get("first"),
                loss.get("last"),
                *(round(seconds.get(part, 0.0)) for part in ("generation and verification", "training", "evaluation")),
            ]
        )
    columns = ["epoch", "learned from", "too long", "first loss", "last loss", "s generation", "s training", "s evaluation"]
    text = ["With DPO the reference is the model that wrote the answers, so each epoch's loss begins at ln 2 = 0.693."]
    return Section("Training", text, pictures=[picture], tables=[Table(columns, rows, "Epochs")])


def _curriculum(run: Run, epochs: Sequence[Mapping[str, Any]]) -> Section:
    picture = kept_picture(curriculum_picture(epochs), run.path, "curriculum", "Problems of each task and epoch")
    return Section(
        "The curriculum at work", ["Tasks that wait for others, or are mastered, get no more than their floor."], pictures=[picture]
    )


def _pairs(run: Run, epochs: Sequence[Mapping[str, Any]]) -> Section:
    if not any(record.get("mix") for record in epochs):
        return Section("Pairs", ["No pairs: this run learned from verdicts directly."])
    picture = kept_picture(pairs_picture(epochs), run.path, "pairs", "Kinds of pairs of each task and epoch")
    rows = [
        [_name(record), *(record["tally"][name] for name in ("answers", "valid", "invalid", "undecided", "duplicates", "loops", "empty"))]
        for record in epochs
        if "tally" in record
    ]
    return Section(
        "Pairs",
        pictures=[picture],
        tables=[Table(["epoch", "answers", "valid", "invalid", "undecided", "duplicates", "loops", "empty"], rows, "Answers in training")],
    )


def _retention(run: Run, start: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]], config: HirpoConfig) -> Section:
    picture = kept_picture(
        retention_picture(start, epochs, config.retention.limits), run.path, "retention", "The retention meter over epochs; dashed: limits"
    )
    names = ("chat_loss_rise", "divergence", "instructions", "spilled", "length")
    rows = []
    for name, found in [("start", start["start"]), *((_name(record), record) for record in epochs)]:
        numbers = [estimate(found["retention"][key]) for key in names]
        rows.append([name, *(f"{one.value:.3g} ({one.interval()})" for one in numbers)])
    n = {key: start["start"]["retention"][key]["n"] for key in names}
    base = estimate(start["start"]["retention"]["instructions_base"])
    text = [
        f"The base keeps {base.value:.0%} of {base.n} verifiable instructions. Chat loss and divergence are nats a token, on the base's "
        "own answers to prompts that are not rehearsed."
    ]
    fallen = [f"Epoch {record['epoch']}: {'; '.join(record['fallen'])}." for record in epochs if record["fallen"]]
    caption = ", ".join(f"{key.replace('_', ' ')}: n = {number}" for key, number in n.items())
    badge = Badge("under its limit", "fail") if fallen else Badge("within its limits", "pass")
    table = Table(["state", *(key.replace("_", " ") for key in names)], rows, caption)
    return Section("Retention", [*text, *fallen], [badge], [picture], [table])


def _errors(start: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]]) -> Section:
    """The error profile at the start and at the end."""
    last = epochs[-1] if epochs else start["start"]
    rows: list[list[Any]] = []
    for entry, found in start["start"]["evaluation"].items():
        before, after = found["errors"], last["evaluation"][entry]["errors"]
        most = sorted(before.keys() | after.keys(), key=lambda code: (-before.get(code, 0) - after.get(code, 0), code))[:_MOST_ERRORS]
        rows += [[entry, code, before.get(code, 0), after.get(code, 0)] for code in most]
    return Section("Errors", tables=[Table(["entry", "finding", "start", "last epoch"], rows, "Answers that make them")])


def _samples(start: Mapping[str, Any], epochs: Sequence[Mapping[str, Any]]) -> Section:
    """The same problems at the start and at the end, with what was found."""
    last = epochs[-1] if epochs else start["start"]
    cards = []
    for entry, found in start["start"]["evaluation"].items():
        for before, after in zip(found["samples"], last["evaluation"][entry]["samples"], strict=False):
            columns = [_column("start", before), _column("last epoch", after)]
            cards.append(Card(f"{entry}: {before['source'][:300]}", columns))
    return Section("Sample answers", ["What was asked for is cut after 300 characters, answers after 1,500."], cards=cards, folded=True)


def _column(label: str, sample: Mapping[str, Any]) -> Column:
    findings = "; ".join(sample["findings"][:5])
    return Column(label, sample["answer"][:_MOST_SHOWN], f"{sample['verdict']}{': ' + findings if findings else ''}")


def _name(record: Mapping[str, Any]) -> str:
    return f"epoch {record['epoch']}" + (" (given up)" if record["given_up"] else "")
