"""A study's report: one page that says what people preferred, how sure that is, whose ballots count, and what could not be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from suasion.persuasion.arena import chapters
from suasion.persuasion.arena.chapters import told
from suasion.persuasion.arena.clustering import Clustered
from suasion.persuasion.arena.results import Results
from suasion.persuasion.arena.winrates import WinRate
from suasion.runs.report import Badge, Report, Section, write_report

SIMULATED = "simulated raters: no person has answered"


def write_study_report(results: Results, path: Path) -> Path:
    """Write the report as one HTML file; return its path."""
    return write_report(study_report(results), path)


def study_report(results: Results) -> Report:
    """The report; where raters were simulated, the title and every part say so."""
    numbers = results.screened
    sections = [_answer(results)]
    if numbers.win_rates:
        sections += [chapters.rates(results), chapters.strengths(results)]
    if numbers.views:
        sections.append(chapters.views(results))
    if results.everybody.ballots:
        sections += [chapters.agreement(results), chapters.screening(results)]
    if any(one.shares["all"].n for one in numbers.judges):
        sections.append(chapters.judges(results))
    if numbers.sequences:
        sections.append(chapters.peeking(results))
    sections += chapters.reasons(results)
    sections += [chapters.plan(results), chapters.origin(results)]
    title = results.study.title
    if results.simulated:
        sections = [_marked(section) for section in sections]
        title = f"Simulation: {title}"
    return Report(title, f"{SIMULATED[0].upper()}{SIMULATED[1:]}." if results.simulated else _subtitle(results), sections)


def _marked(section: Section) -> Section:
    return replace(section, badges=[Badge(SIMULATED, "warning"), *section.badges])


def _subtitle(results: Results) -> str:
    numbers = results.everybody
    state = "closed" if results.closed else "still open"
    return f"A blind test: {numbers.ballots} ballots by {numbers.raters} raters on {numbers.premises} premises; the study is {state}."


def _answer(results: Results) -> Section:
    """Each pair of systems in a sentence; a verdict only where it holds with screening and without."""
    numbers, badges, text = results.screened, [], []
    if not results.everybody.ballots:
        return Section("What came out", ["Nobody has answered yet."], [Badge("no ballots", "neutral")])
    if not numbers.ballots:
        return Section("What came out", ["The study's rules leave out everybody who has answered."], [Badge("no ballot counts", "fail")])
    everybody = {(one.system, one.other): one.rate for one in results.everybody.win_rates}
    for one in chapters.head_to_head(numbers):
        first, other, rate = _winner_first(one)
        text.append(f"{first} is preferred to {other} {rate.value:.0%} of the time (95 % interval {told(rate, percent=True)}).")
        badges.append(_verdict(results, one, everybody[one.system, one.other]))
    moved = {(one.system, one.other): one.change for one in results.everybody.views}
    for change in numbers.views:
        if change.other:
            held = [_sign(change.change, 0.0), _sign(moved[change.system, change.other], 0.0)]
            badges.append(_verdict_badge(results, change.system, change.other, held, "moves views further than"))
        else:
            fell = change.change
            text.append(f"After a reply of {change.system}, agreement with the premise falls by {fell.value:.2f} points ({told(fell)}).")
    if len(results.systems) > 2:
        text.append("Each interval is for one comparison; of twenty comparisons without a difference, one is expected to look like one.")
    if not results.closed:
        text.append("The study is still open: until it ends, only the intervals under “While it runs” may be acted upon.")
    return Section("What came out", text, badges)


def _winner_first(one: WinRate) -> tuple[str, str, Clustered]:
    rate = one.rate
    if rate.value >= 0.5:
        return one.system, one.other, rate
    return one.other, one.system, Clustered(1 - rate.value, 1 - rate.high, 1 - rate.low, rate.n, rate.premises, rate.raters)


def _verdict(results: Results, one: WinRate, everybody: Clustered) -> Badge:
    return _verdict_badge(results, one.system, one.other, [_sign(one.rate, 0.5), _sign(everybody, 0.5)], "is preferred to")


def _verdict_badge(results: Results, system: str, other: str, signs: Sequence[int], verb: str) -> Badge:
    """``signs``: with screening and without. While ballots still come in, nothing is final, and nothing is green."""
    so_far = "" if results.closed else "so far: "
    if signs[0] != signs[1]:
        return Badge(f"{so_far}{system} and {other}: it depends on who is screened out", "warning")
    if not signs[0]:
        return Badge(f"{so_far}{system} and {other} are not told apart", "neutral")
    better, worse = (system, other) if signs[0] > 0 else (other, system)
    return Badge(f"{so_far}{better} {verb} {worse}", "pass" if results.closed else "neutral")


def _sign(one: Clustered, middle: float) -> int:
    return 1 if one.low > middle else -1 if one.high < middle else 0
