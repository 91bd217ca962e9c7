"""Which raters were not reading: rules written into the study before it begins, blind to which system a rater prefers.

A rule that looks at the preferences themselves (agreement with the majority, or with a judge) throws out those who think otherwise, and
moves the result; there is none here. The report gives every number with and without screening.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import Field

from suasion.config import Config
from suasion.persuasion.arena.ballots import Ballot, swapped

_FEW = 12  # answers; with fewer, a side share as high as the rule's is often chance


class Screening(Config):
    """The rules of a study. A rule is only applied to a rater who gave it something to go by."""

    min_checks_passed: float = Field(0.75, ge=0, le=1, description="share of the attention checks answered as an attentive rater does")
    min_median_seconds: float = Field(4.0, ge=0, description="median time per ballot, in seconds")
    max_side_share: float = Field(0.9, ge=0.5, le=1, description="share of the decided answers on one side, from 12 answers on")
    min_ballots: int = Field(1, ge=1, description="counted ballots a rater must have given")


@dataclass(frozen=True)
class Screened:
    """The ballots of the raters who stay, and why the others do not."""

    kept: list[Ballot]
    dropped: dict[str, list[str]]  # rater: reasons
    raters: int

    def by_rule(self) -> dict[str, int]:
        """How many raters each rule has met."""
        counts: dict[str, int] = {}
        for reasons in self.dropped.values():
            for reason in reasons:
                rule = reason.partition(":")[0]
                counts[rule] = counts.get(rule, 0) + 1
        return counts


def screen(ballots: Sequence[Ballot], rules: Screening) -> Screened:
    """Apply the rules rater by rater; a rater is kept or dropped with all their ballots."""
    by_rater: dict[str, list[Ballot]] = {}
    for ballot in ballots:
        by_rater.setdefault(ballot.rater, []).append(ballot)
    dropped = {rater: reasons for rater, theirs in by_rater.items() if (reasons := reasons_against(theirs, rules))}
    return Screened([ballot for ballot in ballots if ballot.rater not in dropped], dropped, len(by_rater))


def reasons_against(ballots: Sequence[Ballot], rules: Screening) -> list[str]:
    """Why one rater does not count, as ``rule: figures``; empty for one who does. Systems are not looked at."""
    counted = [ballot for ballot in ballots if ballot.kind == "ballot"]
    reasons = []
    if len(counted) < rules.min_ballots:
        reasons.append(f"too few ballots: {len(counted)} of {rules.min_ballots}")
    checks = [ballot for ballot in ballots if ballot.kind in ("gibberish", "instructed")]
    passed = sum(_passed(ballot) for ballot in checks)
    if checks and passed < rules.min_checks_passed * len(checks):
        reasons.append(f"attention checks failed: {passed} of {len(checks)} passed")
    if counted and (seconds := median(ballot.seconds for ballot in counted)) < rules.min_median_seconds:
        reasons.append(f"too fast: {seconds:.1f} seconds in the median")
    sides = [ballot.answer for ballot in counted if ballot.answer in ("left", "right")]
    share = max(sides.count("left"), sides.count("right")) / len(sides) if sides else 0.0
    if len(sides) >= _FEW and share > rules.max_side_share:
        reasons.append(f"one side: {share:.0%} of {len(sides)} decided answers")
    return reasons


def _passed(check: Ballot) -> bool:
    """The expected answer; after gibberish in a study of changed views, an opinion that has not moved by more than one step."""
    if check.kind == "gibberish" and not check.expected:
        return abs(check.fall) <= 1
    return check.expected in (check.answer, str(check.after))


def consistency(ballots: Sequence[Ballot]) -> tuple[list[float], list[Ballot]]:
    """For each pair shown twice with its sides swapped: 1 where the verdict stayed with the same reply, else 0; and the second ballot."""
    first = {(ballot.rater, ballot.premise): ballot for ballot in ballots if ballot.kind == "ballot"}
    repeats = [ballot for ballot in ballots if ballot.kind == "repeat" and (ballot.rater, ballot.premise) in first]
    return [float(swapped(first[one.rater, one.premise].answer) == one.answer) for one in repeats], repeats
