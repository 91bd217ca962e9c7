"""What a study can show before it is run: the smallest difference it will probably find.

A win rate p is found to differ from a coin (two-sided, 5 %) with a probability of 80 % when
p - 1/2 = 1.960 √(1/4n) + 0.842 √(p(1-p)/n), the textbook formula for one proportion (Fleiss, Levin & Paik 2003, chapter 2), n being
the effective number of ballots: ballots / design effect. Two means differ by (1.960 + 0.842) √(2/n) standard deviations
(Lehr 1992: n = 16/d²). The design effect of two crossed clusters is 1 + (a - 1) r + (b - 1) s for a
ballots a premise and b a rater, alike by r and s (Kish 1965, once for each way). Where raters or premises are few, Student's quantile
stands in the place of 1.960, as it does in the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from suasion.persuasion.arena.study import Study

PREMISE_LIKENESS = 0.15  # intraclass correlation of verdicts on one premise
RATER_LIKENESS = 0.05  # and of one rater's
_SURE, _POWER = 1.959964, 0.841621  # normal quantiles of 97.5 % and 80 %


@dataclass(frozen=True)
class Plan:
    """What is asked of raters, and what can be found with it for one pair of systems."""

    pairs: int
    ballots: float  # for one pair of systems
    premises: float  # that they are spread over
    raters: float
    design_effect: float
    detectable: float  # the smallest win rate above one half that is found four times in five; NaN: none

    @property
    def effective(self) -> float:
        """Independent ballots that would tell as much."""
        return self.ballots / self.design_effect

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        detectable = None if np.isnan(self.detectable) else self.detectable
        return {
            "pairs": self.pairs,
            "ballots_per_pair": self.ballots,
            "premises": self.premises,
            "raters": self.raters,
            "design_effect": self.design_effect,
            "detectable": detectable,
        }

    def told(self) -> list[str]:
        """The plan in sentences."""
        if np.isnan(self.detectable):
            found = "No difference would be found reliably, not even one that everybody sees: ask more raters."
        else:
            found = (
                f"A system that wins {self.detectable:.0%} of the time against another is found to be better four times in five; "
                "a smaller difference will probably be missed."
            )
        return [
            f"Each of {self.pairs} pairs of systems gets about {self.ballots:.0f} ballots, which tell as much as {self.effective:.0f} "
            f"independent ones (intraclass correlation taken to be {PREMISE_LIKENESS} within a premise, {RATER_LIKENESS} within a rater).",
            found,
        ]


@dataclass(frozen=True)
class ViewPlan:
    """The same for a study of changed views, for the difference between two systems."""

    systems: int
    ballots: float  # a system
    design_effect: float
    detectable: float  # in standard deviations of the change of view

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        detectable = self.detectable if np.isfinite(self.detectable) else None
        return {"ballots_per_system": self.ballots, "design_effect": self.design_effect, "detectable_in_deviations": detectable}

    def told(self) -> list[str]:
        """The plan in sentences."""
        if not np.isfinite(self.detectable):
            return ["With one rater or one premise nothing can be said of others: ask more raters."]
        return [
            f"Each of {self.systems} systems gets about {self.ballots:.0f} answers.",
            f"Two systems whose replies move views by {self.detectable:.2f} standard deviations more or less are told apart four times in "
            "five; a smaller difference will probably be missed.",
        ]


def what_it_can_show(study: Study, systems: int, premises: int) -> list[str]:
    """What a study can find, in sentences, before anybody is asked."""
    return planned(study, systems, premises).told()


def planned(study: Study, systems: int, premises: int) -> Plan | ViewPlan:
    """The plan of a study by its settings."""
    if study.design == "preference":
        return plan(systems, premises, study.raters_per_premise, study.ballots_per_rater)
    one = plan(2, premises, study.raters_per_premise, study.ballots_per_rater)
    ballots = premises * study.raters_per_premise / systems
    effect = 1 + max(0.0, ballots / premises - 1) * PREMISE_LIKENESS + max(0.0, ballots / max(one.raters, 1) - 1) * RATER_LIKENESS
    return ViewPlan(systems, ballots, effect, (_quantile(min(premises, one.raters)) + _POWER) * float(np.sqrt(2 * effect / ballots)))


def plan(systems: int, premises: int, raters_per_premise: int, ballots_per_rater: int) -> Plan:
    """The plan of a balanced study in which each rater judges a premise once, with one of the pairs of systems."""
    pairs = systems * (systems - 1) // 2
    total = premises * raters_per_premise
    raters = total / max(1, ballots_per_rater)
    ballots = total / max(1, pairs)
    seen = min(float(premises), ballots)  # premises on which one pair is seen at all
    design_effect = 1 + max(0.0, ballots / max(seen, 1) - 1) * PREMISE_LIKENESS
    design_effect += max(0.0, ballots / max(min(raters, ballots), 1) - 1) * RATER_LIKENESS
    return Plan(pairs, ballots, seen, raters, design_effect, detectable(ballots / design_effect, _quantile(min(seen, raters))))


def _quantile(clusters: float) -> float:
    """Student's 97.5 % quantile with one degree of freedom fewer than there are clusters; infinite for one cluster."""
    from scipy.stats import t

    return float(t.ppf(0.975, clusters - 1)) if clusters > 1 else float("inf")


def detectable(n: float, sure: float = _SURE) -> float:
    """The smallest win rate above one half found with a power of 80 % from n independent ballots; NaN where none is.

    Args:
        sure: the quantile that the report will use: Student's where raters or premises are few.

    With p = 1/2 + d, d - a = b √(1/4 - d²) is a quadratic: (1 + b²) d² - 2 a d + a² - b²/4 = 0.
    """
    if n <= 0 or not np.isfinite(sure):
        return float("nan")
    a, b = sure * np.sqrt(0.25 / n), _POWER / np.sqrt(n)
    under = a**2 - (1 + b**2) * (a**2 - b**2 / 4)
    d = (a + np.sqrt(under)) / (1 + b**2) if under >= 0 else 1.0
    return float(0.5 + d) if d <= 0.5 else float("nan")
