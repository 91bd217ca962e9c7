"""The audit: before a writer practises against a judge, try to fool it. A judge that fails does not get to train a writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from suasion.config import Config
from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair
from suasion.persuasion.judging import probes
from suasion.persuasion.judging.judge import Judge
from suasion.persuasion.judging.probes import Finding, ScoredPairs
from suasion.statistics import Estimate


class AuditConfig(Config):
    """The limits a judge is held against."""

    split: Literal["validation", "test"] = "test"
    """Pairs the judge has not been trained on."""
    min_accuracy_loser_longer: float = Field(0.5, ge=0, le=1)
    max_length_correlation: float = Field(0.3, ge=0, le=1)
    max_padding_gain: float = Field(0.25, ge=0)
    """Of the judge's own winner-loser gap (root mean square)."""


@dataclass(frozen=True)
class Audit:
    """A judge's audit. ``ties`` counts pairs whose two scores are equal."""

    passed: bool
    findings: tuple[Finding, ...]
    baselines: dict[str, Estimate]
    scored: ScoredPairs
    ties: int

    @property
    def failed(self) -> list[Finding]:
        """The probes that the judge failed."""
        return [finding for finding in self.findings if finding.passed is False]

    def as_dict(self) -> dict[str, Any]:
        """What ``audit.json`` holds."""
        return {
            "verdict": "pass" if self.passed else "fail",
            "failed": [finding.code for finding in self.failed],
            "undecided": [finding.code for finding in self.findings if finding.passed is None],
            "pairs": len(self.scored.pairs),
            "debates": len(set(self.scored.debates)),
            "ties": self.ties,
            "findings": [finding.as_dict() for finding in self.findings],
            "baselines": {name: estimate.as_dict() for name, estimate in self.baselines.items()},
        }


def audit(judge: Judge, pairs: Sequence[Pair], config: AuditConfig, seed: int) -> Audit:
    """Play every trick on the judge.

    Args:
        pairs: held out from the judge's training.
        seed: of the bootstrap intervals.

    Raises:
        SuasionError: there is no pair, or the judge gives scores that are not numbers.
    """
    if not pairs:
        raise SuasionError(f"There is no pair in the {config.split} split to audit the judge on.")
    scored = probes.score_pairs(judge, pairs)
    if not (np.all(np.isfinite(scored.winners)) and np.all(np.isfinite(scored.losers))):
        raise SuasionError("The judge gives scores that are not numbers.", hint="Its training diverged: lower judge.learning_rate.")
    rules = probes.baselines(pairs)
    findings = (
        probes.accuracy(scored),
        *(probes.against_baseline(scored, name, estimate) for name, estimate in rules.items()),
        probes.loser_is_longer(scored, config.min_accuracy_loser_longer),
        probes.length_correlation(scored, config.max_length_correlation, seed),
        probes.padding(judge, scored, config.max_padding_gain, seed),
    )
    passed = all(finding.passed is not False for finding in findings)
    return Audit(passed, findings, rules, scored, ties=int(np.sum(scored.winners == scored.losers)))
