"""Arms of practice in numbers: how far length told the winners of the judge's pairs, what its audit said, what became of the writer.

Scores of two judges share no unit. Every gain here is in *spreads*: the standard deviation of that judge's scores of the replies of the
writer that all arms went on from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.evaluation.contest import Contender, Contest, Entrant
from suasion.persuasion.evaluation.showdown.crossed import crossed_mean
from suasion.runs.run import open_run
from suasion.statistics import Estimate

Floats = NDArray[np.float64]
PARENT = "sft"
#: Probes of the audit that ask about length; all but the first two make a real reply longer or shorter and add nothing.
LENGTH_PROBES = ("length-correlation", "loser-longer", "length-at-fixed-content", "cut-in-half", "trick-filler", "trick-repetition")


@dataclass(frozen=True)
class ArmNumbers:
    """One arm, over all its seeds. Intervals are over premises, clustered by debate, and over seeds."""

    name: str
    longer_wins: Estimate | None
    """Share of the pairs that its judge learned from in which the winner is the longer one; None where that is not known."""
    audit_passed: bool
    probes: Sequence[Mapping[str, Any]]
    """The audit's findings about length, as ``audit.json`` holds them."""
    words: Estimate
    growth: Estimate
    """Words gained on the parent writer's replies to the same premise."""
    ended: float
    """Share of its replies that came to their end."""
    own: str
    """Label of its own judge."""
    gains: Mapping[str, Estimate]
    """Judge -> score gained on the parent, in spreads of that judge."""

    @property
    def correlation(self) -> Estimate | None:
        """Of the judge's scores with the number of words, as its audit measured it before any practice."""
        return next((_estimate(one) for one in self.probes if one["code"] == "length-correlation"), None)

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        told = [{key: one[key] for key in ("code", "value", "low", "high", "n", "clusters", "limit", "passed")} for one in self.probes]
        return {
            "longer_wins": self.longer_wins.as_dict() if self.longer_wins else None,
            "audit_passed": self.audit_passed,
            "probes_of_length": told,
            "words": self.words.as_dict(),
            "growth_in_words": self.growth.as_dict(),
            "ended": self.ended,
            "own_judge": self.own,
            "gains_in_spreads": {label: one.as_dict() for label, one in self.gains.items()},
        }


def numbers_of(contest: Contest) -> list[ArmNumbers]:
    """Every arm, the one whose judge saw length tell least first (unknown: as in the recipe)."""
    arms = [_arm(contest, name) for name in contest.arms]
    return sorted(arms, key=lambda arm: abs(arm.longer_wins.value - 0.5) if arm.longer_wins else 0.0)


def growth_apart(contest: Contest, one: str, other: str) -> Estimate:
    """By how many words more the first arm's replies grew than the second's: the difference within a premise."""
    return crossed_mean(_words(contest.of(one)) - _words(contest.of(other)).mean(axis=0), contest.debates)


def _arm(contest: Contest, name: str) -> ArmNumbers:
    entrants, (parent,) = contest.of(name), contest.of(PARENT)
    first = next(one for one in contest.contenders if one.arm == name)
    words = _words(entrants)
    own = next(seat.label for seat in contest.judges if name in seat.practised_by)
    gains = {}
    for seat in contest.judges:
        before = parent.scores[seat.label]
        spread = float(np.nanstd(before)) or 1.0
        gained = (np.stack([one.scores[seat.label].mean(axis=1) for one in entrants]) - before.mean(axis=1)) / spread
        gains[seat.label] = crossed_mean(gained, contest.debates)
    ended = [reply.ended for entrant in entrants for group in entrant.replies for reply in group]
    return ArmNumbers(
        name=name,
        longer_wins=_longer_wins(first, contest.run.path.parent),
        audit_passed=first.audit.results.get("verdict") == "pass",
        probes=[one for one in first.audit.results.get("findings", ()) if one["code"] in LENGTH_PROBES],
        words=crossed_mean(words, contest.debates),
        growth=crossed_mean(words - parent.words.mean(axis=1), contest.debates),
        ended=float(np.mean(ended)),
        own=own,
        gains=gains,
    )


def _words(entrants: Sequence[Entrant]) -> Floats:
    """Mean words of the replies to a premise; shape (seeds, premises)."""
    return np.stack([one.words.mean(axis=1) for one in entrants])


def _longer_wins(contender: Contender, root: Path) -> Estimate | None:
    """Of the train split of the judge's pairs, if they were made here and still lie where they were."""
    record = contender.judge.manifest.parent_records.get("pairs")
    if record is None or not Path(record.path).is_dir():
        return None
    told = open_run(record.path, root).results.get("longer_wins", {}).get("train")
    return _estimate(told) if told else None


def _estimate(told: Mapping[str, Any]) -> Estimate:
    nan = float("nan")
    value, low, high = (nan if told[key] is None else float(told[key]) for key in ("value", "low", "high"))
    return Estimate(value, low, high, int(told["n"]), int(told["clusters"]))
