"""The stage ``audit``: try to fool the judge before a writer does; ``audit.json``, a report with pictures, and a verdict."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from suasion.files import write_json
from suasion.persuasion.dataset import load_pairs
from suasion.persuasion.judging.audit import Audit, audit
from suasion.persuasion.judging.judge import RULES, word_count
from suasion.persuasion.judging.probes import centred
from suasion.persuasion.stages.common import Journey, Plan, finished_run, perform
from suasion.persuasion.stages.judge import load_judge
from suasion.persuasion.stages.pairs import data_source
from suasion.progress import say
from suasion.runs import plots
from suasion.runs.report import Badge, Picture, Report, Section, Table, Tone, write_report
from suasion.runs.run import Run

TONES: dict[bool | None, Tone] = {True: "pass", False: "fail", None: "neutral"}


def audit_stage(journey: Journey, judge: str | Run, pairs: str | Run, out: Path | None = None) -> Run:
    """Audit a judge (a run, its name, or a rule such as ``longest``) in a run of kind ``Audit``; ``results["verdict"]`` is pass or fail."""
    folder, parents, inputs = data_source(pairs, journey.root, "Pairs", "train.parquet")
    recipe = journey.recipe
    is_rule = isinstance(judge, str) and judge in RULES
    if is_rule:
        inputs = inputs | {"judge": str(judge)}
        name = str(judge)
    else:
        run_of_judge = judge if isinstance(judge, Run) else finished_run(str(judge), journey.root, "Judge")
        parents = parents | {"judge": run_of_judge}
        name = run_of_judge.name

    def work(run: Run) -> None:
        ready, _ = load_judge(journey, judge)
        found = audit(ready, load_pairs(folder, recipe.audit.split), recipe.audit, recipe.seed)
        write_json(run.path / "audit.json", {"judge": name} | found.as_dict())
        write_audit_report(found, name, run)
        run.results = found.as_dict()
        say(f"Audit of {name}: {'PASS' if found.passed else 'FAIL (' + ', '.join(one.code for one in found.failed) + ')'}")

    sections = ("seed", "audit") if is_rule else ("seed", "base", "rendering", "audit")
    return perform(journey, Plan("Audit", sections, parents, inputs, on_base=not is_rule), work, out)


def write_audit_report(found: Audit, name: str, run: Run) -> None:
    """``report.html`` and the plots of an audit."""
    write_report(
        Report(f"Audit of {name}", "Can this judge be fooled? Asked before a writer gets to try.", audit_sections(found, run)),
        run.path / "report.html",
    )


def audit_sections(found: Audit, run: Run) -> list[Section]:
    """Verdict, probes and pictures; the pictures are saved to ``plots/`` as well."""
    accuracy = next(finding for finding in found.findings if finding.code == "accuracy")
    names = ["this judge", *found.baselines]
    bars = plots.bars(names, [accuracy.estimate, *found.baselines.values()], "Picks the winner", 0.5, "share of pairs")
    scored = found.scored
    texts = [pair.winner for pair in scored.pairs] + [pair.loser for pair in scored.pairs]
    debates = scored.debates * 2
    words = centred(np.asarray([word_count(text) for text in texts], dtype=np.float64), debates)
    scores = centred(np.concatenate([scored.winners, scored.losers]).astype(np.float64), debates)
    dots = plots.scatter(
        words, scores, "Score and length within a debate", "words above the debate's mean", "score above the debate's mean"
    )
    pictures = []
    for file, figure, caption in (
        ("accuracy.png", bars, "Rules that read nothing stand beside the judge; bars are 95 % intervals clustered by debate."),
        ("length.png", dots, "A judge that counts words shows a slope here."),
    ):
        plots.save(figure, run.path / "plots" / file)
        pictures.append(Picture(plots.inline(figure), caption, alt=caption))
    rows = [
        (
            "passed" if one.passed else "undecided" if one.passed is None else "FAILED",
            one.question,
            one.estimate.value,
            interval(one.estimate),
            one.limit,
            one.estimate.n,
        )
        for one in found.findings
    ]
    table = Table(
        ("verdict", "probe", "value", "95 % interval", "limit", "n"),
        rows,
        f"{len(scored.pairs)} held-out pairs from {len(set(scored.debates))} debates; {found.ties} ties, each counted as half.",
    )
    text = (
        "Every probe was passed. That is a statement about these probes, not about all tricks there are."
        if found.passed
        else "This judge can be fooled, or is not better than rules that read nothing: " + ", ".join(one.question for one in found.failed)
    )
    badge = Badge("audit passed" if found.passed else "audit FAILED", TONES[found.passed])
    return [Section("Can the judge be fooled?", text=[text], badges=[badge], tables=[table], pictures=pictures)]


def interval(estimate: object) -> str:
    """An estimate's interval as a reader wants it."""
    low, high = estimate.low, estimate.high  # type: ignore[attr-defined]
    return f"{low:.3g} to {high:.3g}" if np.isfinite([low, high]).all() else "unknown (one debate)"
