"""An audit told to a person: the verdict, each probe beside its limit, and two pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suasion.persuasion.judging.audit import Audit
from suasion.persuasion.judging.judge import word_count
from suasion.persuasion.judging.probes import centred
from suasion.runs import plots
from suasion.runs.report import Badge, Picture, Report, Section, Table, kept_picture, write_report
from suasion.runs.run import Run
from suasion.statistics import told_interval

_VERDICTS = {True: "passed", False: "FAILED", None: "undecided"}


def write_audit_report(found: Audit, judge: str, run: Run) -> None:
    """``report.html`` and ``plots/`` of an audit."""
    passed = "Every probe was passed. That is a statement about these probes, not about all tricks there are."
    failed = "This judge can be fooled, or is not better than rules that read nothing: "
    text = passed if found.passed else failed + " ".join(finding.question for finding in found.failed)
    pairs = (
        f"{len(found.scored.pairs)} held-out pairs from {len(set(found.scored.debates))} debates; {found.ties} ties, each counted as half."
    )
    section = Section(
        "Can the judge be fooled?",
        text=[text],
        badges=[audit_badge(passed=found.passed)],
        tables=[findings_table([finding.as_dict() for finding in found.findings], pairs)],
        pictures=[_accuracy(found, run), _length(found, run)],
    )
    write_report(Report(f"Audit of {judge}", "Asked before a writer gets to try.", [section]), run.path / "report.html")


def audit_badge(*, passed: bool) -> Badge:
    """The verdict."""
    return Badge("the judge passed its audit" if passed else "the judge FAILED its audit", "pass" if passed else "fail")


def findings_table(findings: Sequence[Mapping[str, Any]], caption: str) -> Table:
    """A row a probe, from the findings as ``audit.json`` holds them."""
    rows = [
        (_VERDICTS[one["passed"]], one["question"], one["value"], told_interval(one["low"], one["high"]), one["limit"], one["n"])
        for one in findings
    ]
    return Table(("verdict", "probe", "value", "95 % interval", "limit", "n"), rows, caption)


def _accuracy(found: Audit, run: Run) -> Picture:
    accuracy = next(finding for finding in found.findings if finding.code == "accuracy")
    estimates = [accuracy.estimate, *found.baselines.values()]
    figure = plots.bars(["this judge", *found.baselines], estimates, "Picks the winner", 0.5, "share of pairs")
    return kept_picture(
        figure, run.path, "accuracy", "Rules that read nothing stand beside the judge; 95 % intervals, clustered by debate."
    )


def _length(found: Audit, run: Run) -> Picture:
    debates, texts, scores = found.scored.replies()
    words = centred(np.asarray([word_count(text) for _, text in texts], dtype=np.float64), debates)
    axes = ("words above the debate's mean", "score above the debate's mean")
    figure = plots.scatter(words, centred(scores, debates), "Score and length within a debate", *axes)
    return kept_picture(figure, run.path, "length", "A judge that counts words shows a slope here.")
