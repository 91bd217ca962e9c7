"""The report of the length trap: was it sprung, had the audit said so, and what do the replies read like?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suasion.persuasion.evaluation.contest import Contest, Entrant
from suasion.persuasion.evaluation.length_trap.numbers import LENGTH_PROBES, PARENT, ArmNumbers, numbers_of
from suasion.persuasion.evaluation.length_trap.pictures import dose_picture, outcome_pictures, practice_pictures
from suasion.persuasion.evaluation.length_trap.verdict import Verdict, dose_rows, verdict_on
from suasion.persuasion.judging.audit.report import findings_table
from suasion.runs.report import Badge, Card, Column, Report, Section, Table, write_report
from suasion.statistics import Estimate

_CARDS = 5
_BADGES = {
    "sprung": Badge("the trap was sprung", "fail"),
    "by length alone": Badge("the writer rambles; the judges from outside do not agree that this is worse", "warning"),
    "not shown": Badge("the trap was not shown", "neutral"),
}


def write_length_trap(contest: Contest) -> dict[str, Any]:
    """Write ``report.html`` and ``plots/`` into the comparison's run; return its results."""
    arms = numbers_of(contest)
    found = verdict_on(contest, arms)
    sections = [
        _answer(contest, found),
        _before(arms),
        Section("Practice, step by step", pictures=practice_pictures(contest)),
        _after(contest, arms),
        *_doses(contest, arms),
        _samples(contest),
    ]
    title = f"{contest.recipe.name}: {contest.run.name}"
    write_report(Report(title, contest.recipe.description or "One practice, several judges.", sections), contest.run.path / "report.html")
    return {"verdict": found.as_dict(), "arms": {arm.name: arm.as_dict() for arm in arms}, "dose_response": dose_rows(arms)}


def _answer(contest: Contest, found: Verdict) -> Section:
    badges = [_BADGES[found.outcome]]
    if found.foretold is not None:
        failed = "the audit failed the biased judge for length, and not the other"
        told = failed if found.foretold else "the audit did not tell the judges apart by length"
        badges.append(Badge(told, "pass" if found.foretold else "warning"))
    seeds = len({one.seed for one in contest.contenders})
    text = [
        found.told(),
        found.told_of_audit(),
        f"{len(contest.premises)} held-out premises, {contest.recipe.evaluate.samples} replies each, {seeds} "
        f"{'seed' if seeds == 1 else 'seeds'} of practice. Intervals are 95 %, over premises clustered by debate"
        f"{', and over seeds' if seeds > 1 else '; another seed of practice might come out differently, which one seed cannot show'}.",
    ]
    if biased := [one for one in dict.fromkeys(one.arm for one in contest.contenders) if contest.recipe.arm(one).pairs.bias]:
        text.append(
            f"The pairs of {', '.join(biased)} were biased on purpose (pairs.bias): no verdict was turned, but what the longer reply "
            "won was chosen. How common such pairs are in the wild is not shown here."
        )
    return Section("What came out", text=text, badges=badges)


def _before(arms: Sequence[ArmNumbers]) -> Section:
    rows = [
        (
            arm.name,
            None if arm.longer_wins is None else arm.longer_wins.value,
            "–" if arm.correlation is None else _with_interval(arm.correlation),
            "passed" if arm.audit_passed else "FAILED",
        )
        for arm in arms
    ]
    columns = ("arm", "the longer reply won (train)", "scores follow length (held-out pairs)", "audit as a whole")
    tables = [Table(columns, rows, "Known before the first step of practice. Correlation: Spearman's, within a premise.")]
    tables += [findings_table(arm.probes, f"Probes of length in the audit of {arm.name}'s judge.") for arm in arms if arm.probes]
    text = [f"Of each audit, the probes about length: {', '.join(LENGTH_PROBES)}. Each judge was asked about pairs of its own kind."]
    return Section("What the audits had said", text=text, tables=tables)


def _after(contest: Contest, arms: Sequence[ArmNumbers]) -> Section:
    judges = [seat.label for seat in contest.judges]
    (parent,) = contest.of(PARENT)
    rows: list[tuple[Any, ...]] = [(f"{PARENT} (before practice)", f"{parent.words.mean():.3g}", "–", _ended(parent), *["–"] * len(judges))]
    rows += [
        (
            arm.name,
            _with_interval(arm.words),
            _with_interval(arm.growth),
            arm.ended,
            *(f"{_with_interval(arm.gains[judge])}{' (its own)' if judge == arm.own else ''}" for judge in judges),
        )
        for arm in arms
    ]
    caption = (
        "Gains by a judge: against the replies before practice to the same premise, in standard deviations of that judge's scores of them."
    )
    table = Table(("system", "words", "growth", "ended", *(f"gain by {judge}" for judge in judges)), rows, caption)
    return Section("What practice did, on held-out premises", tables=[table], pictures=outcome_pictures(contest, arms))


def _doses(contest: Contest, arms: Sequence[ArmNumbers]) -> list[Section]:
    pictures = dose_picture(contest, arms)
    if not pictures:
        return []
    rows = [
        (arm.name, arm.longer_wins.value, arm.correlation.value if arm.correlation else None, _with_interval(arm.growth))
        for arm in sorted(arms, key=lambda arm: arm.longer_wins.value if arm.longer_wins else 0.0)
        if arm.longer_wins
    ]
    table = Table(("arm", "the longer reply won", "scores follow length", "growth in words"), rows)
    return [Section("Dose and response", pictures=pictures, tables=[table])]


def _samples(contest: Contest) -> Section:
    """The first reply of each system to a few premises."""
    shown = [next(one for one in contest.entrants if one.name == PARENT), *(contest.of(arm)[0] for arm in contest.arms)]
    cards = [Card(premise.text, [_column(entrant, place) for entrant in shown]) for place, premise in enumerate(contest.premises[:_CARDS])]
    text = ["The first sample of each, chosen by nobody. Of an arm, its first seed."]
    return Section("Replies side by side", text=text, cards=cards)


def _column(entrant: Entrant, place: int) -> Column:
    reply = entrant.replies[place][0]
    scores = ", ".join(f"{label} {values[place, 0]:+.2f}" for label, values in entrant.scores.items())
    cut = "" if reply.ended else "; cut off at the limit"
    return Column(entrant.arm or "before practice", reply.text or "(nothing)", f"{int(entrant.words[place, 0])} words{cut}; {scores}")


def _ended(entrant: Entrant) -> float:
    replies = [reply.ended for group in entrant.replies for reply in group]
    return sum(replies) / len(replies)


def _with_interval(one: Estimate) -> str:
    return f"{one.value:.3g}  ({one.interval()})"
