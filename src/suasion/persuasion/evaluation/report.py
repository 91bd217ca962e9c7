"""The journey's report: one self-contained page that says what was learned, how it was judged, and how far that can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.config import to_yaml
from suasion.persuasion.dataset import Premise
from suasion.persuasion.evaluation.compare import Comparison
from suasion.persuasion.evaluation.independent import Opinion, opinions_section
from suasion.persuasion.judging.audit.report import audit_badge, findings_table
from suasion.persuasion.judging.judge import word_count
from suasion.persuasion.recipe import Recipe
from suasion.runs import plots
from suasion.runs.lineage import lineage, picture, text_tree
from suasion.runs.report import Badge, Card, Column, Picture, Report, Section, Table, kept_picture, write_report
from suasion.runs.run import Run, open_run
from suasion.statistics import told_interval

_CARDS = 8
_NOTABLE_CHANGE = 0.15  # of the mean length: what a writer that games a judge shows first
_NUMBERS = {"judge_score": "judge score", "words": "words", "ended": "share ended", "bleu": "BLEU", "rouge_l": "ROUGE-L"}


@dataclass(frozen=True)
class Evaluation:
    """What the report is made from."""

    run: Run
    recipe: Recipe
    root: Path
    premises: Sequence[Premise]
    comparison: Comparison
    opinions: Sequence[Opinion] = ()


def write_evaluation_report(evaluation: Evaluation) -> Path:
    """Write ``report.html`` and ``plots/`` into the run's folder; return the report's path."""
    run, recipe = evaluation.run, evaluation.recipe
    parents = _parents(evaluation)
    sections = [
        _answer(evaluation, parents),
        _numbers(evaluation),
        *([opinions_section(evaluation.opinions)] if evaluation.opinions else []),
        _samples(evaluation),
        *_judge(parents),
        *_training(parents),
        *_data(parents),
        _origin(evaluation),
    ]
    subtitle = recipe.description or "A writer that has learned from debates, beside the base it started from."
    return write_report(Report(f"{recipe.name}: {run.name}", subtitle, sections), run.path / "report.html")


def _parents(evaluation: Evaluation) -> dict[str, Run]:
    manifest = evaluation.run.manifest
    return {role: open_run(record.path, evaluation.root) for role, record in manifest.parent_records.items() if Path(record.path).is_dir()}


def _answer(evaluation: Evaluation, parents: dict[str, Run]) -> Section:
    """The finding in sentences, with what it does not show."""
    comparison = evaluation.comparison
    audit = parents.get("audit")
    trusted = audit is not None and _passed(audit)
    names = [system.name for system in comparison.systems]
    text, badges = [], []
    if len(names) > 1:
        last, before, first = names[-1], names[-2], names[0]
        text += [_told(comparison, last, other) for other in reversed(names[:-1])]
        badges.append(_outcome(comparison, last, first, trusted=trusted))
        change = comparison.table[last]["words"].value / max(comparison.table[before]["words"].value, 1e-9) - 1
        length = f"its replies are {abs(change):.0%} {'longer' if change > 0 else 'shorter'} than those of {before}"
        text.append(f"{length[0].upper()}{length[1:]}.")
        if abs(change) > _NOTABLE_CHANGE:
            badges.append(Badge(length, "warning"))
    badges.append(Badge("the judge was never audited", "fail") if audit is None else audit_badge(passed=trusted))
    # a writer that learned from the pairs never met this judge, nor did one that practised against another
    asked = any(run.manifest.parents.get("judge") == parents["judge"].name for run in parents.values()) if "judge" in parents else True
    if not trusted:
        allowed = "and the recipe allowed practice all the same" if asked else "and no writer practised against it"
        text.append(f"The judge did not pass an audit, {allowed}: a higher score by this judge is not evidence of a better argument.")
    text.append(
        f"All numbers are from {len(evaluation.premises)} held-out premises and by "
        f"{'the judge the writer practised against' if asked else 'a judge that the writer never practised against'}. "
        "Whether people are convinced is another question, "
        "which only a blind test with people answers."
    )
    return Section("What came out", text=text, badges=badges)


def _outcome(comparison: Comparison, system: str, other: str, *, trusted: bool) -> Badge:
    rate = comparison.win_rates[system, other]
    verb = "beats" if rate.low > 0.5 else "loses to" if rate.high < 0.5 else "is not told apart from"
    return Badge(f"by this judge, {system} {verb} {other}", "pass" if trusted and rate.low > 0.5 else "warning")


def _told(comparison: Comparison, system: str, other: str) -> str:
    rate, gain = comparison.win_rates[system, other], comparison.gains[system, other]
    return (
        f"The judge prefers {system} to {other} {rate.value:.0%} of the time (95 % interval {rate.interval(percent=True)}); "
        f"the scores differ by {gain.value:+.2f} within a premise ({gain.interval()}; {gain.clusters} debates)."
    )


def _numbers(evaluation: Evaluation) -> Section:
    comparison = evaluation.comparison
    rows = [[name, *(f"{row[key].value:.3g}  ({row[key].interval()})" for key in _NUMBERS)] for name, row in comparison.table.items()]
    caption = (
        "Mean and 95 % interval, clustered by debate. BLEU (0-100) and ROUGE-L (0-1) are against the winning replies. "
        "The judge's score has no unit: only differences within a premise mean anything."
    )
    return Section("The numbers", tables=[Table(("system", *_NUMBERS.values()), rows, caption)], pictures=_pictures(evaluation))


def _pictures(evaluation: Evaluation) -> list[Picture]:
    comparison, folder = evaluation.comparison, evaluation.run.path
    labels = [f"{one} against {other}" for one, other in comparison.win_rates]
    rates = plots.bars(labels, list(comparison.win_rates.values()), "Win rate by the judge", 0.5, "share of comparisons won")
    scores = {system.name: system.scores.ravel() for system in comparison.systems}
    heights = plots.histogram(scores, "Judge scores on held-out premises", "judge score", bins=16)
    words = {system.name: [word_count(reply.text) for group in system.replies for reply in group] for system in comparison.systems}
    lengths = plots.histogram(words, "Length of replies", "words", bins=16)
    rate_note = "Every reply of one system against every reply of the other to the same premise; ties count half."
    return [
        *([kept_picture(rates, folder, "win-rates", rate_note)] if labels else []),
        kept_picture(heights, folder, "scores", "The same premises and seeds for all systems."),
        kept_picture(lengths, folder, "lengths", "A writer that games a judge usually grows here first."),
    ]


def _samples(evaluation: Evaluation) -> Section:
    systems = evaluation.comparison.systems
    cards = []
    for index, premise in enumerate(evaluation.premises[:_CARDS]):
        columns = [Column("a reply that won", premise.winners[0])] if premise.winners else []
        for system in systems:
            reply = system.replies[index][0]
            cut = "" if reply.ended else ", cut off"
            columns.append(
                Column(system.name, reply.text, f"judge {float(system.scores[index, 0]):+.2f}, {len(reply.text.split())} words{cut}")
            )
        cards.append(Card(premise.text, columns))
    return Section(
        "Replies side by side",
        text=["The first sample of each system to the first premises, not picked by hand. Models' replies may be wrong or rude."],
        cards=cards,
    )


def _judge(parents: dict[str, Run]) -> list[Section]:
    audit = parents.get("audit")
    if audit is None:
        return []
    table = findings_table(audit.results["findings"], f"From {audit.name}; its own report has the pictures.")
    return [Section("How far the judge can be trusted", badges=[audit_badge(passed=_passed(audit))], tables=[table])]


#: Of practice that draws replies.
_DRAWN = ("reward", "reply_tokens", "cut_off", "spread", "kl", "entropy", "repetition", "distinct")


def _training(parents: dict[str, Run]) -> list[Section]:
    sections = []
    wanted = {
        "SFT": ("Imitation (SFT)", ("loss", "token_accuracy")),
        "Judge": ("The judge's training", ("loss", "accuracy", "margin")),
        **{kind: (f"Practice ({kind})", _DRAWN) for kind in ("GRPO", "PPO", "RLOO")},
        "DPO": ("Practice (DPO)", ("loss", "margin", "accuracy", "chosen_logprob", "rejected_logprob")),
        "ORPO": ("Practice (ORPO)", ("loss", "nll", "log_odds_ratio", "chosen_logprob", "rejected_logprob")),
    }
    for run in sorted(parents.values(), key=lambda one: one.manifest.started):
        if run.manifest.kind not in wanted:
            continue
        title, keys = wanted[run.manifest.kind]
        figure = plots.curves(run.metrics(), keys, "")
        rows = [(key, value) for key, value in _flat(run.results).items() if isinstance(value, int | float)]
        tables = [Table(("result", "value"), rows, run.name)] if rows else []
        sections.append(
            Section(
                title,
                pictures=[Picture(plots.inline(figure), f"{run.name}, by step.", alt="Curves of " + ", ".join(keys))],
                tables=tables,
            )
        )
    return sections


def _data(parents: dict[str, Run]) -> list[Section]:
    pairs = parents.get("pairs")
    if pairs is None:
        return []
    results = pairs.results
    splits = Table(
        ("split", "pairs", "premises"), [(split, number, results["premises"][split]) for split, number in results["pairs"].items()]
    )
    longer = Table(
        ("", "the longer reply wins", "95 % interval", "pairs"),
        [(name, one["value"], told_interval(one["low"], one["high"]), one["n"]) for name, one in results["longer_wins"].items()],
        "0.5 is what the judge should see: length then says nothing.",
    )
    steps = [
        (step, entry["in"], entry["kept"], ", ".join(f"{reason}: {number}" for reason, number in entry["dropped"].items()))
        for step, entry in results["steps"].items()
    ]
    return [
        Section(
            "The debates it learned from",
            tables=[
                splits,
                longer,
                Table(("step", "in", "kept", "dropped, and why"), steps, f"From {pairs.name}; its README.md is the data card."),
            ],
        )
    ]


def _origin(evaluation: Evaluation) -> Section:
    ancestors = lineage(evaluation.run.path, evaluation.root)
    tree = Picture(
        picture(ancestors),
        "Each arrow leads from a parent to the run that was made from it; all stand on one locked base.",
        alt=text_tree(ancestors),
    )
    base = evaluation.run.manifest.base_lock or {}
    lock = Table(
        ("part of the base lock", "fingerprint"),
        [(part, value[:16]) for part, value in base.items()],
        f"The base is '{evaluation.recipe.base.model}'.",
    )
    return Section(
        "Where it comes from, and how to get it again",
        text=[
            "Save the recipe below and run it with `suasion run FILE`: "
            "the same recipe, data and seed give the same numbers on the same machine."
        ],
        pictures=[tree],
        tables=[lock],
        code=to_yaml(evaluation.recipe),
    )


def _passed(audit: Run) -> bool:
    return bool(audit.results.get("verdict") == "pass")


def _flat(results: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in results.items():
        flat |= _flat(value, f"{prefix}{key} ") if isinstance(value, dict) else {prefix + key: value}
    return flat
