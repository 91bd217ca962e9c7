"""An audit told to a person: an honest sentence, what fooled the judge, and every probe beside its limit.

The page is made from what ``audit.json`` holds (and the scores, for one picture), needs no network, and shows debates and exploits as text
only: all of it is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suasion.persuasion.judging.audit import pictures
from suasion.persuasion.judging.audit.audit import Audit
from suasion.persuasion.judging.audit.scored import centred
from suasion.persuasion.judging.audit.shown import told_exploit, told_verdict
from suasion.persuasion.judging.judge import word_count
from suasion.runs import plots
from suasion.runs.report import Badge, Card, Column, Picture, Report, Section, Table, kept_picture, write_report
from suasion.runs.run import Run
from suasion.statistics import told_interval

_VERDICTS = {True: "passed", False: "FAILED", None: "undecided"}
_EXAMPLES = 6
_STEPS = 8  # of a recipe
_MOST_WORDS = 220  # of a text on a card

Told = Mapping[str, Any]


def write_audit_report(found: Audit, judge: str, run: Run) -> None:
    """``report.html``, the same page as ``audit.html``, and ``plots/`` of an audit."""
    told = found.as_dict()
    drawn = [_verdict(told), *_exploit(told), _knows(told, run), *_tricks(told, run), _length(told, found, run)]
    drawn += [*_certainty(told, run), *_transfer(told), _all(told)]
    report = Report(f"Audit of {judge}", "Asked before a writer gets to try: how can this judge be fooled?", drawn)
    for name in ("report.html", "audit.html"):
        write_report(report, run.path / name)


def audit_badge(*, passed: bool) -> Badge:
    """The verdict."""
    return Badge("the judge passed its audit" if passed else "the judge FAILED its audit", "pass" if passed else "fail")


def findings_table(findings: Sequence[Told], caption: str) -> Table:
    """A row a probe, from the findings as ``audit.json`` holds them."""
    rows = [
        (_VERDICTS[one["passed"]], one["question"], one["value"], told_interval(one["low"], one["high"]), one["limit"], one["n"])
        for one in findings
    ]
    return Table(("verdict", "probe", "value", "95 % interval", "limit", "n"), rows, caption)


def _verdict(told: Told) -> Section:
    badges = [audit_badge(passed=told["verdict"] == "pass")]
    if told.get("unreadable"):
        badges.append(Badge(f"{told['unreadable']} of {told['texts']} texts without a readable score", "warning"))
    if told["undecided"]:
        badges.append(Badge(f"{len(told['undecided'])} undecided", "warning"))
    failed = [one for one in told["findings"] if one["passed"] is False]
    tables = [findings_table(failed, "The probes it failed; each beside its limit.")] if failed else []
    return Section("The verdict", text=told_verdict(told), badges=badges, tables=tables)


def _exploit(told: Told) -> list[Section]:
    """The worst exploit as text, beside the winner it beats."""
    worst = told.get("attack", {}).get("exploit")
    if not worst:
        return []
    columns = [
        Column("the real winner", _short(worst["before"]), f"score {worst['score_before']:+.3g}, {worst['winner_words']} words"),
        Column("the exploit", _short(worst["after"]) or "(nothing)", f"score {worst['score_after']:+.3g}, {worst['words']} words"),
    ]
    text = [
        f"{told_exploit(worst)} It was made so: {_steps(worst['recipe'])}.",
        f"The search had {told['attack']['search_calls']} texts scored; a writer in practice has many thousands.",
    ]
    return [Section("The worst exploit that was found", text=text, cards=[Card(_short(worst["premise"]), columns)])]


def _knows(told: Told, run: Run) -> Section:
    """Accuracy beside what reads nothing or next to nothing."""
    accuracy = _finding(told, "accuracy")
    names = ["this judge", *told["baselines"]]
    estimates = [pictures.estimate_of(one) for one in (accuracy, *told["baselines"].values())]
    figure = plots.bars(names, estimates, "Picks the winner", 0.5, "share of pairs")
    caption = "Baselines stand beside the judge, on the same pairs; 95 % intervals, clustered by debate."
    tables = []
    if four := told.get("best_of_four"):
        rows = [(name, one["value"], told_interval(one["low"], one["high"]), one["n"]) for name, one in _beside(four)]
        tables.append(Table(("", "right", "95 % interval", "fours"), rows, "One winner among four replies; chance is 0.25."))
    premise = [
        (label, one["value"], told_interval(one["low"], one["high"]), one["n"])
        for key, label in (("own", "with its premise"), ("without", "without a premise"), ("swapped", "with another debate's premise"))
        if (one := told.get("premise", {}).get(key))
    ]
    if premise:
        tables.append(Table(("", "right", "95 % interval", "pairs"), premise, "Does it read the premise?"))
    if agreement := told.get("agreement"):
        interval = told_interval(agreement["low"], agreement["high"])
        tables.append(Table(("", "share", "95 % interval"), [("same verdict from other seeds", agreement["value"], interval)]))
    text = [f"{told['pairs']} held-out pairs from {told['debates']} debates; {told['ties']} ties, each counted as half."]
    return Section(
        "Does it know the better reply?", text=text, pictures=[kept_picture(figure, run.path, "accuracy", caption)], tables=tables
    )


def _tricks(told: Told, run: Run) -> list[Section]:
    """The tricks by what they gain, and the replies that gained most."""
    tricks = sorted(_of_kind(told, "trick"), key=lambda one: -np.inf if one["value"] is None else one["value"], reverse=True)
    if not tricks:
        return []
    labels = [f"{one['details']['trick']}{' (spoils the reply)' if one['details']['spoils'] else ''}" for one in tricks]
    gain = "gain of the score, in the judge's own winner-loser gaps"
    figure = pictures.forest(tricks, labels, "What each trick adds to the score of the same reply", gain)
    caption = (
        "Point and 95 % interval, clustered by debate; the upright line is the limit. A trick fails the judge where its excess over the "
        "limit is more than chance explains over all tricks (Holm). Tricks that spoil the reply may add nothing."
    )
    shown = [kept_picture(figure, run.path, "tricks", caption)]
    if searched := _of_kind(told, "search"):
        shares = [one for one in searched if one["details"]["unit"] == "share"]
        if shares:
            names = ["one reply for all premises" if one["code"] == "search-universal" else "a reply for each premise" for one in shares]
            figure = pictures.forest(shares, names, "Real winners beaten by a reply without content", "share of premises")
            shown.append(
                kept_picture(
                    figure,
                    run.path,
                    "search",
                    "The one reply was sought on other debates; a premise's own reply is the best that the search found for it.",
                )
            )
    rows = [
        (
            one["details"]["trick"],
            one["details"]["says"],
            one["value"],
            _percent(one["details"]["gained"]),
            one["details"]["holm_p"],
            one["n"],
        )
        for one in tricks
    ]
    columns = ("trick", "what is done", "mean gain", "replies that gained", "p, adjusted", "replies")
    table = Table(columns, rows, "p: that the mean gain keeps within the limit, one-sided, Holm-adjusted over the tricks.")
    worst = [one for one in tricks if one["passed"] is False and one.get("examples")][:_EXAMPLES]
    cards = [_card(one) for one in [*worst, *(one for one in searched if one["code"] == "search-tricks" and one.get("examples"))]]
    return [Section("Tricks: the same reply, made up", pictures=shown, tables=[table], cards=cards)]


def _card(one: Told) -> Card:
    example = one["examples"][0]
    columns = [
        Column("as it was", _short(example["before"]), f"score {example['score_before']:+.3g}"),
        Column("after the trick", _short(example["after"]) or "(nothing)", f"score {example['score_after']:+.3g}"),
    ]
    return Card(one["question"], columns)


def _length(told: Told, found: Audit, run: Run) -> Section:
    debates, texts, scores = found.scored.replies()
    words = centred(np.asarray([word_count(text) for _, text in texts], dtype=np.float64), debates)
    axes = ("words above the debate's mean", "score above the debate's mean")
    shown = []
    if bins := told.get("length_bins"):
        figure = plots.bars(
            [one["label"] for one in bins], [pictures.estimate_of(one) for one in bins], "Accuracy by length", 0.5, "share of pairs"
        )
        shown.append(kept_picture(figure, run.path, "length-bins", "Where the loser is longer, counting words gives the wrong answer."))
    figure = plots.scatter(words, centred(scores, debates), "Score and length within a debate", *axes)
    shown.append(kept_picture(figure, run.path, "length", "A judge that counts words shows a slope here."))
    return Section("Does it count words?", pictures=shown)


def _certainty(told: Told, run: Run) -> list[Section]:
    bins, numbers = told.get("reliability"), told.get("calibration", {})
    if not bins:
        return []
    caption = "On the dashed line it is right as often as it is sure; below, it is surer than it is right. Larger dots hold more pairs."
    shown: list[Picture] = [kept_picture(pictures.reliability(bins, "Certainty and accuracy"), run.path, "reliability", caption)]
    names = {"ece": "expected calibration error", "brier": "Brier score (a coin: 0.25)", "overconfidence": "certainty less accuracy"}
    rows = [
        (label, numbers[key]["value"], told_interval(numbers[key]["low"], numbers[key]["high"]))
        for key, label in names.items()
        if key in numbers
    ]
    return [Section("Is it as sure as it is right?", pictures=shown, tables=[Table(("", "value", "95 % interval"), rows)])]


def _transfer(told: Told) -> list[Section]:
    """Other debates than those it learned from."""
    tables = []
    for name, one in told.get("transfer", {}).items():
        rows = [(label, each["value"], told_interval(each["low"], each["high"]), each["n"]) for label, each in _beside(one)]
        tables.append(Table(("", "right", "95 % interval", "pairs"), rows, name))
    return [Section("Elsewhere", text=["Pairs of other debates, with the same baselines."], tables=tables)] if tables else []


def _all(told: Told) -> Section:
    caption = f"{len(told['findings'])} probes; an undecided one neither passes nor fails the judge."
    return Section("Every probe beside its limit", tables=[findings_table(told["findings"], caption)], folded=True)


def _beside(one: Told) -> list[tuple[str, Told]]:
    return [("this judge", one["judge"]), *one["baselines"].items()]


def _finding(told: Told, code: str) -> Told:
    return next(one for one in told["findings"] if one["code"] == code)


def _of_kind(told: Told, kind: str) -> list[Told]:
    return [one for one in told["findings"] if one.get("details", {}).get("kind") == kind]


def _percent(one: Told) -> str:
    return "–" if one["value"] is None else f"{one['value']:.0%} ({told_interval(one['low'], one['high'], percent=True)})"


def _steps(recipe: Sequence[str]) -> str:
    left = len(recipe) - _STEPS
    return "; ".join(recipe[:_STEPS]) + (f"; and {left} more steps" if left > 0 else "")


def _short(text: str) -> str:
    words = text.split(" ")
    return text if len(words) <= _MOST_WORDS else " ".join(words[:_MOST_WORDS]) + " …"
