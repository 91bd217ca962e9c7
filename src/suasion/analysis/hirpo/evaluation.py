"""How well a state of the model does on evaluation texts: accuracy, errors, virtues, each entry by itself; and against another state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from suasion.analysis.hirpo.tries import Outcome, Try
from suasion.statistics import Estimate, clustered_mean, clustered_share

_SAMPLES = 2  # answers kept of each entry, for the report


@dataclass
class Evaluated:
    """One entry's evaluation.

    Attributes:
        accuracy: share of valid answers among all; an answer that is undecided is not valid. Clustered by problem.
        undecided: share of undecided answers.
        shares: problem's key -> share of its answers that are valid.
        errors: code of a finding -> answers that make it.
        virtues: virtue -> its mean score over valid answers; only where there are any. Only differences mean anything.
        samples: first answers to the first problems, with what was found.
    """

    accuracy: Estimate
    undecided: Estimate
    shares: dict[str, float]
    errors: dict[str, int]
    virtues: dict[str, float]
    samples: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "accuracy": self.accuracy.as_dict(),
            "undecided": self.undecided.as_dict(),
            "shares": self.shares,
            "errors": self.errors,
            "virtues": self.virtues,
            "samples": self.samples,
        }


def evaluate(found: Iterable[Outcome], virtues: Mapping[str, Sequence[Any]]) -> dict[str, Evaluated]:
    """What came of an evaluation's assignments, by entry, in their order.

    Args:
        virtues: entry -> its virtues.
    """
    by_entry: dict[str, list[Outcome]] = {}
    for outcome in found:
        by_entry.setdefault(outcome.assignment.entry, []).append(outcome)
    return {entry: _evaluated(of_entry, virtues.get(entry, ())) for entry, of_entry in by_entry.items()}


def against(now: Mapping[str, float], then: Mapping[str, float], seed: int) -> Estimate:
    """The difference in accuracy between two states on the same problems, paired by problem, with its interval.

    Args:
        now, then: problem's key -> share of valid answers.
        seed: of the bootstrap.
    """
    keys = sorted(now.keys() & then.keys())
    return clustered_mean([now[key] - then[key] for key in keys], keys, seed=seed)


def _evaluated(outcomes: Sequence[Outcome], virtues: Sequence[Any]) -> Evaluated:
    tries = [(outcome, one) for outcome in outcomes for one in outcome.tries]
    keys = [outcome.assignment.key for outcome, _ in tries]
    names = [_name(one) for _, one in tries]
    errors = Counter(code for _, one in tries if one.verdict for code in {finding.code for finding in one.verdict.findings})
    scores: dict[str, list[float]] = {}
    for outcome, one in tries:
        if _name(one) != "valid" or one.same_as is not None:
            continue
        problem = outcome.assignment.problem
        case = outcome.assignment.declared.case(problem.source, one.text, problem.reference)
        for virtue in virtues:
            scores.setdefault(virtue.name, []).append(float(virtue.score(case)))
    return Evaluated(
        accuracy=clustered_share([float(name == "valid") for name in names], keys),
        undecided=clustered_share([float(name == "undecided") for name in names], keys),
        shares={outcome.assignment.key: fmean(float(_name(one) == "valid") for one in outcome.tries) for outcome in outcomes},
        errors=dict(errors.most_common()),
        virtues={name: fmean(values) for name, values in sorted(scores.items())},
        samples=[_sample(outcome) for outcome in outcomes[:_SAMPLES]],
    )


def _name(one: Try) -> str:
    return one.verdict.name if one.verdict is not None else "invalid"


def _sample(outcome: Outcome) -> dict[str, Any]:
    one = outcome.tries[0]
    findings = one.verdict.findings if one.verdict else ()
    return {
        "key": outcome.assignment.key,
        "source": outcome.assignment.problem.source,
        "answer": one.text,
        "verdict": _name(one),
        "findings": [finding.message for finding in findings],
    }
