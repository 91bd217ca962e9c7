"""Bradley–Terry strengths: one number a system that explains who beats whom, with the side and the length of the replies held equal.

P(left wins) = σ(strength(left) - strength(right) + side + length · log2(words left / words right)), a logistic regression (Bradley & Terry
1952; Agresti 2002, "Categorical Data Analysis", section 10.6), fitted by statsmodels; ties are half a win. Intervals are clustered by
premise and by rater.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suasion.persuasion.arena.ballots import Ballot, comparisons
from suasion.persuasion.arena.clustering import Clustered, Clusters, clusters_of
from suasion.persuasion.arena.winrates import systems_of

Floats = NDArray[np.float64]

#: What may be held equal: the left side's advantage, and what twice the words are worth; both in logits.
COVARIATES = ("side", "length")
_FAR = 15.0  # logits; a fit that goes there is on its way to infinity


@dataclass(frozen=True)
class Strengths:
    """Strengths in logits, their mean zero; differences between systems; covariates' coefficients. ``why_not``: why there are none."""

    systems: dict[str, Clustered] = field(default_factory=dict)
    differences: dict[tuple[str, str], Clustered] = field(default_factory=dict)
    covariates: dict[str, Clustered] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # covariates that could not be told apart from the systems
    why_not: str = ""

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return {
            "systems": {name: one.as_dict() for name, one in self.systems.items()},
            "differences": [{"system": a, "other": b, **one.as_dict()} for (a, b), one in self.differences.items()],
            "covariates": {name: one.as_dict() for name, one in self.covariates.items()},
            "left_out": list(self.left_out),
            "why_not": self.why_not,
        }


def bradley_terry(ballots: Sequence[Ballot], covariates: Sequence[str] = ()) -> Strengths:
    """Fit strengths to the ballots that count.

    Args:
        covariates: of :data:`COVARIATES`; one that does not vary is left out.

    Where some systems never lose to the others (or never meet them), no finite strengths exist (Ford 1957): then none are given, and
    ``why_not`` says so.
    """
    counted = comparisons(ballots)
    systems = systems_of(counted)
    if why_not := _why_not(counted, systems):
        return Strengths(why_not=why_not)
    design, names = _design(counted, systems, covariates)
    credits = np.array([ballot.credit for ballot in counted])
    coefficients = _fitted(design, credits)
    if coefficients is None:
        return Strengths(why_not=f"The fit does not settle with {', '.join(names)} held equal: there are too few ballots.")
    clusters = clusters_of(counted)
    covariance = _sandwich(design, credits, coefficients, clusters)

    def told(contrast: Floats) -> Clustered:
        """A linear combination of the coefficients."""
        value = float(contrast @ coefficients)
        error = float(np.sqrt(max(0.0, max(contrast @ one @ contrast for one in covariance))))
        reach = clusters.quantile() * error if clusters.fewest > 1 else float("inf")
        return Clustered(value, value - reach, value + reach, len(counted), clusters.premises, clusters.raters)

    extra = len(names)
    own = np.vstack([np.zeros(len(systems) - 1), np.eye(len(systems) - 1)])  # the first system is zero; strengths are then centred
    own = np.hstack([own, np.zeros((len(systems), extra))])
    centred = own - own.mean(axis=0)
    return Strengths(
        {name: told(row) for name, row in zip(systems, centred, strict=True)},
        {(a, b): told(own[i] - own[j]) for i, a in enumerate(systems) for j, b in enumerate(systems) if i < j},
        {name: told(row) for name, row in zip(names, np.eye(len(coefficients))[len(systems) - 1 :], strict=True)},
        tuple(name for name in covariates if name not in names),
    )


def _why_not(ballots: Sequence[Ballot], systems: Sequence[str]) -> str:
    """Ford's condition: from each system a chain of wins (or ties) must lead to each other one."""
    from scipy.sparse.csgraph import connected_components

    if len(systems) < 2:
        return "There are fewer than two systems to compare."
    beaten = np.zeros((len(systems), len(systems)))
    place = {name: index for index, name in enumerate(systems)}
    for ballot in ballots:
        left, right = place[ballot.left], place[ballot.right]
        beaten[left, right] += ballot.credit
        beaten[right, left] += 1 - ballot.credit
    count, group = connected_components(beaten > 0, directed=True, connection="strong")
    if count == 1:
        return ""
    if connected_components(beaten > 0, directed=False)[0] > 1:
        return "Some systems were never compared, not even by way of others."
    apart = [name for name, one in zip(systems, group, strict=True) if one != group[0]]
    return f"{', '.join(apart)} against the rest: one side won every ballot, so its strength has no finite estimate; see the win rates."


def _design(ballots: Sequence[Ballot], systems: Sequence[str], covariates: Sequence[str]) -> tuple[Floats, list[str]]:
    """A row a ballot: +1 for the left system, -1 for the right one (the first system has no column), then the covariates."""
    place = {name: index for index, name in enumerate(systems)}
    rows = np.zeros((len(ballots), len(systems)))
    for row, ballot in zip(rows, ballots, strict=True):
        row[place[ballot.left]] += 1
        row[place[ballot.right]] -= 1
    columns = [rows[:, 1:]]
    names = []
    for name in covariates:
        values = {"side": _ones, "length": _doublings}[name](ballots)
        joined = np.column_stack([*columns, values])
        if np.linalg.matrix_rank(joined) == joined.shape[1]:  # else it says nothing that the systems do not
            columns.append(values[:, None])
            names.append(name)
    return np.hstack(columns), names


def _ones(ballots: Sequence[Ballot]) -> Floats:
    return np.ones(len(ballots))


def _doublings(ballots: Sequence[Ballot]) -> Floats:
    """How many times twice as long the left reply is."""
    words = np.array([(max(1, ballot.left_words), max(1, ballot.right_words)) for ballot in ballots], dtype=np.float64)
    return np.asarray(np.log2(words[:, 0] / words[:, 1]))


def _fitted(design: Floats, credits: Floats) -> Floats | None:
    """Maximum-likelihood coefficients, or None where they run off to infinity."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # separation and the like are seen from the result
        result = GLM(credits, design, family=Binomial()).fit(maxiter=100, tol=1e-10)
    coefficients = np.asarray(result.params, dtype=np.float64)
    settled = bool(result.converged) and bool(np.isfinite(coefficients).all()) and bool(np.abs(design @ coefficients).max() < _FAR)
    return coefficients if settled else None


def _sandwich(design: Floats, credits: Floats, coefficients: Floats, clusters: Clusters) -> Floats:
    """The three candidates for the coefficients' covariance, shape (3, k, k)."""
    expected = 1 / (1 + np.exp(-design @ coefficients))
    bread = np.linalg.inv((design * (expected * (1 - expected))[:, None]).T @ design)
    return bread @ clusters.variances(design * (credits - expected)[:, None]) @ bread
