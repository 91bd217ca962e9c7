"""How often people take one system's reply over another's, and how far a reply moves their view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from suasion.persuasion.arena.ballots import Ballot, comparisons, view_changes
from suasion.persuasion.arena.clustering import Clustered, clustered_mean, clustered_share


@dataclass(frozen=True)
class WinRate:
    """The share of ballots that ``system`` won against ``other`` (``""``: against all others); ties count half."""

    system: str
    other: str
    rate: Clustered
    ties: float  # share of ballots, two bad ones included
    both_bad: float

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return {"system": self.system, "other": self.other, **self.rate.as_dict(), "ties": self.ties, "both_bad": self.both_bad}


@dataclass(frozen=True)
class ViewChange:
    """How far replies of ``system`` lowered agreement with the premise, in points of the study's scale; ``other``: how much further."""

    system: str
    other: str
    change: Clustered

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return {"system": self.system, "other": self.other, **self.change.as_dict()}


def systems_of(ballots: Sequence[Ballot]) -> list[str]:
    """The systems on the counted ballots, by name."""
    return sorted({name for ballot in ballots if ballot.kind == "ballot" for name in (ballot.left, ballot.right) if name})


def credit_of(system: str, ballot: Ballot) -> float:
    """What ``system``, one of the ballot's two, gets on it."""
    return ballot.credit if ballot.left == system else 1 - ballot.credit


def win_rates(ballots: Sequence[Ballot]) -> list[WinRate]:
    """Each system against all others, then each pair that was ever shown, by name."""
    counted = comparisons(ballots)
    systems = systems_of(counted)
    rates = [_rate(system, "", [one for one in counted if system in one.pair]) for system in systems]
    for one, other in combinations(systems, 2):
        if met := [ballot for ballot in counted if ballot.pair == (one, other)]:
            rates.append(_rate(one, other, met))
    return rates


def views_changed(ballots: Sequence[Ballot]) -> list[ViewChange]:
    """Each system's mean change, then each pair's difference, by name.

    The difference of two systems is the mean over both systems' ballots of ±change x n / n(system): its influence on the difference of
    the two means, centred, so that a premise or a rater who saw both counts as one cluster.
    """
    counted = view_changes(ballots)
    systems = systems_of(counted)
    moved = {name: [one for one in counted if one.left == name] for name in systems}
    changes = {name: np.array([one.fall for one in mine]) for name, mine in moved.items()}
    found = [ViewChange(name, "", clustered_mean(changes[name], moved[name])) for name in systems]
    for one, other in combinations(systems, 2):
        together = [*moved[one], *moved[other]]
        difference = float(changes[one].mean() - changes[other].mean())
        influences = [(changes[name] - changes[name].mean()) * len(together) / len(changes[name]) for name in (one, other)]
        found.append(ViewChange(one, other, clustered_mean(np.concatenate([influences[0], -influences[1]]) + difference, together)))
    return found


def _rate(system: str, other: str, met: Sequence[Ballot]) -> WinRate:
    ties = sum(ballot.answer in ("tie", "both_bad") for ballot in met) / len(met)
    bad = sum(ballot.answer == "both_bad" for ballot in met) / len(met)
    return WinRate(system, other, clustered_share([credit_of(system, ballot) for ballot in met], met), ties, bad)
