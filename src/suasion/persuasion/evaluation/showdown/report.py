"""The showdown's report: who is better at equal budgets, by which judge, and how much the comparison could have missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suasion.config import to_yaml
from suasion.persuasion.evaluation.contest import Contest
from suasion.persuasion.evaluation.showdown import pictures
from suasion.persuasion.evaluation.showdown.budgets import Budgets, budgets_of
from suasion.persuasion.evaluation.showdown.crossed import crossed_mean
from suasion.persuasion.evaluation.showdown.duels import OPPONENTS, Duel, families
from suasion.persuasion.evaluation.showdown.pace import Pace, pace_of
from suasion.persuasion.evaluation.showdown.practice_curves import Curve, curves_of
from suasion.persuasion.evaluation.showdown.verdict import against, points, verdict
from suasion.persuasion.judging.audit.report import audit_badge
from suasion.runs.lineage import lineage, picture, text_tree
from suasion.runs.report import Badge, Card, Column, Picture, Report, Section, Table, write_report
from suasion.statistics import Estimate

_CARDS = 4


@dataclass(frozen=True)
class Showdown:
    """Everything that the report tells."""

    contest: Contest
    curves: Sequence[Curve]
    budgets: Budgets
    pace: Pace
    means: Mapping[str, Mapping[str, Estimate]]
    """Judge -> system or arm -> mean score; likewise ``words`` and ``ended`` below."""
    lengths: Mapping[str, tuple[Estimate, Estimate]]
    against: Mapping[str, Sequence[Duel]]
    """Judge -> each arm against base and parent."""
    pairs: Mapping[str, Sequence[Duel]]
    """Judge -> each pair of arms."""

    @property
    def verdicts(self) -> list[str]:
        """One sentence a judge, the independent ones first: practice aims at the other."""
        seeds = len({one.seed for one in self.contest.contenders})
        return [verdict(label, self.pairs[label], len(self.contest.premises), seeds) for label in _labels(self.contest)]


def write_showdown(contest: Contest) -> dict[str, Any]:
    """Work everything out, write ``report.html`` and ``plots/`` into the contest's run; return the results."""
    found = _found(contest)
    sections = [_verdict(found), _budgets(found), *_judges(found), _pace(found), _lengths(found), _samples(contest), _origin(contest)]
    title = f"Showdown: {contest.recipe.name}"
    write_report(Report(title, contest.recipe.description, sections), contest.run.path / "report.html")
    return _results(found)


def _found(contest: Contest) -> Showdown:
    curves = curves_of(contest)
    window = contest.recipe.comparison.window
    names = [*OPPONENTS, *contest.arms]
    duels = {seat.label: families(contest, seat.label) for seat in contest.judges}
    return Showdown(
        contest,
        curves,
        budgets_of(curves, contest.arms, window),
        pace_of(curves, contest.arms, window, contest.recipe.comparison.target),
        {seat.label: {name: _scores(contest, name, seat.label) for name in names} for seat in contest.judges},
        {
            name: (
                crossed_mean(_by_seed(contest, name, lambda one: one.words), contest.debates),
                crossed_mean(_by_seed(contest, name, lambda one: _ended(one.replies)), contest.debates),
            )
            for name in names
        },
        {label: one for label, (one, _) in duels.items()},
        {label: other for label, (_, other) in duels.items()},
    )


def _scores(contest: Contest, name: str, judge: str) -> Estimate:
    return crossed_mean(_by_seed(contest, name, lambda one: one.scores[judge]), contest.debates)


def _by_seed(contest: Contest, name: str, of: Any) -> Any:
    """Means over samples, shape (seeds, premises)."""
    return np.stack([np.asarray(of(one), dtype=np.float64).mean(axis=1) for one in contest.of(name)])


def _ended(replies: Sequence[Sequence[Any]]) -> list[list[float]]:
    return [[float(reply.ended) for reply in group] for group in replies]


def _labels(contest: Contest) -> list[str]:
    """Of the judges, the independent ones first."""
    return [seat.label for seat in sorted(contest.judges, key=lambda seat: bool(seat.practised_by))]


def _results(found: Showdown) -> dict[str, Any]:
    return {
        "verdict": " ".join(found.verdicts),
        "budgets": found.budgets.as_dict(),
        "scores": {label: {name: one.as_dict() for name, one in row.items()} for label, row in found.means.items()},
        "words": {name: words.as_dict() for name, (words, _) in found.lengths.items()},
        "ended": {name: ended.as_dict() for name, (_, ended) in found.lengths.items()},
        "duels": [one.as_dict() for family in (found.against, found.pairs) for duels in family.values() for one in duels],
        "pace": found.pace.as_dict(),
    }


def _verdict(found: Showdown) -> Section:
    contest = found.contest
    audits = {one.audit.name: one.audit for one in contest.contenders}
    passed = all(audit.results.get("verdict") == "pass" for audit in audits.values())
    badges = [
        audit_badge(passed=passed),
        Badge("judge calls equal", "pass") if found.budgets.equal_calls else Badge("judge calls NOT equal", "fail"),
    ]
    told = list(found.verdicts)
    told += [" ".join(against(label, opponent, found.against[label]) for opponent in OPPONENTS) for label in _labels(contest)]
    told.append(
        "A judge that the contenders practised against says what they were rewarded for, not that anybody would be convinced. "
        "An independent judge weighs more, and people's verdicts weigh most: "
        f"suasion arena create STUDY --replies {contest.run.name} takes these replies as they are."
    )
    return Section("The outcome", text=told, badges=badges)


def _budgets(found: Showdown) -> Section:
    budgets, contest = found.budgets, found.contest
    table = Table(
        ("contender", "judge calls", "generated tokens", "seconds", "run"),
        [
            (one.name, one.judge_calls, one.generated_tokens, one.elapsed, who.run.name)
            for one, who in zip(found.curves, contest.contenders, strict=True)
        ],
        "Spent in practice. Seconds are the machine's, with whatever else it was doing; those of loading models are not in them.",
    )
    return Section("What each was given", text=budgets.told(), tables=[table, *budgets.tables()])


def _judges(found: Showdown) -> list[Section]:
    sections = []
    for label in _labels(found.contest):
        seat = next(one for one in found.contest.judges if one.label == label)
        kind = f"The judge of {', '.join(seat.practised_by)}" if seat.practised_by else "Nobody practised against this judge"
        folder = found.contest.run.path
        means = found.means[label]
        scores = Table(
            ("system", "mean score", "95 % interval", "premises"),
            [(name, one.value, one.interval(), one.clusters) for name, one in means.items()],
        )
        shown: list[Picture] = [pictures.means_picture(label, means, folder)]
        shown.append(pictures.duels_picture(label, "Against base and parent", "against", found.against[label], folder))
        tables = [scores, _duels("Against the base, and against the writer they went on from (sft).", found.against[label])]
        if found.pairs[label]:
            shown.append(pictures.duels_picture(label, "Contender against contender", "pairs", found.pairs[label], folder))
            tables.append(_duels("Contender against contender.", found.pairs[label]))
        named = f"{kind} ({seat.run.name})." if seat.run else f"{kind} (a language model)."
        sections.append(Section(f"By {label}", text=[named], pictures=shown, tables=tables))
    return sections


def _duels(caption: str, duels: Sequence[Duel]) -> Table:
    with_reason = any(one.reason for one in duels)
    rows = [
        (
            f"{one.one} against {one.other}",
            f"{one.controlled.value:.0%}  ({one.controlled.interval(percent=True)})",
            f"{one.plain.value:.0%}  ({one.plain.interval(percent=True)})",
            one.adjusted,
            points(one.visible),
            one.winner or "–",
            *([one.reason] if with_reason else []),
        )
        for one in duels
    ]
    columns = ["", "wins at equal length", "wins, plain", "p (Holm)", "smallest visible", "better"]
    return Table(
        columns + (["length not taken out because"] if with_reason else []),
        rows,
        f"{caption} 95 % intervals over premises and seeds. p is of no difference at equal length, for all rows together; the smallest "
        "visible difference from 50 % is what such a test finds four times out of five.",
    )


def _pace(found: Showdown) -> Section:
    window = found.contest.recipe.comparison.window
    return Section(
        "How soon, and how smoothly",
        text=found.pace.told(window),
        pictures=pictures.reward_pictures(found.curves, window, found.contest.run.path),
        tables=found.pace.tables(),
    )


def _lengths(found: Showdown) -> Section:
    rows = [(name, words.value, words.interval(), ended.value) for name, (words, ended) in found.lengths.items()]
    return Section("How long the replies are", tables=[Table(("system", "words", "95 % interval", "share that ended by itself"), rows)])


def _samples(contest: Contest) -> Section:
    first = [contest.of(name)[0] for name in (*OPPONENTS, *contest.arms)]
    label = _labels(contest)[0]
    cards = [
        Card(
            premise.text,
            [
                Column(
                    one.name,
                    one.replies[place][0].text,
                    f"{label} {one.scores[label][place, 0]:+.2f}, {len(one.replies[place][0].text.split())} words"
                    + ("" if one.replies[place][0].ended else ", cut off"),
                )
                for one in first
            ],
        )
        for place, premise in enumerate(contest.premises[:_CARDS])
    ]
    return Section(
        "Replies side by side",
        text=["The first sample of each system (of an arm: its first seed) to the first premises, not picked by hand."],
        cards=cards,
        folded=True,
    )


def _origin(contest: Contest) -> Section:
    ancestors = lineage(contest.run.path, contest.run.path.parent)
    tree = Picture(picture(ancestors), "Each arrow leads from a parent to the run that was made from it.", alt=text_tree(ancestors))
    return Section(
        "Where it comes from, and how to get it again",
        text=["Save the recipe below and run it with `suasion run FILE`."],
        pictures=[tree],
        code=to_yaml(contest.recipe),
        folded=True,
    )
