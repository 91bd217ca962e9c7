"""Do raters agree with one another? Krippendorff's alpha, and how often two raters of the same two replies say the same.

Alpha is nominal (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"), computed by the library `krippendorff`. Its expected
disagreement depends on how often each answer is given, and "the first system won" would depend on which system is called the first:
each unit is therefore counted in both directions, so that renaming systems changes nothing. Intervals resample whole premises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.arena.ballots import Ballot, comparisons
from suasion.persuasion.arena.clustering import Clustered

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
_ANSWERS = ("left", "right", "tie", "both_bad")
_RESAMPLES = 1000


@dataclass(frozen=True)
class Agreement:
    """Alpha, and the share of couples of raters who answered alike; ``chance`` is what coin-flippers with the same answers would reach."""

    alpha: Clustered
    alike: Clustered
    chance: float
    units: int  # pairs of replies that two or more raters judged

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        chance = None if np.isnan(self.chance) else self.chance
        return {"alpha": self.alpha.as_dict(), "alike": self.alike.as_dict(), "chance": chance, "units": self.units}


def agreement(ballots: Sequence[Ballot], *, seed: int) -> Agreement:
    """Agreement over the units (premise and two replies) with two raters or more; NaN where there is none."""
    counted = comparisons(ballots)
    counts, premises, raters = _units(counted)
    if not len(counts):
        nothing = Clustered(float("nan"), float("nan"), float("nan"), 0, 0, 0)
        return Agreement(nothing, nothing, float("nan"), 0)
    names, codes = np.unique(premises, return_inverse=True)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, len(names), (_RESAMPLES if len(names) > 1 else 0, len(names)))
    ends = [_ends(column[np.isfinite(column)]) for column in _resampled(counts, codes, drawn)]
    values = (alpha_of(_both_ways(counts)), _alike(counts))
    told = [Clustered(value, low, high, int(counts.sum()), len(names), raters) for value, (low, high) in zip(values, ends, strict=True)]
    both = _symmetric(counts).sum(axis=0)
    return Agreement(told[0], told[1], float(((both / both.sum()) ** 2).sum()), len(counts))


def alpha_of(counts: Counts) -> float:
    """Krippendorff's nominal alpha from how often each unit (row) got each answer (column); NaN where all answers are the same."""
    import krippendorff

    pairable = counts[counts.sum(axis=1) > 1]
    if (pairable.sum(axis=0) > 0).sum() < 2:
        return float("nan")  # nobody ever differed, nor could have been seen to
    return float(krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal"))


def _units(ballots: Sequence[Ballot]) -> tuple[Counts, list[str], int]:
    """Answers counted by unit, as seen by the system whose name comes first; the premise of each unit; how many raters took part."""
    found: dict[tuple[str, str, str], list[Ballot]] = {}
    for ballot in ballots:
        found.setdefault((ballot.premise, *ballot.pair), []).append(ballot)
    shared = {unit: theirs for unit, theirs in found.items() if len(theirs) > 1}
    counts = np.zeros((len(shared), len(_ANSWERS)), dtype=np.int64)
    for row, ((_, first, _), theirs) in zip(counts, shared.items(), strict=True):
        for ballot in theirs:
            column = _ANSWERS.index(ballot.answer)
            row[column if ballot.left == first or column > 1 else 1 - column] += 1
    return counts, [unit[0] for unit in shared], len({one.rater for theirs in shared.values() for one in theirs})


def _both_ways(counts: Counts) -> Counts:
    return np.vstack([counts, counts[:, [1, 0, 2, 3]]])


def _alike(counts: Counts) -> float:
    """The share of couples with the same answer, every couple of raters counting once."""
    sizes = counts.sum(axis=1)
    return float((counts * (counts - 1)).sum() / (sizes * (sizes - 1)).sum())


def _resampled(counts: Counts, premises: NDArray[np.int64], drawn: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Alpha and the share alike of each draw of premises (rows of ``drawn``), from sums by premise: the library would take minutes.

    With n answers, n(c) of each kind c, and units u of m answers: alpha = 1 - (n - 1) sum(u: couples unlike / (m - 1)) / couples unlike
    among all n (Krippendorff 2011, section C).
    """
    sizes = counts.sum(axis=1)
    alike = (counts * (counts - 1)).sum(axis=1)
    couples = sizes * (sizes - 1)
    columns = np.column_stack([_symmetric(counts), 2 * (couples - alike) / (sizes - 1), alike, couples])
    by_premise = np.zeros((premises.max() + 1, columns.shape[1]))
    np.add.at(by_premise, premises, columns)
    sums = by_premise[drawn].sum(axis=1)
    given, unlike, same, possible = sums[:, :4], sums[:, 4], sums[:, 5], sums[:, 6]
    n = given.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - (n - 1) * unlike / (n**2 - (given**2).sum(axis=1)), same / possible


def _symmetric(counts: Counts) -> Counts:
    """Both directions of each unit added up."""
    return counts + counts[:, [1, 0, 2, 3]]


def _ends(values: Floats) -> tuple[float, float]:
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
